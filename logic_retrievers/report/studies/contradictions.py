"""Contradiction retrieval after SparseCL: nDCG@10 of cosine + alpha * sparsity against cosine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.settings import VECTORS, settings_for
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.contradictions import (
    HIGHEST,
    Candidates,
    candidates_of,
    crossed_ndcg,
    find_alpha,
    ndcg,
)
from logic_retrievers.report.artefacts import Cell, Row, Section, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.contradiction_pools import (
    Asked,
    arguana_pool,
    conflictqa_parts,
    conflictqa_pool,
    found_by,
)
from logic_retrievers.report.significance import corrected, paired_p
from logic_retrievers.report.studies import sparsecl_published as published
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.studies.contradiction_figures import alpha_figure, margins
from logic_retrievers.report.studies.sparsity import sparsity_artefacts
from logic_retrievers.report.workbench import ROLES, Workbench
from logic_retrievers.scoring import MEASURES, Sparsity

Values = npt.NDArray[np.float64]

BASELINE = "cosine"
NAMES: Mapping[Sparsity, str] = {"hoyer": "Hoyer", "l2_l1": "l2/l1", "kappa4": "kappa4"}
CONTRASTIVE = "contrastive-cosine"
COPIES = (0, 1, 2, 3)
COLUMNS = ("scored by", "alpha", "nDCG@10", "gain over cosine")
BETTER: Mapping[str, Literal["higher"]] = {"gain over cosine": "higher"}


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way of scoring: its weight of the sparsity, and nDCG@10 of each query."""

    alpha: Cell
    values: Values


def _run(bench: Workbench) -> Section:
    parts = conflictqa_parts()
    asked = {part: conflictqa_pool(parts, part) for part in ("dev", "test")}
    bench.say("ConflictQA, ways of scoring")
    found = {part: found_by(bench.encoder, one.pool) for part, one in asked.items()}
    alpha = settings_for(bench.encoder.specs).alpha
    more = {copies: conflictqa_pool(parts, "test", copies) for copies in COPIES if copies}
    bench.say("ConflictQA, paraphrases in the pool")
    pools = {0: found["test"]} | {
        copies: found_by(bench.encoder, one.pool) for copies, one in more.items()
    }
    bench.say("ArguAna, and pairs by kind")
    return Section(
        name="contradictions",
        title="Contradiction retrieval (SparseCL)",
        text=(
            "Who, among all texts, says the contrary? F = cosine + alpha * Hoyer sparsity of the "
            "difference of two vectors whose space was trained so that what contradicts differs "
            "in few coordinates (Xu et al. 2024).",
        ),
        artefacts=(
            _ways_table(bench, asked, found, alpha),
            _paraphrase_table(pools, asked["test"].groups, alpha, bench.seed),
            _arguana_table(bench, alpha),
            alpha_figure(found, {p: one.groups for p, one in asked.items()}, alpha, bench.seed),
            *margins(found["test"], asked["test"].groups, alpha, bench.seed),
            *sparsity_artefacts(bench, parts["test"]),
        ),
    )


def _ways_table(
    bench: Workbench,
    asked: Mapping[str, Asked],
    found: Mapping[str, Sequence[Candidates]],
    shipped: float,
) -> Table:
    topical, own = (
        {
            part: bench.encoder.encode_documents(list(one.pool.texts), [name])[name]
            for part, one in asked.items()
        }
        for name in VECTORS
    )
    plain = ndcg(found["test"], 0)
    ways = {BASELINE: Way(None, plain)}
    contrastive = bench.trained(CONTRASTIVE)
    if contrastive is not None:
        ways["cosine, contrastively trained"] = Way(None, _cosine(contrastive, asked["test"]))
    for space, label in ((topical, ", untrained"), (own, "")):
        for measure in MEASURES:
            both = found
            if measure != "hoyer" or label:
                both = {
                    part: candidates_of(one.pool, topical[part], space[part], measure)
                    for part, one in asked.items()
                }
            alpha = find_alpha(both["dev"], highest=HIGHEST[measure])
            values = ndcg(both["test"], alpha)
            ways[f"+ {NAMES[measure]}{label}"] = Way(round(alpha, 2), values)
    ways["+ Hoyer, alpha of the bundle"] = Way(shipped, ndcg(found["test"], shipped))
    return Table(
        name="contradiction-retrieval",
        title="Contradiction retrieval, ConflictQA test",
        columns=COLUMNS,
        rows=(
            *ways_rows(ways, asked["test"].groups, bench.seed),
            *(() if contrastive is not None else (_absent(),)),
            *published.retrieval_rows(("MSMARCO", "HotpotQA")),
        ),
        baseline=BASELINE,
        notes=(
            f"{len(plain):,} passages are queries; right are those of the other side of the same "
            f"question, and all {len(asked['test'].pool.texts):,} passages of all parts are "
            "candidates, the query's near-paraphrases among them. alpha is found on the dev part "
            "by the paper's search from coarse to fine. Intervals and p by question.",
            "One head, trained for Hoyer, is judged by all three measures; untrained is the "
            "topical vector itself.",
        ),
        better=BETTER,
    )


def _paraphrase_table(
    pools: Mapping[int, Sequence[Candidates]], groups: Sequence[str], alpha: float, seed: int
) -> Table:
    plain = {copies: ndcg(found, 0) for copies, found in pools.items()}
    ours = {copies: ndcg(found, alpha) for copies, found in pools.items()}
    apart = [ours[copies] - plain[copies] for copies in pools]
    ps = corrected([paired_p(one, groups, seed) for one in apart])
    heads = tuple(f"{n} paraphrase{'s' * (n != 1)}" for n in pools)
    estimates = [
        bootstrap(np.column_stack([plain[n], ours[n], gain]), groups, seed=seed)
        for n, gain in zip(pools, apart, strict=True)
    ]
    rows = (
        Row(cells=(BASELINE, *(shown(one[0]) for one in estimates))),
        Row(
            cells=(
                "cosine + alpha * Hoyer",
                *(shown(one[1], p) for one, p in zip(estimates, ps, strict=True)),
            )
        ),
        Row(cells=("gain", *(shown(one[2]) for one in estimates))),
        *published.paraphrase_rows(len(heads)),
    )
    return Table(
        name="contradiction-paraphrases",
        title="nDCG@10 with paraphrases of every test passage in the pool, ConflictQA test",
        columns=("scored by", *heads),
        rows=rows,
        baseline=BASELINE,
        notes=(
            "Paraphrases are made by rule (order, dropped clauses, active for passive) and stand "
            "on the side of their original: those of the query's own side confuse, those of the "
            "other side contradict it and are right. The paper's are made by a language model, of "
            f"the query alone. alpha {alpha:g}, of the bundle.",
        ),
        better=dict.fromkeys(heads, "higher"),
    )


def _arguana_table(bench: Workbench, alpha: float) -> Table:
    asked = arguana_pool()
    found = found_by(bench.encoder, asked.pool)
    crossed, alphas = crossed_ndcg(found)
    told = " and ".join(f"{one:.2f}" for one in alphas)
    ways = {
        BASELINE: Way(None, ndcg(found, 0)),
        "+ Hoyer, alpha of ConflictQA": Way(alpha, ndcg(found, alpha)),
        "+ Hoyer, alpha of the other half": Way(told, crossed),
    }
    return Table(
        name="contradiction-arguana",
        title="Counter-arguments, ArguAna dev",
        columns=COLUMNS,
        rows=(
            *ways_rows(ways, asked.groups, bench.seed),
            *published.retrieval_rows(("ArguAna",)),
            *published.sparsity_rows(),
        ),
        baseline=BASELINE,
        notes=(
            f"{len(found)} queries among {len(asked.pool.texts):,} texts. The head has not seen "
            "arguments. alpha belongs to a collection: found on half of the queries, it is "
            "measured on the other.",
        ),
        better=BETTER,
    )


def ways_rows(ways: Mapping[str, Way], groups: Sequence[str], seed: int) -> list[Row]:
    """A row for each way, each but the first with its gain over the first and a corrected p."""
    first, *others = ways
    plain = ways[first].values
    ps = corrected([paired_p(ways[one].values - plain, groups, seed) for one in others])
    rows = []
    for (label, way), p in zip(ways.items(), [None, *ps], strict=True):
        own, gain = bootstrap(np.column_stack([way.values, way.values - plain]), groups, seed=seed)
        told = None if label == first else shown(gain, p)
        rows.append(Row(cells=(label, way.alpha, shown(own, p), told)))
    return rows


def _cosine(encoder: Encoder, asked: Asked) -> Values:
    rows = encoder.encode_documents(list(asked.pool.texts), ["topical"])["topical"]
    return ndcg(candidates_of(asked.pool, rows, rows), 0)


def _absent() -> Row:
    return Row(
        cells=("cosine, contrastively trained", None, None, None),
        origin="absent",
        note=f"no model for the role {CONTRASTIVE!r}; made by {ROLES[CONTRASTIVE]}",
    )


STUDY = Study(
    name="contradictions",
    title="Contradiction retrieval (SparseCL)",
    data=("conflictqa_strategyqa", "arguana_dev"),
    run=_run,
    models=(CONTRASTIVE,),
)
