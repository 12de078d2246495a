"""Whether a demotion says why, and whether the passage comes back without what it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

import numpy as np

from logic_retrievers.evaluation import Dataset, bootstrap, limit_queries, load_dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import AutoPolicy, BooleanPolicy
from logic_retrievers.queries import ParsedQuery, RuleParser
from logic_retrievers.report.artefacts import Curve, Curves, Figure, Measured, Row, Section, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.demotions import (
    DEPTH,
    Asking,
    Demotion,
    Return,
    demoted,
    one_each,
    returns,
)
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import Workbench
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
_POLICIES: tuple[Asking, ...] = (AutoPolicy(), BooleanPolicy())
_PARSER = RuleParser()

_BACK: Mapping[str, Callable[[Return], bool]] = {
    "lifted": lambda one: one.lifted <= one.demotion.topical,
    "cut out, against plain search for the shorter text": lambda one: one.cut <= one.cut_plain,
    "cut out, against plain search for the whole text": (
        lambda one: one.cut <= one.demotion.topical
    ),
}
"""How the constraint is taken out -> whether the passage is back at its plain topical rank."""


def run(bench: Workbench) -> Section:
    """Demotions of every set, their reasons, and what becomes of a drawn part of them."""
    reasons: list[Row] = []
    cases: dict[str, list[tuple[str, Return]]] = {policy.name: [] for policy in _POLICIES}
    for dataset in _datasets(bench):
        bench.say(f"evidence: {dataset.name}")
        queries = _exclusions(dataset)
        with PassageIndex.open("evidence", bench.encoder) as index:
            index.add(Passage(name, text) for name, text in dataset.documents.items())
            for policy in _POLICIES:
                moved = demoted(index, queries, policy)
                reasons.append(_reasons(dataset.name, policy, queries, *moved))
                drawn = one_each([one for one in moved.demotions if one.traps], _random(bench))
                found = returns(index, dataset, drawn, policy)
                cases[policy.name] += [(dataset.name, one) for one in found]
    drawn_cases = {
        name: _random(bench).sample(found, min(CASES, len(found))) for name, found in cases.items()
    }
    auto = [one for _, one in drawn_cases["auto"]]
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


def _share(flags: Sequence[bool], groups: Sequence[str] | None = None) -> Measured | None:
    if not flags:
        return None
    (found,) = bootstrap(np.array(flags, dtype=float), groups)
    return shown(found)


def _reasons(
    dataset: str,
    policy: Asking,
    queries: Mapping[str, ParsedQuery],
    demotions: Sequence[Demotion],
    others: int,
) -> Row:
    named = _share([bool(one.traps) for one in demotions], [one.query for one in demotions])
    asked = len({one.query for one in demotions})
    return Row(cells=(dataset, policy.name, len(queries), asked, len(demotions), named, others))


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
    for policy, found in cases.items():
        parts = {"all": [one for _, one in found]}
        for dataset, one in sorted(found, key=lambda case: case[0]):
            parts.setdefault(dataset, []).append(one)
        rows += [
            Row(
                cells=(
                    policy,
                    part,
                    len(some),
                    *(_share([back(one) for one in some]) for back in _BACK.values()),
                )
            )
            for part, some in parts.items()
        ]
    return Table(
        name="evidence-returns",
        title="Back at its plain topical rank or better, once the named constraint is taken out",
        columns=("policy", "data set", "cases", *_BACK),
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


def _failures_table(found: Sequence[Return]) -> Table:
    kinds = Counter(kind for one in found for kind in _failures(one))
    rows = [
        Row(
            cells=(
                way,
                kind,
                kinds[way, kind],
                _share([(way, kind) in _failures(one) for one in found]),
            )
        )
        for way, kind in _KINDS
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


def _failures(one: Return) -> list[tuple[str, str]]:
    """Of both ways of taking the constraint out, against plain search for the whole text."""
    found = []
    if one.lifted > one.demotion.topical:
        found.append(_KINDS[0] if one.still else _KINDS[1])
    if one.cut > one.demotion.topical:
        if one.left != "none":
            found.append(_KINDS[2])
        else:
            found.append(_KINDS[3] if one.cut <= one.demotion.topical + 3 else _KINDS[4])
    return found


def _ranks_figure(found: Sequence[Return]) -> Figure:
    ranks: Mapping[str, list[int]] = {
        "plain search": [one.demotion.topical for one in found],
        "auto": [one.demotion.ranked for one in found],
        "auto, constraint lifted": [one.lifted for one in found],
        "auto, clause cut out": [one.cut for one in found],
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
            panels={"auto": {label: _reached(values) for label, values in ranks.items()}},
            y_limits=(0.0, 1.0),
        ),
    )


def _reached(ranks: Sequence[int]) -> Curve:
    """Share of the ranks that are at most so deep."""
    table = np.array(ranks)[:, None] <= np.array(RANKS)
    found = bootstrap(table.astype(float))
    return Curve(
        x=tuple(map(float, RANKS)),
        y=tuple(one.mean for one in found),
        low=tuple(one.low for one in found),
        high=tuple(one.high for one in found),
    )


def _text(found: Sequence[Return]) -> tuple[str, ...]:
    lifted, _, cut = (_share([back(one) for one in found]) for back in _BACK.values())
    assert lifted is not None
    assert cut is not None
    verdict = "reached" if lifted.value >= AIM else "not reached"
    return (
        "Every hit carries its evidence. A passage that an exclusion moves down has a reason that "
        "names the constraint; with that constraint taken out, the passage should be back where "
        "plain search has it. What taken out means can be read in two ways, and both are measured.",
        f"The constraint lifted, the words kept: {lifted.value:.1%} of {len(found)} passages are "
        f"back at their plain topical rank or better (aim: {AIM:.0%}, {verdict}). The clause cut "
        f"out of the text: {cut.value:.1%} stand at least as high as in plain search for the whole "
        "text. The others stand lower in plain search for the shorter text as well, which auto "
        "gives unchanged: they stood high because the whole text names what they speak of.",
    )
