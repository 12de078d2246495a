"""One embedded collection: its engine, its description on disk, and its payload indexes."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge
from pydantic import BaseModel, ConfigDict
from qdrant_client import models

from logic_retrievers.atomic_files import private_folder
from logic_retrievers.index.collection_metadata import by_stored_name
from logic_retrievers.index.edge.room import check_loading, check_room
from logic_retrievers.index.edge.translation import to_index_params
from logic_retrievers.index.faults import EdgeError, read_only_error

EXACT_LIMIT = 100_000
"""Points that are searched one by one; more get an HNSW index (:mod:`optimization`)."""
BYTES_PER_COORDINATE = 4
FLUSH_EVERY = 5_000
"""Written points after which the engine writes them to their place. Until then they take .5 KB each
in memory, and are written again at the opening after a crash (4 s for 40,000)."""
_FILE = "collection.json"


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raises :class:`EdgeError` where the engine fails; it raises bare exceptions, and panics."""
    try:
        yield
    except EdgeError:
        raise
    except BaseException as error:
        if type(error) is Exception or type(error).__name__ == "PanicException":
            raise EdgeError(str(error)) from error
        raise


def new_shard_name() -> str:
    """A name that no other process, alive or killed, writes to."""
    return f"shard-{uuid4().hex}"


class Description(BaseModel):
    """What ``collection.json`` says of a collection.

    Args:
        params: its vectors, as qdrant-client describes them.
        metadata: what this package noted of them.
        shard: the folder that holds the points, beside the file.
        quantization: of the dense vectors that have an HNSW index; None: they are stored alone.
        points: how many there were when it was last closed; None while it is being written to.
    """

    model_config = ConfigDict(frozen=True)

    params: models.CollectionParams
    metadata: dict[str, Any]
    shard: str
    quantization: models.ScalarQuantization | None = None
    points: int | None = None

    def write(self, folder: Path) -> None:
        """Replaces the file, so that a crash leaves the old one or the new one."""
        fresh = folder / f"{_FILE}.{self.shard}"
        fresh.touch(0o600)
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self.model_dump(mode="json"), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / _FILE)


def has_description(folder: Path) -> bool:
    """Whether there is a collection in a folder."""
    return (folder / _FILE).is_file()


def read_description(folder: Path) -> Description:
    """The description of the collection in a folder.

    Raises:
        EdgeError: there is none, or it is damaged.
    """
    try:
        return Description.model_validate(json.loads((folder / _FILE).read_text("utf-8")))
    except FileNotFoundError:
        raise EdgeError(f"Collection {folder.name!r} not found") from None
    except (ValueError, RecursionError) as error:
        raise EdgeError(f"{folder / _FILE} is damaged") from error


def create_collection(folder: Path, description: Description, *, durable: bool) -> None:
    """Creates an empty collection; what an interrupted attempt left is removed at its opening."""
    check_room(folder)
    shard = folder / description.shard
    private_folder(shard)  # which hides the engine's own files; they have the usual modes
    config = edge.EdgeConfig(
        vectors={
            name: edge.EdgeVectorParams(vector.size, _distance(vector))
            for name, vector in by_stored_name(description.params.vectors).items()
        },
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
            for name in description.params.sparse_vectors or {}
        },
        quantization_config=None
        if description.quantization is None
        else edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True),
        optimizers=_optimizers(description.params),
        wal_enabled=durable,
    )
    with engine_errors():
        edge.EdgeShard.create(str(shard), config).close()
    description.write(folder)


class EdgeCollection:
    """An opened collection.

    Searches may run beside each other and beside one writer; writers take ``lock``.

    Args:
        folder: that of the collection; no other process may write to it.
        description: as read from it.
        on_close: called when the engine is closed: gives the folder free.
        copy_of: the folder that ``folder`` is a copy of, which is only read.

    Raises:
        EdgeError: it is damaged.
        OSError: the disk has no room for what the engine reads of it, or writes again after a
            crash.
    """

    def __init__(
        self,
        folder: Path,
        description: Description,
        on_close: Callable[[], None],
        *,
        copy_of: Path | None = None,
    ) -> None:
        self.folder = folder
        self.description = description
        self.lock = threading.RLock()
        self._on_close = on_close
        self._copy_of = copy_of
        self._unflushed = 0
        for shard in folder.glob(f"shard-{'[0-9a-f]' * 32}"):
            if shard.name != description.shard:  # of an optimisation that was cut off, or is done
                shutil.rmtree(shard, ignore_errors=True)
        if description.points is None:
            check_room(folder)
        check_loading(folder / description.shard)
        with engine_errors():
            self.shard = edge.EdgeShard.load(str(folder / description.shard))
        try:
            if description.points not in (None, count := self.count()):
                raise EdgeError(
                    f"{copy_of or folder} is damaged: it holds {count} points, and"
                    f" {description.points} when it was closed. Put a copy of the folder back, or"
                    " index again into another"
                )
        except BaseException:
            self.shard.close()  # it writes then, so before the folder is given free
            raise

    def update(self, operation: Any, points: int = 1) -> None:
        """Applies a write to so many points.

        Raises:
            OSError: the disk is nearly full.
            StorageError: it was opened to read only.
        """
        self.check_writable()
        with self.lock:
            check_room(self.folder)
            if self.description.points is not None:
                self.describe(points=None)
            with engine_errors():
                self.shard.update(operation)
                self._unflushed += points
                if self._unflushed >= FLUSH_EVERY:
                    self.shard.flush()
                    self._unflushed = 0

    def describe(self, **changed: Any) -> None:
        """Changes the description."""
        self.check_writable()
        with self.lock:
            self.description = self.description.model_copy(update=changed)
            self.description.write(self.folder)

    def add_vector(self, name: str, config: Any) -> None:
        """Adds a named vector that no point has yet."""
        with self.lock:
            params = self.description.params.model_copy(deep=True)
            if isinstance(config, models.SparseVectorNameConfig):
                self.update(
                    edge.UpdateOperation.create_sparse_vector(name, modifier=edge.Modifier.Idf)
                )
                sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
                params.sparse_vectors = {**(params.sparse_vectors or {}), name: sparse}
            else:
                dense = models.VectorParams(size=config.dense.size, distance=config.dense.distance)
                self.update(
                    edge.UpdateOperation.create_dense_vector(name, dense.size, _distance(dense))
                )
                params.vectors = {**by_stored_name(params.vectors), name: dense}
            self.describe(params=params)

    def add_index(self, key: str, schema: Any) -> None:
        """Creates a payload index."""
        self.update(edge.UpdateOperation.create_field_index(key, to_index_params(schema)))

    def count(self) -> int:
        """How many points there are."""
        with engine_errors():
            return int(self.shard.count(edge.CountRequest(exact=True)))

    def info(self) -> models.CollectionInfo:
        """The collection as a server would describe it."""
        with engine_errors():
            info = self.shard.info()
        config = models.CollectionConfig.model_construct(
            params=self.description.params,
            metadata=self.description.metadata,
            quantization_config=self.description.quantization,
            strict_mode_config=None,
        )
        schema = {
            key: models.PayloadIndexInfo(
                data_type=models.PayloadSchemaType(str(index.data_type).rpartition(".")[2].lower()),
                points=index.points,
            )
            for key, index in info.payload_schema.items()
        }
        return models.CollectionInfo.model_construct(
            config=config,
            payload_schema=schema,
            points_count=info.points_count,
            indexed_vectors_count=info.indexed_vectors_count,
            segments_count=info.segments_count,
        )

    def close(self) -> None:
        """Writes everything to disk and gives the folder free."""
        with self.lock:
            try:
                if self.description.points is None and self._copy_of is None:
                    # A full disk or a failed count must not keep it open; nothing is noted.
                    with suppress(OSError, EdgeError):
                        self.describe(points=self.count())
                with engine_errors():
                    self.shard.close()
            finally:
                self._on_close()

    def check_writable(self) -> None:
        """Raises :class:`StorageError` where it was opened to read only."""
        if self._copy_of is not None:
            raise read_only_error(self._copy_of)


def _distance(vector: models.VectorParams) -> Any:
    return getattr(edge.Distance, vector.distance.value)  # they have the same names


def _optimizers(params: models.CollectionParams) -> edge.EdgeOptimizersConfig:
    """One segment, with HNSW above the limit; the engine counts in kilobytes of vectors."""
    widest = max((vector.size for vector in by_stored_name(params.vectors).values()), default=1)
    threshold = EXACT_LIMIT * widest * BYTES_PER_COORDINATE // 1024
    return edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=threshold)
