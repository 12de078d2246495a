"""Builders of Qdrant requests: pure, so that what goes over the wire is tested without a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.index.ids import to_native

T = TypeVar("T")
QueryVector: TypeAlias = npt.NDArray[Any] | models.SparseVector

_RESCORED = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True))


def nearest(
    query: QueryVector,
    stored: str,
    depth: int,
    condition: models.Filter | None,
    *,
    embedded: bool,
) -> models.QueryRequest:
    """A leaf search: the nearest points on one named vector, ids and scores only."""
    return models.QueryRequest(
        query=_query(query),
        using=stored or None,
        filter=condition,
        limit=depth,
        with_payload=False,
        # scores are compared with exact ones of the second phase, so never leave them quantised
        params=None if embedded else _RESCORED,
    )


def scores_of(
    query: QueryVector,
    stored: str,
    point_ids: Sequence[str],
    condition: models.Filter | None,
    params: models.SearchParams | None,
) -> models.QueryRequest:
    """The exact score of every given point on one named vector."""
    return models.QueryRequest(
        query=_query(query),
        using=stored or None,
        filter=_among(point_ids, condition),
        limit=len(point_ids),
        with_payload=False,
        params=params,
    )


def one_request_union(
    leaves: Sequence[tuple[QueryVector, str, int]],
    weights: Sequence[float],
    limit: int,
    condition: models.Filter | None,
    params: models.SearchParams | None,
) -> models.QueryRequest:
    """CoDeR-Union without its filter (equations 9 to 11) as one request.

    The pool is the union of all leaf searches (eq. 9); each leaf ranks the whole pool exactly; RRF
    with k = 1 scores ``weight / rank`` (eq. 10 and 11). Ranks are per shard, ties are random.

    Args:
        leaves: (query vector, stored vector name, depth) of each leaf.
        weights: one a leaf.
        limit: length of the list.
        condition: on every leaf search.
        params: of the exact ranking.
    """
    pool = [
        models.Prefetch(query=_query(query), using=stored or None, filter=condition, limit=depth)
        for query, stored, depth in leaves
        if depth > 0
    ]
    size = sum(depth for _, _, depth in leaves)
    return models.QueryRequest(
        prefetch=[
            models.Prefetch(
                prefetch=pool, query=_query(query), using=stored or None, limit=size, params=params
            )
            for query, stored, _ in leaves
        ],
        query=models.RrfQuery(rrf=models.Rrf(k=1, weights=list(weights))),
        limit=limit,
        with_payload=False,
    )


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Consecutive slices of at most ``size``."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _query(query: QueryVector) -> models.NearestQuery:
    if isinstance(query, models.SparseVector):
        return models.NearestQuery(nearest=query)
    return models.NearestQuery(nearest=np.asarray(query, dtype=np.float32).tolist())


def _among(point_ids: Sequence[str], condition: models.Filter | None) -> models.Filter:
    has_id = models.HasIdCondition(has_id=[to_native(point) for point in point_ids])
    return models.Filter(must=[has_id] if condition is None else [has_id, condition])
