"""One embedded collection: its engine, its description on disk, and how it is opened."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge
from pydantic import BaseModel, ConfigDict
from qdrant_client import models

from logic_retrievers.errors import StorageError
from logic_retrievers.files import private_folder
from logic_retrievers.index.collection_metadata import by_stored_name
from logic_retrievers.index.edge import folder_lock
from logic_retrievers.index.edge.folder_lock import FolderLock
from logic_retrievers.index.edge.room import check_loading, check_room, copy_folder
from logic_retrievers.index.faults import EdgeError, read_only_error

# Collections of up to so many points are searched exactly; larger ones get an HNSW index.
EXACT_LIMIT = 100_000
# The engine flushes after so many written points. Until then a point takes .5 KB of memory, and is
# written again at the opening after a crash (4 s for 40,000).
FLUSH_EVERY = 5_000
_BYTES_PER_COORDINATE = 4
_FILE = "collection.json"


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raise :class:`EdgeError` for the engine's failures: bare exceptions and panics."""
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
    """The content of ``collection.json``.

    Args:
        params: the vectors, as qdrant-client describes them.
        metadata: this package's notes on the vectors.
        shard: name of the folder that holds the points.
        quantization: of dense vectors in an HNSW index; None stores no quantised copies.
        points: number of points at the last closing; None while the collection is written to.
    """

    model_config = ConfigDict(frozen=True)

    params: models.CollectionParams
    metadata: dict[str, Any]
    shard: str
    quantization: models.ScalarQuantization | None = None
    points: int | None = None

    def write(self, folder: Path) -> None:
        """Replace the file, so that a crash leaves the old one or the new one."""
        fresh = folder / f"{_FILE}.{self.shard}"
        fresh.touch(0o600)
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self.model_dump(mode="json"), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / _FILE)


def has_description(folder: Path) -> bool:
    """Whether a folder holds a collection."""
    return (folder / _FILE).is_file()


def _read_description(folder: Path) -> Description:
    try:
        return Description.model_validate(json.loads((folder / _FILE).read_text("utf-8")))
    except FileNotFoundError:
        raise EdgeError(f"Collection {folder.name!r} not found") from None
    except (ValueError, RecursionError) as error:
        raise EdgeError(f"{folder / _FILE} is damaged") from error


class EdgeCollection:
    """An opened collection.

    Searches run concurrently with each other and with one writer; writers take ``lock``.

    Args:
        folder: the collection's folder; no other process may write to it.
        description: as read from the folder.
        on_close: releases the folder when the engine is closed.
        copy_of: the folder that ``folder`` is a copy of; makes the collection read-only.

    Raises:
        EdgeError: the collection is damaged.
        OSError: the disk has no room for what the engine reads, or writes again after a crash.
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
            if shard.name != description.shard:  # left by an interrupted optimisation
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
            self.shard.close()  # writes to disk, so it must come before the lock is released
            raise

    def update(self, operation: Any, points: int = 1) -> None:
        """Apply a write to a number of points.

        Raises:
            OSError: the disk is nearly full.
            StorageError: the collection is read-only.
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
        """Change fields of the description."""
        self.check_writable()
        with self.lock:
            self.description = self.description.model_copy(update=changed)
            self.description.write(self.folder)

    def add_vector(self, name: str, config: Any) -> None:
        """Add a named vector that no point has yet."""
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

    def count(self) -> int:
        """Number of points."""
        with engine_errors():
            return int(self.shard.count(edge.CountRequest(exact=True)))

    def info(self) -> models.CollectionInfo:
        """Describe the collection as a server would."""
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
        """Flush to disk and release the folder."""
        with self.lock:
            try:
                if self.description.points is None and self._copy_of is None:
                    # A full disk or a failed count must not keep the folder locked.
                    with suppress(OSError, EdgeError):
                        self.describe(points=self.count())
                with engine_errors():
                    self.shard.close()
            finally:
                self._on_close()

    def check_writable(self) -> None:
        """Raise :class:`StorageError` if the collection is read-only."""
        if self._copy_of is not None:
            raise read_only_error(self._copy_of)


def open_folder(
    folder: Path, timeout: float, new: Description | None = None, *, durable: bool = True
) -> EdgeCollection:
    """Open a collection, and keep other processes out until it is closed.

    Args:
        folder: the collection's folder.
        timeout: seconds to wait for another process.
        new: description of a collection to create; it must not exist.
        durable: whether a new collection survives a crash.

    Raises:
        EdgeError, OSError: as :class:`EdgeCollection`.
        CollectionLockedError, StorageError: as :class:`FolderLock`.
    """
    lock = FolderLock(folder, timeout)
    try:
        if new is not None:
            if has_description(folder):
                raise EdgeError(f"Collection {folder.name!r} exists already")
            _create(folder, new, durable)
        return EdgeCollection(folder, _read_description(folder), lock.release)
    except BaseException:
        lock.release()
        raise


def open_copy(folder: Path, timeout: float) -> EdgeCollection:
    """Open a copy of a collection as it is now, since the engine needs to write what it opens.

    Nothing is written into the folder. Other processes may open it as soon as it is copied.

    Raises:
        EdgeError, OSError: as :class:`EdgeCollection`.
        CollectionLockedError, StorageError: as :class:`FolderLock`; or the copy has no room.
    """
    copy = Path(tempfile.mkdtemp(prefix="logic-retrievers-"))
    remove = partial(shutil.rmtree, copy, ignore_errors=True)
    try:
        return EdgeCollection(copy, _copy(folder, copy, timeout), remove, copy_of=folder)
    except BaseException:
        remove()
        raise


def _copy(folder: Path, copy: Path, timeout: float) -> Description:
    # A folder of an older version has no lock file until a process opens it to write.
    locked = (folder / folder_lock.FILE).exists()
    with FolderLock(folder, timeout, shared=True) if locked else nullcontext():
        description = _read_description(folder)
        try:
            copy_folder(folder / description.shard, copy / description.shard)
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be copied to {copy.parent} to be read ({error.strerror}). Make"
                " room there, or set TMPDIR to another place."
            ) from error
    if locked or not (folder / folder_lock.FILE).exists():
        return description
    shutil.rmtree(copy / description.shard)
    return _copy(folder, copy, timeout)


def _create(folder: Path, description: Description, durable: bool) -> None:
    """Create an empty collection; opening it removes what an interrupted attempt left."""
    check_room(folder)
    shard = folder / description.shard
    private_folder(shard)  # hides the engine's own files, which have the usual modes
    dense = by_stored_name(description.params.vectors)
    config = edge.EdgeConfig(
        vectors={
            name: edge.EdgeVectorParams(vector.size, _distance(vector))
            for name, vector in dense.items()
        },
        sparse_vectors={
            name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
            for name in description.params.sparse_vectors or {}
        },
        quantization_config=None
        if description.quantization is None
        else edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True),
        # one segment, with HNSW above the limit; the engine counts in kilobytes of vectors
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1,
            indexing_threshold=EXACT_LIMIT
            * max((vector.size for vector in dense.values()), default=1)
            * _BYTES_PER_COORDINATE
            // 1024,
        ),
        wal_enabled=durable,
    )
    with engine_errors():
        edge.EdgeShard.create(str(shard), config).close()
    description.write(folder)


def _distance(vector: models.VectorParams) -> Any:
    return getattr(edge.Distance, vector.distance.value)  # both libraries use the same names
