"""Where violating and satisfying passages stand in the lists of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import Dataset, Query, Result, bootstrap
from logic_retrievers.evaluation.metrics import FVR_DEPTH, recall_at_k, violation_at_k
from logic_retrievers.evaluation.result import estimate_all
from logic_retrievers.report.artefacts import Curve

Values: TypeAlias = npt.NDArray[np.float64]

DEPTHS = range(1, FVR_DEPTH + 1)


def labelled(dataset: Dataset, result: Result) -> Iterator[tuple[Query, list[str]]]:
    """The queries with violating documents, and their lists in the data set's own ids."""
    for query in dataset.queries:
        if query.violating and query.id in result.run:
            merged = {original: name for name, original in query.original_ids.items()}
            yield query, [merged.get(name, name) for name in result.run[query.id]]


def violation_curve(dataset: Dataset, result: Result, seed: int = 0) -> Curve:
    """V@k over k."""
    return _curve(dataset, result, lambda q, ids, k: violation_at_k(ids, q.violating, k), seed)


def recall_curve(dataset: Dataset, result: Result, seed: int = 0) -> Curve:
    """R@k over k, of the same queries."""
    return _curve(dataset, result, lambda q, ids, k: recall_at_k(ids, q.grades, k), seed)


def _curve(
    dataset: Dataset,
    result: Result,
    value: Callable[[Query, Sequence[str], int], float],
    seed: int,
) -> Curve:
    table, groups = [], []
    for query, ids in labelled(dataset, result):
        table.append([value(query, ids, k) for k in DEPTHS])
        groups.append(result.groups[query.id])
    found = bootstrap(table, groups, seed=seed)
    return Curve(
        x=tuple(map(float, DEPTHS)),
        y=tuple(one.mean for one in found),
        low=tuple(one.low for one in found),
        high=tuple(one.high for one in found),
    )


def violating_ranks(dataset: Dataset, result: Result) -> list[int]:
    """Rank of every violating document; one behind the list's end counts one rank after it."""
    return [
        ids.index(document) + 1 if document in ids else len(ids) + 1
        for query, ids in labelled(dataset, result)
        for document in sorted(query.violating)
    ]


def with_directions(dataset: Dataset, result: Result, seed: int = 0) -> Result:
    """The result with ExcluIR's own measures beside the others.

    ``dR@1`` and ``dMRR@10``: what the satisfying documents have over the violating ones.
    ``right_rank``: share of queries whose first satisfying document stands above the first
    violating one; where the list holds neither it is wrong.
    """
    found: dict[str, dict[str, float]] = {"dR@1": {}, "dMRR@10": {}, "right_rank": {}}
    for query, ids in labelled(dataset, result):
        if not query.grades:
            continue
        right, wrong = (_first(ids, labels) for labels in (query.satisfying, query.violating))
        first = ids[:1]
        found["dR@1"][query.id] = recall_at_k(first, query.grades, 1) - recall_at_k(
            first, query.violating, 1
        )
        found["dMRR@10"][query.id] = _reciprocal(right) - _reciprocal(wrong)
        found["right_rank"][query.id] = float(right < wrong)
    found = {name: values for name, values in found.items() if values}
    more = estimate_all(found, result.groups, seed=seed)
    return replace(
        result,
        estimates={**result.estimates, **more},
        per_query={**result.per_query, **found},
    )


def _first(ids: Sequence[str], labels: frozenset[str]) -> float:
    return next((rank for rank, name in enumerate(ids, start=1) if name in labels), np.inf)


def _reciprocal(rank: float) -> float:
    return 1 / rank if rank <= FVR_DEPTH else 0.0
