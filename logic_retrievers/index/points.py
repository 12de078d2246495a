"""Count, get, page through, delete and hide passages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.checks import check_count
from logic_retrievers.effects import Operation
from logic_retrievers.errors import InputError
from logic_retrievers.index.client_calls import batches, by_id, client_call, retrieve, scroll
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.point_format import (
    LOGIC,
    NODE,
    QUARANTINED,
    SOURCE,
    TENANT,
    WRITTEN,
    is_quarantined,
    native_point_id,
    possible_point_ids,
    rewritten_node,
    stored_tenant,
)
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_ids

IDS_PER_CALL = 1024
SOURCES_PER_CALL = 512
IDS_PER_PAGE = 4096
FLAGS_PER_CALL = 256


def get(collection: Collection, ids: Sequence[str]) -> Operation[list[Passage]]:
    """Get the passages with these ids, in this order; ids that do not exist are skipped."""
    check_ids(ids)
    passages: dict[str, Passage] = {}
    for batch in batches(ids, IDS_PER_CALL):
        for passage_id, record in (yield from retrieve_by_passage_id(collection, batch)):
            passages[passage_id] = collection.passage(record)
    return [passages[passage_id] for passage_id in dict.fromkeys(ids) if passage_id in passages]


def fetch(collection: Collection, point_ids: Sequence[str]) -> Operation[dict[str, Passage]]:
    """Map point ids of a candidate pool to passages.

    Points that were deleted or hidden since the search are left out.
    """
    passages: dict[str, Passage] = {}
    for batch in batches(list(point_ids), IDS_PER_CALL):
        records = yield retrieve(collection.name, [native_point_id(point) for point in batch])
        for record in records:
            if not is_quarantined(record.payload, collection.hiding_flags):
                passages[str(record.id)] = collection.passage(record)
    return passages


def retrieve_by_passage_id(
    collection: Collection, ids: Sequence[str], *, vectors: bool | Sequence[str] = False
) -> Operation[list[tuple[str, models.Record]]]:
    """Get (passage id, point) for every point of these passages that the tenant may see.

    All points are read in one request, so they must fit into memory.
    """
    passage_of = {
        point: passage_id
        for passage_id in ids
        for point in possible_point_ids(passage_id, collection.tenant)
    }
    records = yield retrieve(collection.name, list(passage_of), vectors=vectors)
    return [
        (passage_of[record.id], record)
        for record in records
        if collection.tenant in (None, stored_tenant(record.payload))
    ]


def page(
    collection: Collection,
    user_filter: UserFilter = None,
    offset: str | int | None = None,
    size: int = 256,
) -> Operation[tuple[list[Passage], str | int | None]]:
    """Read one page of passages, in the order of their points, and the offset of the next page."""
    check_count("page_size", size)
    condition = collection.condition(user_filter)
    limit = collection.limits.results(size)
    records, following = yield scroll(collection.name, condition, limit=limit, offset=offset)
    return [collection.passage(record) for record in records], following


def delete(
    collection: Collection,
    ids: Sequence[str] | None = None,
    user_filter: UserFilter = None,
    source: str | None = None,
) -> Operation[int]:
    """Delete the passages that exactly one argument selects; return their number."""
    if (ids is not None) + (user_filter is not None) + (source is not None) != 1:
        raise InputError("Say what to delete by exactly one of ids=, filter= and source=.")
    if source is not None:
        if not isinstance(source, str):
            raise InputError(f"source is the name of a source, not {type(source).__name__}.")
        conditions = [_source_filter(collection, [source])]
    elif ids is None:
        condition = to_qdrant_filter(user_filter, prefixes=collection.prefixes)
        if condition is None or condition == models.Filter():
            raise InputError(
                "An empty filter would delete everything; drop the collection instead."
            )
        conditions = [to_qdrant_filter(condition, tenant=collection.tenant) or condition]
    else:
        check_ids(ids)
        tenant = collection.tenant
        points = [point for each in ids for point in possible_point_ids(each, tenant)]
        visible = to_qdrant_filter(tenant=tenant)
        most = collection.limits.ids(IDS_PER_CALL)
        conditions = [by_id(batch, visible) for batch in batches(points, most)]
    deleted = 0
    for condition in conditions:
        if matching := (yield from count_points(collection, condition)):
            selector = models.FilterSelector(filter=condition)
            yield client_call("delete", collection.name, points_selector=selector, wait=True)
        deleted += matching
    return deleted


def delete_stale(collection: Collection, sources: Mapping[str, Set[str]]) -> Operation[int]:
    """Delete the points of these sources except the given ones; return their number."""
    deleted = 0
    for batch in batches(list(sources), collection.limits.ids(SOURCES_PER_CALL)):
        staying = set().union(*(sources[source] for source in batch))
        condition = _source_filter(collection, list(batch))
        deleted += yield from delete_others(collection, staying, condition)
    return deleted


def delete_others(
    collection: Collection, staying: Container[str], condition: models.Filter | None = None
) -> Operation[int]:
    """Delete the points that meet a condition, except those with these ids; return their number."""
    others: list[models.ExtendedPointId] = []

    def note_others(records: Sequence[models.Record]) -> None:
        others.extend(record.id for record in records if str(record.id) not in staying)

    yield from each_page(collection, note_others, condition, size=IDS_PER_PAGE, payload=False)
    yield from delete_points(collection, others)
    return len(others)


def delete_points(
    collection: Collection, point_ids: Sequence[models.ExtendedPointId]
) -> Operation[None]:
    """Delete points by id."""
    for batch in batches(point_ids, IDS_PER_PAGE):
        yield client_call("delete", collection.name, points_selector=list(batch), wait=True)


def _source_filter(collection: Collection, sources: list[str]) -> models.Filter:
    """Match the passages of these sources that belong to the collection's tenant.

    Without a tenant, match passages of no tenant: a tenant may have a source of the same name.
    """
    match = models.FieldCondition(key=SOURCE, match=models.MatchAny(any=sources))
    if collection.tenant is None:
        owner: models.Condition = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    else:
        owner = models.FieldCondition(key=TENANT, match=models.MatchValue(value=collection.tenant))
    return models.Filter(must=[match, owner])


def count_points(collection: Collection, condition: models.Filter | None) -> Operation[int]:
    """Count the points that meet a condition."""
    if collection.limits.search_allow_exact is not False:
        answer = yield client_call("count", collection.name, count_filter=condition, exact=True)
        return int(answer.count)
    # strict mode forbids exact counts, and an estimate is far off if there is a filter
    sizes: list[int] = []

    def note_size(records: Sequence[models.Record]) -> None:
        sizes.append(len(records))

    yield from each_page(collection, note_size, condition, size=IDS_PER_PAGE, payload=False)
    return sum(sizes)


def each_page(
    collection: Collection,
    visit: Callable[[Sequence[models.Record]], Operation[None] | None],
    condition: models.Filter | None = None,
    *,
    size: int,
    payload: bool = True,
    vectors: bool = False,
) -> Operation[None]:
    """Call a function on each non-empty page of the points that meet a condition.

    An operation that the function returns runs before the next page is read. Pages are not kept,
    because a collection may have millions of points.
    """
    limit, offset = collection.limits.results(size), None
    while True:
        records, offset = yield scroll(
            collection.name, condition, limit=limit, offset=offset, payload=payload, vectors=vectors
        )
        if records and (operation := visit(records)) is not None:
            yield from operation
        if offset is None:
            return


def hide(collection: Collection, ids: Sequence[str]) -> Operation[list[str]]:
    """Hide passages; return the ids of those that were active before.

    A batch is one request, so an interruption leaves no passage half hidden.
    """
    done: list[str] = []
    for batch in _batches(ids):
        active = yield from _found(collection, batch, hidden=False)
        if active:
            points = [record.id for _, record in active]
            flag = {QUARANTINED.removeprefix(f"{LOGIC}."): True}
            yield client_call(
                "set_payload", collection.name, payload=flag, key=LOGIC, points=points, wait=True
            )
        done += [passage_id for passage_id, _ in active]
    return done


def unhide(collection: Collection, ids: Sequence[str]) -> Operation[list[str]]:
    """Show passages again; return the ids of those that were hidden before.

    Payload and vectors are then as they were before :func:`hide`.
    """
    done: list[str] = []
    for batch in _batches(ids):
        hidden = yield from _found(collection, batch, hidden=True)
        yield from _delete_flags(collection, [record for _, record in hidden])
        done += [passage_id for passage_id, _ in hidden]
    return done


def write_field(
    collection: Collection, key: str, values: Mapping[str, Mapping[str, Any]]
) -> Operation[None]:
    """Replace one metadata field of passages; the rest of their points stays as it is.

    ``values``: passage id -> ``{key: value}``, or an empty mapping to remove the field.
    """
    for batch in _batches(list(values)):
        for passage_id, record in (yield from retrieve_by_passage_id(collection, batch)):
            wanted, payload = values[passage_id], record.payload or {}
            node = rewritten_node(payload, key, wanted)
            home = "" if NODE in payload else collection.keys.metadata
            where = {"points": [record.id], "wait": True}
            if wanted:
                part = {**wanted, **node}
                yield client_call(
                    "set_payload", collection.name, payload=part, key=home or None, **where
                )
                continue
            path = f"{home}.{key}" if home else key
            yield client_call("delete_payload", collection.name, keys=[path], **where)
            if node:
                yield client_call("set_payload", collection.name, payload=node, **where)


def _found(
    collection: Collection, ids: Sequence[str], *, hidden: bool
) -> Operation[list[tuple[str, models.Record]]]:
    """Get (passage id, point) of the hidden passages, or of the active ones if not ``hidden``."""
    pairs = yield from retrieve_by_passage_id(collection, ids)
    return [pair for pair in pairs if is_quarantined(pair[1].payload, collection.flags) == hidden]


def _delete_flags(collection: Collection, records: Sequence[models.Record]) -> Operation[None]:
    # delete only the flag's keys, so that no write by others is lost
    keys = collection.flags
    # other stores' points had no ``logic`` key before, so they have none afterwards
    only_flag = [r.id for r in records if (r.payload or {}).get(LOGIC) == {"quarantined": True}]
    others = [record.id for record in records if record.id not in only_flag]
    for points, deleted_keys in ((only_flag, [LOGIC, *keys[1:]]), (others, list(keys))):
        if points:
            yield client_call(
                "delete_payload", collection.name, keys=deleted_keys, points=points, wait=True
            )


def unhide_points(collection: Collection, point_ids: Container[str]) -> Operation[None]:
    """Remove the flag from the hidden points that have one of these ids."""

    def unhide_page(records: Sequence[models.Record]) -> Operation[None]:
        hidden = [record for record in records if str(record.id) in point_ids]
        yield from _delete_flags(collection, hidden)

    if collection.filterable_flags:
        yield from each_page(collection, unhide_page, _flagged(collection), size=FLAGS_PER_CALL)


def quarantined_page(
    collection: Collection, offset: Any = None
) -> Operation[tuple[list[Passage], Any]]:
    """Read one page of the hidden passages, and the offset of the next page."""
    if not collection.filterable_flags:  # strict mode without the index, so nothing can be hidden
        return [], None
    return (yield from page(collection, _flagged(collection), offset))


def _flagged(collection: Collection) -> models.Filter:
    match = models.MatchValue(value=True)
    return models.Filter(
        should=[models.FieldCondition(key=key, match=match) for key in collection.filterable_flags]
    )


def fingerprints(collection: Collection, ids: Sequence[str]) -> Operation[dict[str, str]]:
    """Map passage ids to the sha256 of their points: vectors, and payload without flag and time."""
    hashes: dict[str, str] = {}
    for batch in _batches(ids):
        pairs = yield from retrieve_by_passage_id(collection, batch, vectors=True)
        hashes |= {passage_id: _fingerprint(collection, record) for passage_id, record in pairs}
    return hashes


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return batches(list(dict.fromkeys(ids)), FLAGS_PER_CALL)


def _fingerprint(collection: Collection, record: models.Record) -> str:
    digest = hashlib.sha256()
    payload: Mapping[str, Any] = record.payload or {}
    for path in (*collection.flags, WRITTEN):
        payload = _without_key(payload, path.split("."))
    digest.update(json.dumps(payload, sort_keys=True, separators=(",", ":")).encode())
    vectors = record.vector if isinstance(record.vector, Mapping) else {"": record.vector}
    for name in sorted(vectors):
        digest.update(name.encode() + b"\0")
        digest.update(_vector_bytes(vectors[name]))
    return digest.hexdigest()


def _vector_bytes(vector: Any) -> bytes:
    if isinstance(vector, models.SparseVector):
        order = np.argsort(vector.indices)
        return (
            np.asarray(vector.indices, dtype=np.uint32)[order].tobytes()
            + np.asarray(vector.values, dtype=np.float32)[order].tobytes()
        )
    # Only signs are hashed, because embedded mode scales vectors to length 1 whenever it loads
    # them, and so changes their last bits. The signs differ for a different text or encoder.
    coordinates = np.asarray([] if vector is None else vector)
    signs: npt.NDArray[np.int8] = np.sign(coordinates).astype(np.int8)
    return signs.tobytes()


def _without_key(payload: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Drop the value at a path, and our own key if that empties it."""
    first, *rest = path
    inner = payload.get(first)
    kept = {key: value for key, value in payload.items() if key != first}
    if rest and isinstance(inner, Mapping):
        remaining = _without_key(inner, rest)
        return {**kept, first: remaining} if remaining or first != LOGIC else kept
    return {**payload} if rest else kept
