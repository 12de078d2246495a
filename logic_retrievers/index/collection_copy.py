"""Copies of a collection: elsewhere as it is, or beside it with further vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from qdrant_client import models

from logic_retrievers.effects import (
    ClientCall,
    Compute,
    EffectHandler,
    Operation,
    UserCall,
    arun,
    run,
)
from logic_retrievers.errors import CollectionError, CollectionNotFoundError
from logic_retrievers.index.collection import Collection, StoredVector, StrictLimits
from logic_retrievers.index.collection_metadata import by_stored_name, updated_metadata
from logic_retrievers.index.points import count_points
from logic_retrievers.index.requests import client_call, retrieve, scroll, upserts
from logic_retrievers.index.schema import vector_params
from logic_retrievers.index.strict_limits import within
from logic_retrievers.progress import ProgressCallback, ProgressMeter

PAGE_SIZE = 256
T = TypeVar("T")


def copy(
    collection: Collection, target: str, at: EffectHandler, progress: ProgressCallback | None = None
) -> Operation[int]:
    """Copies every point as it is into a new collection somewhere else, or goes on with that.

    Args:
        collection: what to copy.
        target: name of the copy.
        at: the connection to the place of the copy.
        progress: called after each batch; what an earlier call copied counts as done.

    Returns:
        How many points were copied in this call.

    Raises:
        CollectionError: the copy has another number of points in the end.
    """
    copied = yield from copy_points(collection, target, {}, None, at=at, progress=progress)
    counted = []
    for name, handler in ((collection.name, None), (target, at)):
        counted.append((yield from _on(handler, client_call("count", name, exact=True))).count)
    if counted[0] != counted[1]:
        raise CollectionError(
            f"{collection.name!r} has {counted[0]} points and its copy {target!r} {counted[1]}:"
            " somebody writes to one of them. Stop that and copy again, or into another name."
        )
    return copied


def copy_points(
    collection: Collection,
    target: str,
    missing: Mapping[str, StoredVector],
    encode: Callable[[Sequence[models.Record]], list[dict[str, Any]]] | None,
    *,
    at: EffectHandler | None = None,
    progress: ProgressCallback | None,
) -> Operation[int]:
    """Copies every point with the new vectors added; points that were copied before stay.

    Until the last point is copied, the copy's metadata says that its new vectors are incomplete, so
    that they cannot be searched.

    Returns:
        How many points were copied in this call.
    """
    info = yield from _create_copy(collection, missing, target, at)
    limits = StrictLimits.read(info.config.strict_mode_config)
    meter = ProgressMeter(progress, (yield from count_points(collection, None)))
    read = copied = 0
    offset = None
    while True:
        records, offset = yield scroll(
            collection.name, limit=PAGE_SIZE, offset=offset, vectors=True
        )
        absent = yield from _absent_points(target, records, at)
        if absent:
            vectors: list[dict[str, Any]] = [{}] * len(absent)
            if encode is not None:
                vectors = yield Compute(partial(encode, absent))
            points = [
                models.PointStruct(
                    id=record.id,
                    payload=record.payload,
                    vector={**by_stored_name(record.vector), **new},
                )
                for record, new in zip(absent, vectors, strict=True)
            ]
            for call in upserts(target, points):
                yield from _perform(at, within(limits, _call(call)))
            copied += len(absent)
        read += len(records)
        meter.report(read)
        if offset is None:
            break
    done = {name: replace(vector, incomplete=False) for name, vector in missing.items()}
    metadata = updated_metadata(collection, done)
    yield from _on(at, client_call("update_collection", target, metadata=metadata))
    return copied


def _create_copy(
    collection: Collection,
    missing: Mapping[str, StoredVector],
    target: str,
    at: EffectHandler | None,
) -> Operation[models.CollectionInfo]:
    """Creates an empty collection configured like the original, unless it exists; describes it."""
    describe = client_call("get_collection", target)
    created: models.CollectionInfo
    try:
        created = yield from _on(at, describe)
        return created
    except CollectionNotFoundError:
        pass
    info = yield client_call("get_collection", collection.name)
    params = info.config.params
    dense, sparse = vector_params(missing)
    create = client_call(
        "create_collection",
        target,
        vectors_config={**by_stored_name(params.vectors), **dense},
        sparse_vectors_config={**(params.sparse_vectors or {}), **sparse} or None,
        metadata=updated_metadata(collection, missing),
        **copied_options(info),
    )
    yield from _on(at, create)
    yield from copy_payload_indexes(info, target, at)
    created = yield from _on(at, describe)
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


def copy_payload_indexes(
    info: models.CollectionInfo, target: str, at: EffectHandler | None = None
) -> Operation[None]:
    """Makes the payload indexes that the original has."""
    for key, index in (info.payload_schema or {}).items():
        create = client_call(
            "create_payload_index",
            target,
            field_name=key,
            field_schema=index.params or index.data_type,
            wait=True,
        )
        yield from _on(at, create)


def _absent_points(
    target: str, records: Sequence[models.Record], at: EffectHandler | None
) -> Operation[list[models.Record]]:
    if not records:
        return []
    ids = [record.id for record in records]
    copied = yield from _on(at, retrieve(target, ids, payload=False))
    present = {record.id for record in copied}
    return [record for record in records if record.id not in present]


def _on(handler: EffectHandler | None, effect: ClientCall) -> Operation[Any]:
    """The result of a client call, elsewhere where a handler is given."""
    return _perform(handler, _call(effect))


def _perform(handler: EffectHandler | None, operation: Operation[T]) -> Operation[T]:
    if handler is None:
        return (yield from operation)
    result: T = yield UserCall(partial(run, operation, handler), partial(arun, operation, handler))
    return result


def _call(effect: ClientCall) -> Operation[Any]:
    return (yield effect)
