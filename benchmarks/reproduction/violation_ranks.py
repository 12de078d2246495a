"""Ranks of violating and satisfying passages in the lists of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.reproduction.artefacts import Curve
from benchmarks.reproduction.table_cells import estimates_curve
from logic_retrievers.evaluation import Dataset, EvaluationResult, Query, bootstrap
from logic_retrievers.evaluation.metrics import FVR_DEPTH, recall_at_k, violation_at_k
from logic_retrievers.evaluation.result import estimate_metrics

Values: TypeAlias = npt.NDArray[np.float64]

DEPTHS = range(1, FVR_DEPTH + 1)


def labelled_lists(dataset: Dataset, result: EvaluationResult) -> Iterator[tuple[Query, list[str]]]:
    """Queries with violating documents, and their lists."""
    for query in dataset.queries:
        if query.violating and query.id in result.run:
            yield query, list(result.run[query.id])


def violation_curve(dataset: Dataset, result: EvaluationResult, seed: int = 0) -> Curve:
    """V@k over k."""
    return _curve(dataset, result, lambda q, ids, k: violation_at_k(ids, q.violating, k), seed)


def recall_curve(dataset: Dataset, result: EvaluationResult, seed: int = 0) -> Curve:
    """R@k over k, over the queries with violating documents."""
    return _curve(dataset, result, lambda q, ids, k: recall_at_k(ids, q.grades, k), seed)


def _curve(
    dataset: Dataset,
    result: EvaluationResult,
    value: Callable[[Query, Sequence[str], int], float],
    seed: int,
) -> Curve:
    table, groups = [], []
    for query, ids in labelled_lists(dataset, result):
        table.append([value(query, ids, k) for k in DEPTHS])
        groups.append(result.groups[query.id])
    return estimates_curve(DEPTHS, bootstrap(table, groups, seed=seed))


def violating_ranks(dataset: Dataset, result: EvaluationResult) -> list[int]:
    """Rank of every violating document; missing ones get the length of the list + 1."""
    return [
        ids.index(document) + 1 if document in ids else len(ids) + 1
        for query, ids in labelled_lists(dataset, result)
        for document in sorted(query.violating)
    ]


def add_pair_measures(
    dataset: Dataset, result: EvaluationResult, seed: int = 0
) -> EvaluationResult:
    """The result with the additional measures of ExcluIR.

    ``dR@1`` and ``dMRR@10``: satisfying documents minus violating ones. ``right_rank``: share of
    queries with the first satisfying document above the first violating one; 0 for a list
    without both.
    """
    measures: dict[str, dict[str, float]] = {"dR@1": {}, "dMRR@10": {}, "right_rank": {}}
    for query, ids in labelled_lists(dataset, result):
        if not query.grades:
            continue
        right, wrong = (_first(ids, labels) for labels in (query.satisfying, query.violating))
        first = ids[:1]
        measures["dR@1"][query.id] = recall_at_k(first, query.grades, 1) - recall_at_k(
            first, query.violating, 1
        )
        measures["dMRR@10"][query.id] = _reciprocal(right) - _reciprocal(wrong)
        measures["right_rank"][query.id] = float(right < wrong)
    measures = {name: values for name, values in measures.items() if values}
    more = estimate_metrics(measures, result.groups, seed=seed)
    return replace(
        result,
        estimates={**result.estimates, **more},
        per_query={**result.per_query, **measures},
    )


def _first(ids: Sequence[str], labels: frozenset[str]) -> float:
    return next((rank for rank, name in enumerate(ids, start=1) if name in labels), np.inf)


def _reciprocal(rank: float) -> float:
    return 1 / rank if rank <= FVR_DEPTH else 0.0
