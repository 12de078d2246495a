"""Quarantine: set, find and remove the flag that hides a passage from retrieval."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.index.client_calls import batches, client_call
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.point_format import LOGIC, QUARANTINED, is_quarantined
from logic_retrievers.index.points import each_page, page, retrieve_by_passage_id
from logic_retrievers.types import Passage

POINTS_PER_CALL = 256


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
    """Remove the flag; return the ids of those that were hidden before.

    Payload and vectors are then as they were before :func:`hide`.
    """
    done: list[str] = []
    for batch in _batches(ids):
        hidden = yield from _found(collection, batch, hidden=True)
        yield from _delete_flags(collection, [record for _, record in hidden])
        done += [passage_id for passage_id, _ in hidden]
    return done


def _found(
    collection: Collection, ids: Sequence[str], *, hidden: bool
) -> Operation[list[tuple[str, models.Record]]]:
    """Get (passage id, point) of the passages that are hidden, or of those that are not."""
    pairs = yield from retrieve_by_passage_id(collection, ids)
    return [pair for pair in pairs if is_quarantined(pair[1].payload, collection.flags) == hidden]


def _delete_flags(collection: Collection, records: Sequence[models.Record]) -> Operation[None]:
    # delete only the flag's keys, so that nothing that others write is lost
    keys = collection.flags
    # a point of another store had no ``logic`` key before, so it has none afterwards
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
        yield from each_page(collection, unhide_page, _flagged(collection), size=POINTS_PER_CALL)


def quarantined_page(
    collection: Collection, offset: Any = None
) -> Operation[tuple[list[Passage], Any]]:
    """Read one page of the hidden passages, and the offset of the next page."""
    if not collection.filterable_flags:  # strict mode without the index, so nothing was hidden
        return [], None
    return (yield from page(collection, _flagged(collection), offset))


def _flagged(collection: Collection) -> models.Filter:
    match = models.MatchValue(value=True)
    return models.Filter(
        should=[models.FieldCondition(key=key, match=match) for key in collection.filterable_flags]
    )


def fingerprints(collection: Collection, ids: Sequence[str]) -> Operation[dict[str, str]]:
    """Map passage ids to the sha256 of their points: vectors, and payload without the flag."""
    hashes: dict[str, str] = {}
    for batch in _batches(ids):
        pairs = yield from retrieve_by_passage_id(collection, batch, vectors=True)
        hashes |= {passage_id: _fingerprint(collection, record) for passage_id, record in pairs}
    return hashes


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return batches(list(dict.fromkeys(ids)), POINTS_PER_CALL)


def _fingerprint(collection: Collection, record: models.Record) -> str:
    digest = hashlib.sha256()
    payload: Mapping[str, Any] = record.payload or {}
    for flag in collection.flags:
        payload = _without_key(payload, flag.split("."))
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
    # them, and so changes their last bits. Vectors of another text or encoder have other signs.
    coordinates = np.asarray([] if vector is None else vector)
    signs: npt.NDArray[np.int8] = np.sign(coordinates).astype(np.int8)
    return signs.tobytes()


def _without_key(payload: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Leave out the value at a path, and our own key if it is empty then."""
    first, *rest = path
    inner = payload.get(first)
    kept = {key: value for key, value in payload.items() if key != first}
    if rest and isinstance(inner, Mapping):
        remaining = _without_key(inner, rest)
        return {**kept, first: remaining} if remaining or first != LOGIC else kept
    return {**payload} if rest else kept
