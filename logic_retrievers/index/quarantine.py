"""Passages hidden from retrieval: a flag goes on, is looked for, and comes off; nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.index.filters import compose, flags
from logic_retrievers.index.ids import candidate_ids
from logic_retrievers.index.payloads import (
    LOGIC,
    QUARANTINED,
    is_quarantined,
    tenant_of,
    to_passage,
)
from logic_retrievers.index.requests import batches
from logic_retrievers.index.schema import Collection
from logic_retrievers.procedures import Call, Procedure
from logic_retrievers.types import Passage

POINTS_A_CALL = 256


def hide(collection: Collection, ids: Sequence[str]) -> Procedure[list[str]]:
    """Quarantines passages; those that are hidden already, or not there, are left alone.

    One request a batch, so that what is cut off has hidden some and not others, and none by half.

    Returns:
        The ids of those that were active before.
    """
    done: list[str] = []
    for some in _batches(ids):
        found = yield from _records(collection, some)
        active = {
            point: one for point, (one, record) in found.items() if not _flagged(collection, record)
        }
        if active:
            yield Call(
                "set_payload",
                {
                    "collection_name": collection.name,
                    "payload": {QUARANTINED.removeprefix(f"{LOGIC}."): True},
                    "key": LOGIC,
                    "points": list(active),
                    "wait": True,
                },
            )
            done += active.values()
    return done


def unhide(collection: Collection, ids: Sequence[str]) -> Procedure[list[str]]:
    """Takes the flag off again: payload and vectors are then what they were before.

    Returns:
        The ids of those that were hidden before.
    """
    done: list[str] = []
    for some in _batches(ids):
        found = yield from _records(collection, some)
        hidden = {
            point: (one, record)
            for point, (one, record) in found.items()
            if _flagged(collection, record)
        }
        payloads = {point: record.payload or {} for point, (_, record) in hidden.items()}
        yield from (_rewritten if collection.embedded else _unset)(collection, payloads)
        done += [one for one, _ in hidden.values()]
    return done


def _rewritten(
    collection: Collection, payloads: Mapping[models.ExtendedPointId, Mapping[str, Any]]
) -> Procedure[None]:
    """In embedded mode: older versions of it delete no key within another. Nobody else writes."""
    for point, payload in payloads.items():
        yield Call(
            "overwrite_payload",
            {
                "collection_name": collection.name,
                "payload": _without_flags(payload, collection.prefixes),
                "points": [point],
                "wait": True,
            },
        )


def _unset(
    collection: Collection, payloads: Mapping[models.ExtendedPointId, Mapping[str, Any]]
) -> Procedure[None]:
    """On a server: the flag's key alone, so that nothing that others write is lost."""
    keys = collection.flags
    # a point of another store had no payload of ours, and is to have none again
    bare = [point for point, one in payloads.items() if one.get(LOGIC) == {"quarantined": True}]
    rest = [point for point in payloads if point not in bare]
    for points, gone in ((bare, [LOGIC, *keys[1:]]), (rest, list(keys))):
        if points:
            yield Call(
                "delete_payload",
                {
                    "collection_name": collection.name,
                    "keys": gone,
                    "points": points,
                    "wait": True,
                },
            )


def quarantined(
    collection: Collection, offset: Any = None, size: int = POINTS_A_CALL
) -> Procedure[tuple[list[Passage], Any]]:
    """One page of the hidden passages, in the order of their points, and where the next begins."""
    if not collection.findable:  # nobody hides a passage on a strict server without an index
        return [], None
    condition = compose(
        models.Filter(should=flags(collection.findable)),
        tenant=collection.tenant,
        prefixes=collection.prefixes,
    )
    points, following = yield Call(
        "scroll",
        {
            "collection_name": collection.name,
            "scroll_filter": condition,
            "limit": size,
            "offset": offset,
            "with_payload": True,
            "with_vectors": False,
        },
    )
    return [to_passage(point.id, point.payload, collection.keys) for point in points], following


def fingerprints(collection: Collection, ids: Sequence[str]) -> Procedure[dict[str, str]]:
    """sha256 of each stored point, payload and vectors, as it is without the flag.

    Of a dense vector the signs are taken: embedded mode scales vectors to length 1 again whenever
    it loads them or searches them in its own way, so that their last bits change by themselves.
    The vector of another text, or of another encoder, has other signs.
    """
    found: dict[str, str] = {}
    for some in _batches(ids):
        records = yield from _records(collection, some, vectors=True)
        found |= {one: _fingerprint(collection, record) for one, record in records.values()}
    return found


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return batches(list(dict.fromkeys(ids)), POINTS_A_CALL)


def _records(
    collection: Collection, ids: Sequence[str], *, vectors: bool = False
) -> Procedure[dict[models.ExtendedPointId, tuple[str, models.Record]]]:
    name_of = {point: one for one in ids for point in candidate_ids(one, collection.tenant)}
    records = yield Call(
        "retrieve",
        {
            "collection_name": collection.name,
            "ids": list(name_of),
            "with_payload": True,
            "with_vectors": vectors,
        },
    )
    return {
        record.id: (name_of[record.id], record)
        for record in records
        if collection.tenant in (None, tenant_of(record.payload))
    }


def _flagged(collection: Collection, record: models.Record) -> bool:
    return is_quarantined(record.payload, collection.prefixes)


def _fingerprint(collection: Collection, record: models.Record) -> str:
    digest = hashlib.sha256()
    payload = _without_flags(record.payload or {}, collection.prefixes)
    digest.update(json.dumps(payload, sort_keys=True, separators=(",", ":")).encode())
    vectors = record.vector if isinstance(record.vector, Mapping) else {"": record.vector}
    for name in sorted(vectors):
        digest.update(name.encode() + b"\0")
        digest.update(_bytes(vectors[name]))
    return digest.hexdigest()


def _bytes(vector: Any) -> bytes:
    if isinstance(vector, models.SparseVector):
        order = np.argsort(vector.indices)
        return (
            np.asarray(vector.indices, dtype=np.uint32)[order].tobytes()
            + np.asarray(vector.values, dtype=np.float32)[order].tobytes()
        )
    signs: npt.NDArray[np.int8] = np.sign(np.asarray([] if vector is None else vector)).astype(
        np.int8
    )
    return signs.tobytes()


def _without_flags(payload: Mapping[str, Any], prefixes: Sequence[str]) -> dict[str, Any]:
    plain = dict(payload)
    if isinstance(plain.get(LOGIC), Mapping):
        ours = {key: value for key, value in plain[LOGIC].items() if key != "quarantined"}
        plain = {key: value for key, value in plain.items() if key != LOGIC}
        if ours:
            plain[LOGIC] = ours
    for prefix in prefixes:
        if prefix and isinstance(plain.get(prefix), Mapping):
            plain[prefix] = _without_flags(plain[prefix], ())
    return plain
