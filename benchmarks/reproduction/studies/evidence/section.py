"""Whether demotions name their reason, and whether passages return without that constraint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

import numpy as np

from benchmarks.datasets.limit import limit_queries
from benchmarks.reproduction.artefacts import (
    Curve,
    Curves,
    Figure,
    Measurement,
    Row,
    Section,
    Table,
)
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.studies.evidence.demotions import (
    DEPTH,
    Demotion,
    ParsingPolicy,
    Return,
    draw_one_per_query,
    find_demotions,
    find_returns,
)
from benchmarks.reproduction.table_cells import estimate_cell, estimates_curve
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import Dataset, bootstrap, load_dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import AutoPolicy, BooleanPolicy
from logic_retrievers.queries import ParsedQuery, RuleParser
from logic_retrievers.types import Passage

CASES = 300
LIMIT_PAIRS = 200
RANKS = (1, 2, 3, 5, 10, 20, 50, DEPTH)
AIM = 0.9

_PARTS = (
    ("excluir", "test"),
    ("excluir", "dev"),
    ("boolquestions_not", "test"),
    ("boolquestions_not", "dev"),
)
_POLICIES: tuple[ParsingPolicy, ...] = (AutoPolicy(), BooleanPolicy())
_PARSER = RuleParser()

_RETURNS: Mapping[str, Callable[[Return], bool]] = {
    "lifted": lambda case: case.lifted_rank <= case.demotion.plain_rank,
    "cut out, against plain search for the shorter text": lambda case: (
        case.shortened_rank <= case.shortened_plain_rank
    ),
    "cut out, against plain search for the whole text": (
        lambda case: case.shortened_rank <= case.demotion.plain_rank
    ),
}
"""How the constraint is removed -> whether the passage is back at its plain topical rank."""


def run(bench: Workbench) -> Section:
    """Demotions of every set, their reasons, and the returns of a random sample."""
    reasons: list[Row] = []
    cases: dict[str, list[tuple[str, Return]]] = {policy.name: [] for policy in _POLICIES}
    for dataset in _datasets(bench):
        bench.log(f"evidence: {dataset.name}")
        queries = _exclusions(dataset)
        with PassageIndex.open("evidence", bench.encoder) as index:
            index.add(Passage(name, text) for name, text in dataset.documents.items())
            for policy in _POLICIES:
                moved = find_demotions(index, queries, policy)
                reasons.append(_reasons_row(dataset.name, policy, queries, *moved))
                sample = draw_one_per_query(
                    [demotion for demotion in moved.demotions if demotion.excluded], _random(bench)
                )
                cases_of_set = find_returns(index, dataset, sample, policy)
                cases[policy.name] += [(dataset.name, case) for case in cases_of_set]
    drawn_cases = {
        name: _random(bench).sample(policy_cases, min(CASES, len(policy_cases)))
        for name, policy_cases in cases.items()
    }
    auto = [case for _, case in drawn_cases["auto"]]
    return Section(
        name="evidence",
        title="Evidence: why a passage was moved down, and whether it comes back",
        text=_text(auto),
        artefacts=(
            _reasons_table(reasons),
            _returns_table(drawn_cases),
            _failures_table(auto),
            _ranks_figure(auto),
        ),
    )


STUDY = Study(
    name="evidence",
    title="Evidence: why a passage was moved down, and whether it comes back",
    data=("excluir", "boolquestions_not", "limit_small"),
    run=run,
)


def _datasets(bench: Workbench) -> Iterator[Dataset]:
    for folder, split in _PARTS:
        yield load_dataset(folder, split)
    yield limit_queries(load_dataset("limit_small"), LIMIT_PAIRS, bench.seed)


def _exclusions(dataset: Dataset) -> dict[str, ParsedQuery]:
    parsed = {query.id: _PARSER.parse(query.text) for query in dataset.queries}
    return {name: query for name, query in parsed.items() if query.kind == "exclusion"}


def _random(bench: Workbench) -> Random:
    return Random(bench.seed)


def _share(flags: Sequence[bool], groups: Sequence[str] | None = None) -> Measurement | None:
    if not flags:
        return None
    (estimate,) = bootstrap(np.array(flags, dtype=float), groups)
    return estimate_cell(estimate)


def _reasons_row(
    dataset: str,
    policy: ParsingPolicy,
    queries: Mapping[str, ParsedQuery],
    demotions: Sequence[Demotion],
    others: int,
) -> Row:
    share_named = _share(
        [bool(demotion.excluded) for demotion in demotions],
        [demotion.query for demotion in demotions],
    )
    demoted_queries = len({demotion.query for demotion in demotions})
    return Row(
        cells=(
            dataset,
            policy.name,
            len(queries),
            demoted_queries,
            len(demotions),
            share_named,
            others,
        )
    )


def _reasons_table(rows: Sequence[Row]) -> Table:
    return Table(
        name="evidence-reasons",
        title="Demotions, and how many of them name what they are for",
        columns=(
            "data set",
            "policy",
            "exclusions",
            "with a demotion",
            "demotions",
            "reason names the constraint",
            "lower without a penalty",
        ),
        rows=tuple(rows),
        notes=(
            f"A demotion is a passage of the first {DEPTH} of plain search that stands lower under "
            "the policy, and lower than it would without the penalty for what it speaks of.",
            "Lower without a penalty: the wanted part weighs for itself in the score, so passages "
            "change places that speak of nothing ruled out.",
            "boolean weighs every atom smoothly: a passage just under the mark that counts as "
            "speaking of an atom loses a little, and its reason says that it avoids the atom.",
        ),
    )


def _returns_table(cases: Mapping[str, Sequence[tuple[str, Return]]]) -> Table:
    rows = []
    for policy, policy_cases in cases.items():
        parts = {"all": [case for _, case in policy_cases]}
        for dataset, one in sorted(policy_cases, key=lambda labelled: labelled[0]):
            parts.setdefault(dataset, []).append(one)
        rows += [
            Row(
                cells=(
                    policy,
                    part,
                    len(part_cases),
                    *(_share([back(case) for case in part_cases]) for back in _RETURNS.values()),
                )
            )
            for part, part_cases in parts.items()
        ]
    return Table(
        name="evidence-returns",
        title="Back at its plain topical rank or better, once the named constraint is taken out",
        columns=("policy", "data set", "cases", *_RETURNS),
        rows=tuple(rows),
        notes=(
            f"{CASES} demotions, one a query, drawn by the seed.",
            "Lifted: the query keeps its words, and what the evidence names is no longer ruled "
            "out; the plain topical rank is that of the same words. Where the query rules out "
            "nothing else this is the gate's promise, to the last bit; the rest is measured.",
            "Cut out: the text without its excluding clauses is parsed and searched for anew. "
            "Against plain search for that text this is the gate's promise again. Against plain "
            "search for the whole text it is no promise: a passage that speaks of what is ruled "
            "out stands high there because the text names it, and the shorter text does not.",
        ),
    )


def _failures_table(cases: Sequence[Return]) -> Table:
    kinds = Counter(kind for case in cases for kind in _failures(case))
    rows = [
        Row(
            cells=(
                removal,
                kind,
                kinds[removal, kind],
                _share([(removal, kind) in _failures(case) for case in cases]),
            )
        )
        for removal, kind in _KINDS
    ]
    return Table(
        name="evidence-failures",
        title="Why a passage does not come back (auto)",
        columns=("constraint", "why", "cases", "share of all cases"),
        rows=tuple(rows),
    )


_KINDS = (
    ("lifted", "something else that the query rules out moves it down"),
    ("lifted", "the query still excludes, so its wanted part weighs for itself"),
    ("cut out", "the shorter text still excludes or negates"),
    ("cut out", "plain search for the shorter text has it lower, by at most 3 ranks"),
    ("cut out", "plain search for the shorter text has it lower, by more"),
)


def _failures(case: Return) -> list[tuple[str, str]]:
    """Failures of both ways of removing the constraint, against plain search for the whole text."""
    failures = []
    if case.lifted_rank > case.demotion.plain_rank:
        failures.append(_KINDS[0] if case.remaining_exclusions else _KINDS[1])
    if case.shortened_rank > case.demotion.plain_rank:
        if case.remaining_kind != "none":
            failures.append(_KINDS[2])
        else:
            failures.append(
                _KINDS[3] if case.shortened_rank <= case.demotion.plain_rank + 3 else _KINDS[4]
            )
    return failures


def _ranks_figure(cases: Sequence[Return]) -> Figure:
    ranks: Mapping[str, list[int]] = {
        "plain search": [case.demotion.plain_rank for case in cases],
        "auto": [case.demotion.policy_rank for case in cases],
        "auto, constraint lifted": [case.lifted_rank for case in cases],
        "auto, clause cut out": [case.shortened_rank for case in cases],
    }
    return Figure(
        name="evidence-ranks",
        title="Where demoted passages stand",
        caption=(
            "Share of the drawn demotions at a rank or better: in plain search, under auto, and "
            "under auto once the constraint is lifted (the words stay) or its clause is cut out of "
            "the text. The closer a line to that of plain search, the more passages are back."
        ),
        plot=Curves(
            x_label="rank",
            y_label="share at this rank or better",
            panels={"auto": {label: _rank_curve(values) for label, values in ranks.items()}},
            y_limits=(0.0, 1.0),
        ),
    )


def _rank_curve(ranks: Sequence[int]) -> Curve:
    """Share of the ranks up to each of :data:`RANKS`."""
    table = np.array(ranks)[:, None] <= np.array(RANKS)
    return estimates_curve(RANKS, bootstrap(table.astype(float)))


def _text(cases: Sequence[Return]) -> tuple[str, ...]:
    lifted, _, cut = (_share([back(case) for case in cases]) for back in _RETURNS.values())
    assert lifted is not None
    assert cut is not None
    verdict = "reached" if lifted.value >= AIM else "not reached"
    return (
        "Every hit carries its evidence. A passage that an exclusion moves down has a reason that "
        "names the constraint; with that constraint taken out, the passage should be back where "
        "plain search has it. What taken out means can be read in two ways, and both are measured.",
        f"The constraint lifted, the words kept: {lifted.value:.1%} of {len(cases)} passages are "
        f"back at their plain topical rank or better (aim: {AIM:.0%}, {verdict}). The clause cut "
        f"out of the text: {cut.value:.1%} stand at least as high as in plain search for the whole "
        "text. The others stand lower in plain search for the shorter text as well, which auto "
        "gives unchanged: they stood high because the whole text names what they speak of.",
    )
