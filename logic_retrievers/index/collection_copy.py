"""A copy of a collection elsewhere, point by point as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import EffectHandler, Operation, UserCall, arun, run
from logic_retrievers.errors import CollectionError, CollectionNotFoundError
from logic_retrievers.index.collection import Collection, StrictLimits
from logic_retrievers.index.collection_metadata import by_stored_name, updated_metadata
from logic_retrievers.index.points import count_points
from logic_retrievers.index.requests import client_call, create_index, retrieve, scroll, upserts
from logic_retrievers.progress import ProgressCallback, ProgressMeter

PAGE_SIZE = 256


def copy(
    collection: Collection, target: str, at: EffectHandler, progress: ProgressCallback | None
) -> Operation[int]:
    """Copies every point as it is into a new collection at another place, or goes on with that.

    See :meth:`PassageIndex.copy_to`.
    """
    info = yield client_call("get_collection", collection.name)
    metadata = updated_metadata(collection, {})
    created = yield _elsewhere(at, _create_copy(info, target, metadata))
    limits = StrictLimits.read(created.config.strict_mode_config)
    meter = ProgressMeter(progress, (yield from count_points(collection, None)))
    read, limit, offset = 0, collection.limits.results(PAGE_SIZE), None
    copied: int = 0
    while True:
        records, offset = yield scroll(collection.name, limit=limit, offset=offset, vectors=True)
        copied += yield _elsewhere(at, _write_absent(target, limits, records))
        read += len(records)
        meter.report(read)
        if offset is None:
            break
    points = yield from _count(collection.name)
    copies = yield _elsewhere(at, _finish(target, metadata))
    if points != copies:
        raise CollectionError(
            f"{collection.name!r} has {points} points and its copy {target!r} {copies}:"
            " somebody writes to one of them. Stop that and copy again, or into another name."
        )
    return copied


def _elsewhere(at: EffectHandler, operation: Operation[Any]) -> UserCall:
    """An operation that the connection of another place performs."""
    return UserCall(partial(run, operation, at), partial(arun, operation, at))


def _create_copy(
    info: models.CollectionInfo, target: str, metadata: Mapping[str, Any]
) -> Operation[models.CollectionInfo]:
    """Creates an empty collection configured like the original, unless it exists; describes it."""
    created: models.CollectionInfo
    try:
        created = yield client_call("get_collection", target)
    except CollectionNotFoundError:
        params = info.config.params
        yield client_call(
            "create_collection",
            target,
            vectors_config=by_stored_name(params.vectors),
            sparse_vectors_config=params.sparse_vectors,
            metadata=metadata,
            **copied_options(info),
        )
        yield from copy_payload_indexes(info, target)
        created = yield client_call("get_collection", target)
    return created


def copied_options(info: models.CollectionInfo) -> dict[str, Any]:
    """Arguments of ``create_collection`` for a copy that is kept like the original."""
    params = info.config.params
    return {
        "shard_number": params.shard_number or None,  # over gRPC 0 where it is not said
        "replication_factor": params.replication_factor or None,
        "write_consistency_factor": params.write_consistency_factor or None,
        "on_disk_payload": params.on_disk_payload,
        "quantization_config": info.config.quantization_config,
    }


def copy_payload_indexes(info: models.CollectionInfo, target: str) -> Operation[None]:
    """Makes the payload indexes that the original has."""
    for key, index in (info.payload_schema or {}).items():
        yield create_index(target, key, index.params or index.data_type)


def _write_absent(
    target: str, limits: StrictLimits, records: Sequence[models.Record]
) -> Operation[int]:
    """Writes those of the points that the copy lacks; returns how many."""
    if not records:
        return 0
    found = yield retrieve(target, [record.id for record in records], payload=False)
    present = {record.id for record in found}
    points = [
        models.PointStruct(
            id=record.id, payload=record.payload, vector=by_stored_name(record.vector)
        )
        for record in records
        if record.id not in present
    ]
    yield from upserts(target, points, limits.upsert_max_batchsize)
    return len(points)


def _finish(target: str, metadata: Mapping[str, Any]) -> Operation[int]:
    """Describes a copy that was there before as well; returns how many points it has."""
    yield client_call("update_collection", target, metadata=metadata)
    return (yield from _count(target))


def _count(name: str) -> Operation[int]:
    return int((yield client_call("count", name, exact=True)).count)
