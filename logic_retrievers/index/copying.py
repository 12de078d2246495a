"""A copy of a collection with further named vectors: where a server cannot add them in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import CollectionNotFoundError
from logic_retrievers.index.filling import PAGE, vectors_for
from logic_retrievers.index.payloads import Keys
from logic_retrievers.index.schema import Collection, StoredVector, described, new_params
from logic_retrievers.index.writes import Progress
from logic_retrievers.procedures import Call, Procedure, Work


def copy_into(
    collection: Collection,
    encoder: Encoder,
    lacking: Mapping[str, StoredVector],
    target: str,
    progress: Progress | None,
) -> Procedure[int]:
    """Copies every point as it is, with the new vectors; points that are there already stay.

    Until the last point is there the copy says that its new vectors are being filled, so that they
    cannot be searched.

    Returns:
        How many points were copied in this call.
    """
    yield from _make(collection, lacking, target)
    copied = 0
    offset = None
    while True:
        points, offset = yield Call(
            "scroll",
            {
                "collection_name": collection.name,
                "limit": PAGE,
                "offset": offset,
                "with_payload": True,
                "with_vectors": True,
            },
        )
        absent = yield from _absent(target, points)
        if absent:
            made = yield Work(partial(_points, absent, encoder, lacking, collection.keys))
            yield Call("upsert", {"collection_name": target, "points": made, "wait": True})
            copied += len(absent)
            if progress is not None:
                progress(copied)
        if offset is None:
            break
    done = {name: replace(vector, filling=False) for name, vector in lacking.items()}
    yield Call(
        "update_collection", {"collection_name": target, "metadata": described(collection, done)}
    )
    return copied


def _make(
    collection: Collection, lacking: Mapping[str, StoredVector], target: str
) -> Procedure[None]:
    """The empty copy, configured as the original is; left alone where it is already there."""
    try:
        yield Call("get_collection", {"collection_name": target})
        return
    except CollectionNotFoundError:
        pass
    info = yield Call("get_collection", {"collection_name": collection.name})
    params = info.config.params
    dense, sparse = new_params(lacking)
    old = params.vectors or {}
    old = {"": old} if isinstance(old, models.VectorParams) else old
    yield Call(
        "create_collection",
        {
            "collection_name": target,
            "vectors_config": {**old, **dense},
            "sparse_vectors_config": {**(params.sparse_vectors or {}), **sparse} or None,
            "shard_number": params.shard_number,
            "replication_factor": params.replication_factor,
            "write_consistency_factor": params.write_consistency_factor,
            "on_disk_payload": params.on_disk_payload,
            "quantization_config": info.config.quantization_config,
            "metadata": described(collection, lacking),
        },
    )
    for key, index in (info.payload_schema or {}).items():
        yield Call(
            "create_payload_index",
            {
                "collection_name": target,
                "field_name": key,
                "field_schema": index.params or index.data_type,
                "wait": True,
            },
        )


def _absent(target: str, points: Sequence[models.Record]) -> Procedure[list[models.Record]]:
    if not points:
        return []
    there = yield Call(
        "retrieve",
        {
            "collection_name": target,
            "ids": [point.id for point in points],
            "with_payload": False,
            "with_vectors": False,
        },
    )
    known = {point.id for point in there}
    return [point for point in points if point.id not in known]


def _points(
    points: Sequence[models.Record],
    encoder: Encoder,
    lacking: Mapping[str, StoredVector],
    keys: Keys,
) -> list[models.PointStruct]:
    new = vectors_for(points, encoder, lacking, keys)
    return [
        models.PointStruct(
            id=point.id, payload=point.payload, vector={**_named(point.vector), **more}
        )
        for point, more in zip(points, new, strict=True)
    ]


def _named(vector: Any) -> dict[str, Any]:
    if vector is None:
        return {}
    return dict(vector) if isinstance(vector, Mapping) else {"": vector}
