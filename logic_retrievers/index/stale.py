"""Passages that a source once had and has no more."""

from __future__ import annotations

from collections.abc import Mapping, Set

from qdrant_client import models

from logic_retrievers.index.payloads import SOURCE, TENANT, source_of, tenant_of
from logic_retrievers.index.requests import batches
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure

SOURCES_A_CALL = 512
POINTS_A_CALL = 4096
POINTS_A_WALK = 20_000


def of_sources(collection: Collection, sources: list[str]) -> models.Filter:
    """The passages of these sources that belong to the collection's tenant, or to nobody.

    Without a tenant the passages of tenants stay out: their sources may have the same names.
    """
    match = models.FieldCondition(key=SOURCE, match=models.MatchAny(any=sources))
    if collection.tenant is None:
        owner: models.Condition = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    else:
        owner = models.FieldCondition(key=TENANT, match=models.MatchValue(value=collection.tenant))
    return models.Filter(must=[match, owner])


def remove_stale(collection: Collection, sources: Mapping[str, Set[str]]) -> Procedure[int]:
    """Deletes what the collection holds of these sources beyond the given point ids.

    Args:
        collection: where from.
        sources: source -> ids of the points that stay.

    Returns:
        How many were deleted.
    """
    if not sources:
        return 0
    if collection.embedded:
        stale = yield from _stale_in_walk(collection, sources)
    else:
        stale = yield from _stale_by_filter(collection, sources)
    for group in batches(stale, POINTS_A_CALL):
        yield Call(
            "delete",
            {
                "collection_name": collection.name,
                "points_selector": models.PointIdsList(points=list(group)),
                "wait": True,
            },
        )
    return len(stale)


def _stale_by_filter(
    collection: Collection, sources: Mapping[str, Set[str]]
) -> Procedure[list[models.ExtendedPointId]]:
    stale: list[models.ExtendedPointId] = []
    for some in batches(list(sources), SOURCES_A_CALL):
        keep = set().union(*(sources[source] for source in some))
        points = yield from _points(collection, of_sources(collection, list(some)), POINTS_A_CALL)
        stale += [point.id for point in points if str(point.id) not in keep]
    return stale


def _stale_in_walk(
    collection: Collection, sources: Mapping[str, Set[str]]
) -> Procedure[list[models.ExtendedPointId]]:
    """Embedded mode walks every point for any filter, and slowly: one walk without is faster."""
    points = yield from _points(collection, None, POINTS_A_WALK)
    return [
        point.id
        for point in points
        if tenant_of(point.payload) == collection.tenant
        and str(point.id) not in sources.get(source_of(point.payload) or "", {str(point.id)})
    ]


def _points(
    collection: Collection, condition: models.Filter | None, size: int
) -> Procedure[list[models.Record]]:
    found: list[models.Record] = []
    offset = None
    while True:
        points, offset = yield Call(
            "scroll",
            {
                "collection_name": collection.name,
                "scroll_filter": condition,
                "limit": size,
                "offset": offset,
                "with_payload": [SOURCE, TENANT] if condition is None else False,
                "with_vectors": False,
            },
        )
        found += points
        if offset is None:
            return found
