"""Passages by id and by filter: count, get, walk through, delete."""

from __future__ import annotations

from collections.abc import Sequence

from qdrant_client import models

from logic_retrievers.errors import InputError
from logic_retrievers.index.exactness import exactly
from logic_retrievers.index.filters import UserFilter, compose
from logic_retrievers.index.ids import candidate_ids
from logic_retrievers.index.payloads import tenant_of, to_passage
from logic_retrievers.index.requests import batches
from logic_retrievers.index.schema import Collection
from logic_retrievers.index.stale import of_sources
from logic_retrievers.index.validation import check_ids
from logic_retrievers.procedures import Call, Procedure
from logic_retrievers.types import Passage

IDS_A_CALL = 1024


def count(collection: Collection, user_filter: UserFilter = None) -> Procedure[int]:
    """How many passages there are; about how many where strict mode forbids to count exactly."""
    condition = compose(user_filter, tenant=collection.tenant, prefixes=collection.prefixes)
    return (yield from _count(collection, condition))


def get(collection: Collection, ids: Sequence[str]) -> Procedure[list[Passage]]:
    """The passages of the given ids, in their order; those that are not there are left out."""
    check_ids(ids)
    found: dict[str, Passage] = {}
    for some in batches(ids, IDS_A_CALL):
        points = {
            str(point): one for one in some for point in candidate_ids(one, collection.tenant)
        }
        records = yield Call(
            "retrieve",
            {
                "collection_name": collection.name,
                "ids": _points_of(collection, some),
                "with_payload": True,
                "with_vectors": False,
            },
        )
        for record in records:
            if collection.tenant in (None, tenant_of(record.payload)):
                found[points[str(record.id)]] = to_passage(
                    record.id, record.payload, collection.keys
                )
    return [found[one] for one in dict.fromkeys(ids) if one in found]


def page(
    collection: Collection,
    user_filter: UserFilter = None,
    offset: str | int | None = None,
    size: int = 256,
) -> Procedure[tuple[list[Passage], str | int | None]]:
    """One page of all passages, in the order of their points, and where the next one begins."""
    points, following = yield Call(
        "scroll",
        {
            "collection_name": collection.name,
            "scroll_filter": compose(
                user_filter, tenant=collection.tenant, prefixes=collection.prefixes
            ),
            "limit": size,
            "offset": offset,
            "with_payload": True,
            "with_vectors": False,
        },
    )
    return [to_passage(point.id, point.payload, collection.keys) for point in points], following


def delete(
    collection: Collection,
    ids: Sequence[str] | None = None,
    user_filter: UserFilter = None,
    source: str | None = None,
) -> Procedure[int]:
    """Deletes passages by exactly one of the three; how many there were.

    Raises:
        InputError: none or several of the three, or a filter that rules nothing out.
    """
    if (ids is not None) + (user_filter is not None) + (source is not None) != 1:
        raise InputError("Say what to delete by exactly one of ids=, filter= and source=.")
    if source is not None:
        return (yield from _delete(collection, of_sources(collection, [source])))
    if ids is None:
        condition = compose(user_filter, prefixes=collection.prefixes)
        if condition is None or condition == models.Filter():
            raise InputError(
                "An empty filter would delete everything; drop the collection instead."
            )
        owned = compose(condition, tenant=collection.tenant) or condition
        return (yield from _delete(collection, owned))
    check_ids(ids)
    removed = 0
    for some in batches(ids, IDS_A_CALL):
        has_id = models.HasIdCondition(has_id=_points_of(collection, some))
        condition = compose(tenant=collection.tenant, extra=[has_id])
        if condition is not None:
            removed += yield from _delete(collection, condition)
    return removed


def _delete(collection: Collection, condition: models.Filter) -> Procedure[int]:
    there = yield from _count(collection, condition)
    if there:
        yield Call(
            "delete",
            {
                "collection_name": collection.name,
                "points_selector": models.FilterSelector(filter=condition),
                "wait": True,
            },
        )
    return there


def _count(collection: Collection, condition: models.Filter | None) -> Procedure[int]:
    def ask(exact: bool) -> Procedure[int]:
        answer = yield Call(
            "count",
            {"collection_name": collection.name, "count_filter": condition, "exact": exact},
        )
        return int(answer.count)

    return (yield from exactly(collection, ask))


def _points_of(collection: Collection, ids: Sequence[str]) -> list[models.ExtendedPointId]:
    return [point for one in ids for point in candidate_ids(one, collection.tenant)]
