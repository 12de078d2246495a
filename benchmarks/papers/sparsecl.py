"""Contradiction retrieval (SparseCL): nDCG@10 of cosine + alpha * sparsity against cosine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from logic_export.contradiction_retrieval import (
    MAX_ALPHA,
    ScoredCandidates,
    crossed_ndcg,
    find_alpha,
    ndcg,
    nearest_candidates,
)

from benchmarks.papers.published import measure_rows, paraphrase_rows, retrieval_rows
from benchmarks.papers.sparsecl_figures import alpha_figure, margin_artefacts, sparsity_artefacts
from benchmarks.papers.sparsecl_pools import (
    LabelledPool,
    arguana_pool,
    conflictqa_parts,
    conflictqa_pool,
    find_candidates,
)
from benchmarks.report.artefacts import Cell, Row, Section, Table
from benchmarks.report.cells import absent_row, estimate_cell
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.conflicts.settings import VECTORS, merge_constants
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap
from logic_retrievers.scoring import MEASURES, Sparsity

Values = npt.NDArray[np.float64]

BASELINE = "cosine"
NAMES: Mapping[Sparsity, str] = {"hoyer": "Hoyer", "l2_l1": "l2/l1", "kappa4": "kappa4"}
CONTRASTIVE = "contrastive-cosine"
CONTRASTIVE_LABEL = "cosine, contrastively trained"
COPIES = (0, 1, 2, 3)
COLUMNS = ("scored by", "alpha", "nDCG@10", "gain over cosine")
BETTER: Mapping[str, Literal["higher"]] = {"gain over cosine": "higher"}


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """A way of scoring: weight of the sparsity, and nDCG@10 of each query."""

    alpha: Cell
    values: Values


def _run(bench: Workbench) -> Section:
    parts = conflictqa_parts()
    pools = {part: conflictqa_pool(parts, part) for part in ("dev", "test")}
    groups = {part: labelled.groups for part, labelled in pools.items()}
    bench.log("ConflictQA, ways of scoring")
    candidates = {
        part: find_candidates(bench.encoder, labelled.pool) for part, labelled in pools.items()
    }
    alpha = merge_constants(bench.encoder.specs).alpha
    bench.log("ConflictQA, paraphrases in the pool")
    with_copies = {0: candidates["test"]} | {
        copies: find_candidates(bench.encoder, conflictqa_pool(parts, "test", copies).pool)
        for copies in COPIES
        if copies
    }
    bench.log("ArguAna, and pairs by kind")
    return Section(
        name=STUDY.name,
        title=STUDY.title,
        text=(
            "Which of all texts says the contrary? F = cosine + alpha * Hoyer sparsity of the "
            "difference of two vectors whose space was trained so that what contradicts differs "
            "in few coordinates (Xu et al. 2024).",
        ),
        artefacts=(
            _scorings_table(bench, pools, candidates, alpha),
            _paraphrase_table(with_copies, groups["test"], alpha, bench.seed),
            _arguana_table(bench, alpha),
            alpha_figure(candidates, groups, alpha, bench.seed),
            *margin_artefacts(candidates["test"], groups["test"], alpha, bench.seed),
            *sparsity_artefacts(bench, parts["test"]),
        ),
    )


def _scorings_table(
    bench: Workbench,
    pools: Mapping[str, LabelledPool],
    candidates: Mapping[str, Sequence[ScoredCandidates]],
    shipped: float,
) -> Table:
    topical, own = (
        {
            part: bench.encoder.encode_documents(list(labelled.pool.texts), [name])[name]
            for part, labelled in pools.items()
        }
        for name in VECTORS
    )
    test, plain = pools["test"], ndcg(candidates["test"], 0)
    scorings = {BASELINE: Scoring(None, plain)}
    contrastive = bench.trained(CONTRASTIVE)
    if contrastive is not None:
        rows = contrastive.encode_documents(list(test.pool.texts), ["topical"])["topical"]
        values = ndcg(nearest_candidates(test.pool, rows, rows), 0)
        scorings[CONTRASTIVE_LABEL] = Scoring(None, values)
    for space, label in ((topical, ", untrained"), (own, "")):
        for measure in MEASURES:
            both = candidates
            if measure != "hoyer" or label:
                both = {
                    part: nearest_candidates(labelled.pool, topical[part], space[part], measure)
                    for part, labelled in pools.items()
                }
            alpha = find_alpha(both["dev"], highest=MAX_ALPHA[measure])
            values = ndcg(both["test"], alpha)
            scorings[f"+ {NAMES[measure]}{label}"] = Scoring(round(alpha, 2), values)
    scorings["+ Hoyer, alpha of the bundle"] = Scoring(shipped, ndcg(candidates["test"], shipped))
    return Table(
        name="contradiction-retrieval",
        title="Contradiction retrieval, ConflictQA test",
        columns=COLUMNS,
        rows=(
            *scoring_rows(scorings, test.groups, bench.seed),
            *(() if contrastive is not None else (absent_row(CONTRASTIVE_LABEL, CONTRASTIVE, 3),)),
            *retrieval_rows(("MSMARCO", "HotpotQA")),
        ),
        baseline=BASELINE,
        notes=(
            f"{len(plain):,} passages are queries; right are those of the other side of the same "
            f"question, and all {len(test.pool.texts):,} passages of all parts are candidates, the "
            "query's near-paraphrases among them. alpha is found on the dev part by the paper's "
            "search from coarse to fine. Intervals and p by question.",
            "One head, trained for Hoyer, is judged by all three measures; untrained is the "
            "topical vector itself.",
        ),
        better=BETTER,
    )


def _paraphrase_table(
    pools: Mapping[int, Sequence[ScoredCandidates]], groups: Sequence[str], alpha: float, seed: int
) -> Table:
    values = {n: (ndcg(pool, 0), ndcg(pool, alpha)) for n, pool in pools.items()}
    gains = [sparse - plain for plain, sparse in values.values()]
    ps = holm([paired_bootstrap(gain, groups, seed=seed)[0].p for gain in gains])
    estimates = [
        bootstrap(np.column_stack([plain, sparse, gain]), groups, seed=seed)
        for (plain, sparse), gain in zip(values.values(), gains, strict=True)
    ]
    plain, sparse, gain = zip(*estimates, strict=True)
    score_cells = (estimate_cell(value, p) for value, p in zip(sparse, ps, strict=True))
    heads = tuple(f"{n} paraphrase{'s' * (n != 1)}" for n in pools)
    return Table(
        name="contradiction-paraphrases",
        title="nDCG@10 with paraphrases of every test passage in the pool, ConflictQA test",
        columns=("scored by", *heads),
        rows=(
            Row(cells=(BASELINE, *map(estimate_cell, plain))),
            Row(cells=("cosine + alpha * Hoyer", *score_cells)),
            Row(cells=("gain", *map(estimate_cell, gain))),
            *paraphrase_rows(),
        ),
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
    labelled = arguana_pool()
    candidates = find_candidates(bench.encoder, labelled.pool)
    crossed, alphas = crossed_ndcg(candidates)
    both_alphas = " and ".join(f"{value:.2f}" for value in alphas)
    scorings = {
        BASELINE: Scoring(None, ndcg(candidates, 0)),
        "+ Hoyer, alpha of ConflictQA": Scoring(alpha, ndcg(candidates, alpha)),
        "+ Hoyer, alpha of the other half": Scoring(both_alphas, crossed),
    }
    return Table(
        name="contradiction-arguana",
        title="Counter-arguments, ArguAna dev",
        columns=COLUMNS,
        rows=(
            *scoring_rows(scorings, labelled.groups, bench.seed),
            *retrieval_rows(("ArguAna",)),
            *measure_rows(),
        ),
        baseline=BASELINE,
        notes=(
            f"{len(candidates)} queries among {len(labelled.pool.texts):,} texts. The head has not "
            "seen arguments. alpha belongs to a collection: found on half of the queries, it is "
            "measured on the other.",
        ),
        better=BETTER,
    )


def scoring_rows(scorings: Mapping[str, Scoring], groups: Sequence[str], seed: int) -> list[Row]:
    """Make one row per scoring; later rows show the gain over the first, with corrected p."""
    first, *others = scorings
    plain = scorings[first].values
    ps = holm(
        [
            paired_bootstrap(scorings[other].values - plain, groups, seed=seed)[0].p
            for other in others
        ]
    )
    rows = []
    for (label, scoring), p in zip(scorings.items(), [None, *ps], strict=True):
        columns = np.column_stack([scoring.values, scoring.values - plain])
        own, gain = bootstrap(columns, groups, seed=seed)
        gain_cell = None if label == first else estimate_cell(gain, p)
        rows.append(Row(cells=(label, scoring.alpha, estimate_cell(own, p), gain_cell)))
    return rows


STUDY = Study(
    name="contradictions",
    title="Contradiction retrieval (SparseCL)",
    data=("conflictqa_strategyqa", "arguana_dev"),
    run=_run,
    models=(CONTRASTIVE,),
)
