"""A copy of a collection elsewhere, point by point as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import EffectHandler, Operation, UserCall, arun, run
from logic_retrievers.errors import (
    CollectionError,
    CollectionMismatchError,
    CollectionNotFoundError,
    FingerprintMismatchError,
)
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.collection_metadata import (
    by_stored_name,
    own_metadata,
    updated_metadata,
)
from logic_retrievers.index.collection_options import CollectionOptions
from logic_retrievers.index.point_format import LOGIC
from logic_retrievers.index.points import count_points
from logic_retrievers.index.requests import client_call, create_index, retrieve, scroll, upserts
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
    """Copies every point as it is into a new collection at another place, or goes on with that.

    See :meth:`PassageIndex.copy_to`.

    Args:
        collection: the original.
        target: name of the copy.
        at: performs the calls at the other place.
        progress: called after each batch.
        options: whether both places are servers, so that the copy is kept like the original.
    """
    info = yield client_call("get_collection", collection.name)
    metadata = updated_metadata(collection, {})
    created = yield _elsewhere(at, _open_copy(info, target, metadata, options))
    limits = StrictLimits.read(created.config.strict_mode_config)
    there = replace(collection, name=target, limits=limits)
    meter = ProgressMeter(progress, (yield from count_points(collection, None)))
    read, limit, offset = 0, collection.limits.results(PAGE_SIZE), None
    copied: int = 0
    while True:
        records, offset = yield scroll(collection.name, limit=limit, offset=offset, vectors=True)
        copied += yield _elsewhere(at, _write_changed(there, records))
        read += len(records)
        meter.report(read)
        if offset is None:
            break
    points = yield from count_points(collection, None)
    copies = yield _elsewhere(at, count_points(there, None))
    if points != copies:
        raise CollectionError(
            f"{collection.name!r} has {points} points and its copy {target!r} {copies}: one of them"
            " was written to since the copy began. Copy into another name."
        )
    return copied


def _elsewhere(at: EffectHandler, operation: Operation[Any]) -> UserCall:
    """An operation that the connection of another place performs."""
    return UserCall(partial(run, operation, at), partial(arun, operation, at))


def _open_copy(
    info: models.CollectionInfo, target: str, metadata: Mapping[str, Any], options: bool
) -> Operation[models.CollectionInfo]:
    """Describes the copy; made like the original, or compared with it, before any point is written.

    Raises:
        FingerprintMismatchError, CollectionMismatchError: points of the original cannot be there.
    """
    created: models.CollectionInfo
    try:
        created = yield client_call("get_collection", target)
    except CollectionNotFoundError:
        params, quantization = info.config.params, info.config.quantization_config
        dense = by_stored_name(params.vectors)
        int8 = quantization if isinstance(quantization, models.ScalarQuantization) else None
        kept: dict[str, Any] = {"quantization_config": int8}
        if options:
            kept = CollectionOptions.of(info.config).creation_arguments(dense)
        yield client_call(
            "create_collection",
            target,
            sparse_vectors_config=params.sparse_vectors,
            metadata=metadata,
            **{"vectors_config": dense, **kept},
        )
        created = yield client_call("get_collection", target)
    else:
        yield from _check_copy(info, target, created, metadata)
    yield from copy_payload_indexes(info, target, created)
    return created


def _check_copy(
    info: models.CollectionInfo,
    target: str,
    created: models.CollectionInfo,
    metadata: Mapping[str, Any],
) -> Operation[None]:
    wanted, noted = metadata[LOGIC], own_metadata(created)
    if not noted:  # made by hand; whoever filled it is unknown
        points, _ = yield scroll(target, limit=1, payload=False)
        noted = {} if points else wanted
    for name in wanted["vectors"].keys() & noted.get("vectors", {}).keys():
        if wanted["vectors"][name]["fingerprint"] != noted["vectors"][name]["fingerprint"]:
            raise FingerprintMismatchError(
                f"Vector {name!r} of collection {target!r} was made by another encoder than the"
                " original's. Nothing was written: copy into another name."
            )
    layout = ("vectors", "prefixes", "keys", "flags")
    if _shape(created) != _shape(info) or any(wanted.get(k) != noted.get(k) for k in layout):
        raise CollectionMismatchError(
            f"Collection {target!r} has other vectors or payload keys than the original, or another"
            " store filled it. Nothing was written: copy into another name."
        )
    if not own_metadata(created):
        yield client_call("update_collection", target, metadata=metadata)


def _shape(info: models.CollectionInfo) -> dict[str, Any]:
    """Stored name of each vector -> what its points must have."""
    dense, sparse = info.config.params.vectors, info.config.params.sparse_vectors or {}
    shapes: dict[str, Any] = {name: params.modifier for name, params in sparse.items()}
    return shapes | {
        n: (params.size, params.distance) for n, params in by_stored_name(dense).items()
    }


def copy_payload_indexes(
    info: models.CollectionInfo, target: str, created: models.CollectionInfo
) -> Operation[None]:
    """Makes the payload indexes that the original has and the copy lacks."""
    for key, index in (info.payload_schema or {}).items():
        if key not in (created.payload_schema or {}):
            yield create_index(target, key, index.params or index.data_type)


def _write_changed(there: Collection, records: Sequence[models.Record]) -> Operation[int]:
    """Writes those of the points that the copy lacks or has otherwise; returns how many.

    Payloads are compared, which hold the hash of the content, the flag and the tenant: so another
    store's points are, too, which have no hash.
    """
    if not records:
        return 0
    found = yield retrieve(there.name, [record.id for record in records])
    stored = {record.id: record.payload or {} for record in found}
    points = [
        models.PointStruct(
            id=record.id, payload=record.payload, vector=by_stored_name(record.vector)
        )
        for record in records
        if stored.get(record.id) != (record.payload or {})
    ]
    yield from upserts(there.name, points, there.limits.upsert_max_batchsize)
    return len(points)
