"""``EdgeClient``: the methods of ``QdrantClient`` that an index calls, on the embedded engine."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import qdrant_edge as edge
from qdrant_client import models

from logic_retrievers.errors import OptimizationWarning, warn
from logic_retrievers.files import private_folder
from logic_retrievers.index.client_calls import ScoredPoints
from logic_retrievers.index.edge import translation
from logic_retrievers.index.edge.collection import (
    Description,
    EdgeCollection,
    has_description,
    new_shard_name,
    open_copy,
    open_folder,
    optimize,
    unindexed_points,
)
from logic_retrievers.index.edge.translation import engine_errors
from logic_retrievers.index.faults import EdgeError

_LOCAL_MODE_FILE = "meta.json"


class EdgeClient:
    """Collections in a folder, each open in one process at a time.

    Methods have the arguments and results of ``QdrantClient``'s methods; arguments that only
    servers use (``wait``) are ignored. All methods may be called from several threads.

    Args:
        location: a folder, created with the first collection and readable by its owner alone. None
            makes a temporary folder that is removed when the client is closed.
        timeout: seconds to wait for another process that has a collection open.
        read_only: refuse writes, and open copies of the collections in temporary folders.
    """

    def __init__(
        self, location: str | None = None, *, timeout: float = 30, read_only: bool = False
    ) -> None:
        self._durable = location is not None
        self._folder = Path(location or tempfile.mkdtemp(prefix="logic-retrievers-"))
        self._timeout = timeout
        self.read_only = read_only
        self._collections: dict[str, EdgeCollection] = {}
        # closes the collections also if the client is garbage-collected or the process ends
        temporary = None if self._durable else self._folder
        self._end = weakref.finalize(self, _end, self._collections, temporary, os.getpid())
        if self._folder.is_file():
            raise EdgeError(f"{location} is a file; name a folder")
        if (self._folder / _LOCAL_MODE_FILE).is_file():
            raise EdgeError(
                f"{location} holds qdrant-client's local mode. Index into another folder; or"
                " open this one with client=QdrantClient(path=...) and copy it with copy_to()"
            )
        self._lock = threading.RLock()
        self._closed = False
        self._process = os.getpid()

    def get_collection(self, collection_name: str) -> models.CollectionInfo:
        return self._open(collection_name).info()

    def get_collections(self) -> models.CollectionsResponse:
        folders = sorted(self._folder.iterdir()) if self._folder.is_dir() else []
        return models.CollectionsResponse(
            collections=[
                models.CollectionDescription(name=unquote(folder.name))
                for folder in folders
                if has_description(folder)
            ]
        )

    def create_collection(
        self,
        collection_name: str,
        vectors_config: Mapping[str, models.VectorParams],
        sparse_vectors_config: Mapping[str, models.SparseVectorParams] | None = None,
        metadata: Mapping[str, Any] | None = None,
        quantization_config: models.ScalarQuantization | None = None,
        **_: Any,
    ) -> None:
        self._check_process()
        with self._lock:
            folder = self.folder_of(collection_name)
            if has_description(folder):  # else open_folder might call it locked
                raise EdgeError(f"Collection {collection_name!r} exists already")
            private_folder(self._folder)
            private_folder(folder)
            params = models.CollectionParams(
                vectors=dict(vectors_config), sparse_vectors=dict(sparse_vectors_config or {})
            )
            new = Description(
                params=params,
                metadata=dict(metadata or {}),
                shard=new_shard_name(),
                quantization=quantization_config,
            )
            opened = open_folder(folder, self._timeout, new, durable=self._durable)
            self._collections[collection_name] = opened

    def update_collection(self, collection_name: str, metadata: Mapping[str, Any]) -> None:
        collection = self._open(collection_name)
        with collection.lock:  # else two threads could drop each other's changes
            collection.describe(metadata={**collection.description.metadata, **metadata})

    def create_vector_name(
        self, collection_name: str, vector_name: str, vector_name_config: Any
    ) -> None:
        self._open(collection_name).add_vector(vector_name, vector_name_config)

    def create_payload_index(
        self, collection_name: str, field_name: str, field_schema: Any, **_: Any
    ) -> None:
        params = translation.to_index_params(field_schema)
        self._write(collection_name, "create_field_index", field_name, params)

    def query_batch_points(
        self, collection_name: str, requests: Sequence[models.QueryRequest]
    ) -> list[ScoredPoints]:
        collection = self._open(collection_name)
        batch = edge.QueryBatchRequest(translation.to_queries(requests))
        with engine_errors():
            results = collection.shard.query_batch(batch)
        return translation.from_scored(results)

    def retrieve(
        self,
        collection_name: str,
        ids: Sequence[models.ExtendedPointId],
        with_payload: bool | list[str] = True,
        with_vectors: bool | list[str] = False,
    ) -> list[models.Record]:
        shard = self._open(collection_name).shard
        with engine_errors():
            records = shard.retrieve(list(ids), with_payload=with_payload, with_vector=with_vectors)
        return [translation.from_record(record) for record in records]

    def scroll(
        self,
        collection_name: str,
        scroll_filter: models.Filter | None = None,
        limit: int = 10,
        offset: models.ExtendedPointId | None = None,
        with_payload: bool | list[str] = True,
        with_vectors: bool | list[str] = False,
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        collection = self._open(collection_name)
        request = edge.ScrollRequest(
            offset=offset,
            limit=limit,
            filter=translation.to_filter(scroll_filter) if scroll_filter else None,
            with_payload=with_payload,
            with_vector=with_vectors,
        )
        with engine_errors():
            records, following = collection.shard.scroll(request)
        page = [translation.from_record(record) for record in records]
        return page, None if following is None else translation.from_id(following)

    def count(
        self, collection_name: str, count_filter: models.Filter | None = None, exact: bool = True
    ) -> models.CountResult:
        collection = self._open(collection_name)
        condition = translation.to_filter(count_filter) if count_filter else None
        request = edge.CountRequest(exact=exact, filter=condition)
        with engine_errors():
            return models.CountResult(count=collection.shard.count(request))

    def upsert(self, collection_name: str, points: Sequence[models.PointStruct], **_: Any) -> None:
        stored = [
            edge.Point(point.id, translation.to_vectors(point.vector), point.payload)  # type: ignore[arg-type]
            for point in points
        ]
        self._write(collection_name, "upsert_points", stored)

    def update_vectors(
        self, collection_name: str, points: Sequence[models.PointVectors], **_: Any
    ) -> None:
        vectors = [
            edge.PointVectors(point.id, translation.to_vectors(point.vector))  # type: ignore[arg-type]
            for point in points
        ]
        self._write(collection_name, "update_vectors", vectors)

    def delete_vectors(
        self,
        collection_name: str,
        vectors: Sequence[str],
        points: models.Filter | Sequence[models.ExtendedPointId],
        **_: Any,
    ) -> None:
        if isinstance(points, models.Filter):
            condition = translation.to_filter(points)
            self._write(collection_name, "delete_vectors_by_filter", condition, list(vectors))
        else:
            self._write(collection_name, "delete_vectors", list(points), list(vectors))

    def delete(self, collection_name: str, points_selector: Any, **_: Any) -> None:
        if isinstance(points_selector, list):
            self._write(collection_name, "delete_points", points_selector)
            return
        condition = translation.to_filter(points_selector.filter)
        self._write(collection_name, "delete_points_by_filter", condition)

    def set_payload(
        self,
        collection_name: str,
        payload: Mapping[str, Any],
        points: Sequence[models.ExtendedPointId],
        key: str | None = None,
        **_: Any,
    ) -> None:
        self._write(collection_name, "set_payload", list(points), dict(payload), key)

    def delete_payload(
        self,
        collection_name: str,
        keys: Sequence[str],
        points: Sequence[models.ExtendedPointId],
        **_: Any,
    ) -> None:
        self._write(collection_name, "delete_payload", list(points), list(keys))

    def unindexed_points(self, collection_name: str) -> int:
        return unindexed_points(self._open(collection_name))

    def optimize(self, collection_name: str, force: bool = False) -> bool:
        """Build HNSW (see :func:`collection.optimize`); unless forced, only warn of a failure."""
        try:
            return optimize(self._open(collection_name), force=force)
        except (EdgeError, OSError) as error:
            if force:
                raise
            stored = f"The passages of {collection_name!r} are stored, but not in an HNSW index"
            advice = "Searches compare them one by one until optimize() has run."
            warn(OptimizationWarning, f"{stored}: {error}. {advice}")
            return False

    def close(self) -> None:
        """Close all collections; safe to call twice."""
        if os.getpid() != self._process:
            return  # the engine's threads and files belong to the parent
        with self._lock:
            self._closed = True
            self._end()

    def folder_of(self, name: str) -> Path:
        """Return the folder of a collection, which need not exist."""
        return self._folder / quote(name, safe=" ").replace(".", "%2E")

    def _write(self, collection_name: str, operation: str, *arguments: Any) -> None:
        with engine_errors():
            update = getattr(edge.UpdateOperation, operation)(*arguments)
        points = len(arguments[0]) if isinstance(arguments[0], list) else 1
        self._open(collection_name).update(update, points)

    def _open(self, name: str) -> EdgeCollection:
        self._check_process()
        if name in self._collections:
            return self._collections[name]
        with self._lock:
            if self._closed:
                raise EdgeError("the index is closed")
            if name not in self._collections:
                folder = self.folder_of(name)
                if not has_description(folder):
                    raise EdgeError(f"Collection {name!r} not found")
                opening = open_copy if self.read_only else open_folder
                self._collections[name] = opening(folder, self._timeout)
            return self._collections[name]

    def _check_process(self) -> None:
        if os.getpid() != self._process:  # here the engine has no threads, so a call would hang
            raise EdgeError("the index was opened before a fork; open it in the new process")


def _end(collections: dict[str, EdgeCollection], temporary: Path | None, process: int) -> None:
    """Close the collections, but not at the end of a forked process."""
    if os.getpid() != process:
        return
    with ExitStack() as stack:
        if temporary is not None:
            stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        while collections:
            stack.callback(collections.popitem()[1].close)
