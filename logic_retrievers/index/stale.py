"""Passages that a source once had and has no more."""

from __future__ import annotations

from collections.abc import Mapping, Set

from qdrant_client import models

from logic_retrievers.index.payloads import SOURCE, TENANT
from logic_retrievers.index.requests import batches
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure

SOURCES_A_CALL = 512
POINTS_A_CALL = 4096


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
    removed = 0
    for some in batches(list(sources), SOURCES_A_CALL):
        keep = set().union(*(sources[source] for source in some))
        stale: list[str] = []
        offset = None
        while True:
            points, offset = yield Call(
                "scroll",
                {
                    "collection_name": collection.name,
                    "scroll_filter": of_sources(collection, list(some)),
                    "limit": POINTS_A_CALL,
                    "offset": offset,
                    "with_payload": False,
                    "with_vectors": False,
                },
            )
            stale += [point.id for point in points if str(point.id) not in keep]
            if offset is None:
                break
        for group in batches(stale, POINTS_A_CALL):
            yield Call(
                "delete",
                {
                    "collection_name": collection.name,
                    "points_selector": models.PointIdsList(points=list(group)),
                    "wait": True,
                },
            )
        removed += len(stale)
    return removed
