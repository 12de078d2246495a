"""Copy a collection to another place, point by point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import Compute, EffectHandler, Operation, run
from logic_retrievers.errors import (
    CollectionError,
    CollectionMismatchError,
    FingerprintMismatchError,
)
from logic_retrievers.index.client_calls import (
    client_call,
    create_index,
    retrieve,
    scroll,
    upserts,
)
from logic_retrievers.index.collection import Collection, Notes, by_stored_name, read_notes
from logic_retrievers.index.opening import get_info
from logic_retrievers.index.points import count_points, each_page
from logic_retrievers.index.schema import options_of, read_options
from logic_retrievers.index.strict_limits import StrictLimits
from logic_retrievers.progress import ProgressCallback, ProgressMeter

PAGE_SIZE = 256


def copy(
    collection: Collection,
    target: str,
    at: EffectHandler,
    progress: ProgressCallback | None,
    *,
    options: bool,
) -> Operation[int]:
    """Copy every point unchanged into a collection elsewhere; return the number copied.

    See :meth:`PassageIndex.copy_to`. ``options``: create the copy with the original's options.
    """

    def elsewhere(operation: Operation[Any]) -> Compute:
        return Compute(partial(run, operation, at))

    info = yield client_call("get_collection", collection.name)
    notes = collection.notes({})
    created = yield elsewhere(_open_copy(info, target, notes, options))
    limits = StrictLimits.read(created.config.strict_mode_config)
    there = replace(collection, name=target, limits=limits)
    meter = ProgressMeter(progress, (yield from count_points(collection, None)))
    read = copied = 0

    def copy_page(records: Sequence[models.Record]) -> Operation[None]:
        nonlocal read, copied
        copied += yield elsewhere(_write_changed(there, records))
        read += len(records)
        meter.report(read)

    yield from each_page(collection, copy_page, size=PAGE_SIZE, vectors=True)
    points = yield from count_points(collection, None)
    copies = yield elsewhere(count_points(there, None))
    if points != copies:
        raise CollectionError(
            f"{collection.name!r} has {points} points and its copy {target!r} {copies}: one of them"
            " was written to since the copy began. Copy into another name."
        )
    return copied


def _open_copy(
    info: models.CollectionInfo, target: str, notes: Notes, options: bool
) -> Operation[models.CollectionInfo]:
    """Create the copy, or compare an existing one with the original; return its description."""
    created = yield from get_info(target)
    if created is None:
        params, kept = info.config.params, read_options(options_of(info.config))
        kept.pop("on_disk", None)  # it is in the vectors' parameters
        if not options:
            int8 = kept.get("quantization_config")
            int8 = int8 if isinstance(int8, models.ScalarQuantization) else None
            kept = {"quantization_config": int8}
        yield client_call(
            "create_collection",
            target,
            vectors_config=by_stored_name(params.vectors),
            sparse_vectors_config=params.sparse_vectors,
            metadata=notes.metadata,
            **kept,
        )
        created = yield client_call("get_collection", target)
    else:
        yield from _check_copy(info, target, created, notes)
    yield from copy_payload_indexes(info, target, created)
    return created


def _check_copy(
    info: models.CollectionInfo, target: str, created: models.CollectionInfo, wanted: Notes
) -> Operation[None]:
    noted = read_notes(target, created)
    by_hand = noted is None
    if noted is None:
        points, _ = yield scroll(target, limit=1, payload=False)
        noted = None if points else wanted  # the maker of the points is unknown
    for name, vector in noted.vectors.items() if noted else ():
        known = wanted.vectors.get(name, vector)
        if known.fingerprint != vector.fingerprint:
            raise FingerprintMismatchError(
                f"Vector {name!r} of collection {target!r} was made by another encoder than the"
                " original's. Nothing was written: copy into another name."
            )
    if noted != wanted or _shape(created) != _shape(info):
        raise CollectionMismatchError(
            f"Collection {target!r} has other vectors or payload keys than the original, or another"
            " store filled it. Nothing was written: copy into another name."
        )
    if by_hand:
        yield client_call("update_collection", target, metadata=wanted.metadata)


def _shape(info: models.CollectionInfo) -> dict[str, Any]:
    """Map the stored name of each vector to its size and distance, or its modifier."""
    dense, sparse = info.config.params.vectors, info.config.params.sparse_vectors or {}
    shapes: dict[str, Any] = {name: params.modifier for name, params in sparse.items()}
    return shapes | {n: (one.size, one.distance) for n, one in by_stored_name(dense).items()}


def copy_payload_indexes(
    info: models.CollectionInfo, target: str, created: models.CollectionInfo
) -> Operation[None]:
    """Make the payload indexes that the original has and the copy lacks."""
    for key, index in (info.payload_schema or {}).items():
        if key not in (created.payload_schema or {}):
            yield create_index(target, key, index.params or index.data_type)


def _write_changed(there: Collection, records: Sequence[models.Record]) -> Operation[int]:
    """Write the points that are missing or different in the copy; return their number."""
    found = yield retrieve(there.name, [record.id for record in records])
    stored = {record.id: record.payload or {} for record in found}
    # Payloads hold the hash of the content, the flag and the tenant. Points of other stores have no
    # hash, so payloads are compared as a whole.
    points = [
        models.PointStruct(
            id=record.id, payload=record.payload, vector=by_stored_name(record.vector)
        )
        for record in records
        if stored.get(record.id) != (record.payload or {})
    ]
    yield from upserts(there.name, points, there.limits.upsert_max_batchsize)
    return len(points)
