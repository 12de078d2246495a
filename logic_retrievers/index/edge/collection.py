"""One embedded collection: its engine, its description on disk, how it is opened and optimised."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge
from pydantic import BaseModel, ConfigDict
from qdrant_client import models

from logic_retrievers.errors import StorageError
from logic_retrievers.files import private_folder
from logic_retrievers.index.collection import by_stored_name
from logic_retrievers.index.edge.folder import (
    LOCK_FILE,
    FolderLock,
    check_loading,
    check_room,
    copy_folder,
)
from logic_retrievers.index.edge.translation import engine_errors
from logic_retrievers.index.faults import EdgeError, Fault
from logic_retrievers.python_process import python_command

# Collections of up to this many points are searched exactly; larger ones get an HNSW index.
EXACT_LIMIT = 100_000
# Written points after which the engine flushes. Until then each takes .5 KB of memory, and after a
# crash the next opening writes it again (4 s per 40,000).
FLUSH_EVERY = 5_000
_BYTES_PER_COORDINATE = 4
_FILE = "collection.json"


def new_shard_name() -> str:
    """Make a name for a folder that no other process, alive or killed, writes to."""
    return f"shard-{uuid4().hex}"


class Description(BaseModel):
    """The content of ``collection.json``."""

    model_config = ConfigDict(frozen=True)

    params: models.CollectionParams  # the vectors, as qdrant-client describes them
    metadata: dict[str, Any]  # this package's notes on the vectors
    shard: str  # name of the folder that holds the points
    # Quantisation of dense vectors in an HNSW index; None stores no quantised copies.
    quantization: models.ScalarQuantization | None = None
    points: int | None = None  # number at the last close; None from the next write on

    def write(self, folder: Path) -> None:
        """Replace the file so that a crash leaves either the old or the new one."""
        fresh = folder / f"{_FILE}.{self.shard}"
        fresh.touch(0o600)
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self.model_dump(mode="json"), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(folder / _FILE)


def has_description(folder: Path) -> bool:
    """Tell whether a folder holds a collection."""
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
        description: the content of its ``collection.json``.
        on_close: called after the engine is closed, to release the folder.
        copy_of: the original, if ``folder`` is a copy; the collection is then read-only.
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
        """Apply a write; ``points`` is the number of points that it changes."""
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
            params, create = self.description.params.model_copy(deep=True), edge.UpdateOperation
            if isinstance(config, models.SparseVectorNameConfig):
                self.update(create.create_sparse_vector(name, modifier=edge.Modifier.Idf))
                sparse = models.SparseVectorParams(modifier=models.Modifier.IDF)
                params.sparse_vectors = {**(params.sparse_vectors or {}), name: sparse}
            else:
                dense = models.VectorParams(size=config.dense.size, distance=config.dense.distance)
                self.update(create.create_dense_vector(name, dense.size, _distance(dense)))
                params.vectors = {**by_stored_name(params.vectors), name: dense}
            self.describe(params=params)

    def count(self) -> int:
        with engine_errors():
            return int(self.shard.count(edge.CountRequest(exact=True)))

    def info(self) -> models.CollectionInfo:
        """Describe the collection as a server does."""
        with engine_errors():
            info = self.shard.info()
        config = models.CollectionConfig.model_construct(
            params=self.description.params,
            metadata=self.description.metadata,
            quantization_config=self.description.quantization,
            strict_mode_config=None,
        )
        schema = {}
        for key, index in info.payload_schema.items():
            kind = models.PayloadSchemaType(str(index.data_type).rpartition(".")[2].lower())
            schema[key] = models.PayloadIndexInfo(data_type=kind, points=index.points)
        counts = ("points_count", "indexed_vectors_count", "segments_count")
        return models.CollectionInfo.model_construct(
            config=config, payload_schema=schema, **{name: getattr(info, name) for name in counts}
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
        if self._copy_of is not None:
            raise Fault.READ_ONLY.at(self._copy_of)


def open_folder(
    folder: Path, timeout: float, new: Description | None = None, *, durable: bool = True
) -> EdgeCollection:
    """Open a collection, or create the ``new`` one; keep other processes out until it is closed.

    Waits ``timeout`` seconds for another process. ``durable``: a new collection survives a crash.
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
    """Open a temporary copy of a collection, because the engine writes to what it opens.

    Nothing is written into the original, which other processes may open once it is copied.
    """
    copy = Path(tempfile.mkdtemp(prefix="logic-retrievers-"))
    remove = partial(shutil.rmtree, copy, ignore_errors=True)
    try:
        return EdgeCollection(copy, _copy(folder, copy, timeout), remove, copy_of=folder)
    except BaseException:
        remove()
        raise


def _copy(folder: Path, copy: Path, timeout: float) -> Description:
    # A folder that was copied without its lock file has none until a process opens it to write.
    locked = (folder / LOCK_FILE).exists()
    with FolderLock(folder, timeout, shared=True) if locked else nullcontext():
        description = _read_description(folder)
        try:
            copy_folder(folder / description.shard, copy / description.shard)
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be copied to {copy.parent} to be read ({error.strerror}). Make"
                " room there, or set TMPDIR to another place."
            ) from error
    if locked or not (folder / LOCK_FILE).exists():
        return description
    shutil.rmtree(copy / description.shard)
    return _copy(folder, copy, timeout)


def _create(folder: Path, description: Description, durable: bool) -> None:
    """Create an empty collection; opening it removes what an interrupted attempt left."""
    check_room(folder)
    shard = folder / description.shard
    private_folder(shard)  # hides the engine's own files, which are not private
    dense = by_stored_name(description.params.vectors)
    largest = max((vector.size for vector in dense.values()), default=1)
    int8 = edge.ScalarQuantizationConfig(edge.ScalarType.Int8, always_ram=True)
    words = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
    config = edge.EdgeConfig(
        vectors={n: edge.EdgeVectorParams(v.size, _distance(v)) for n, v in dense.items()},
        sparse_vectors=dict.fromkeys(description.params.sparse_vectors or {}, words),
        quantization_config=int8 if description.quantization else None,
        # one segment; it gets HNSW above the limit, given in kilobytes of vectors
        optimizers=edge.EdgeOptimizersConfig(
            default_segment_number=1,
            indexing_threshold=EXACT_LIMIT * largest * _BYTES_PER_COORDINATE // 1024,
        ),
        wal_enabled=durable,
    )
    with engine_errors():
        edge.EdgeShard.create(str(shard), config).close()
    description.write(folder)


def _distance(vector: models.VectorParams) -> Any:
    return getattr(edge.Distance, vector.distance.value)  # both libraries use the same names


# The engine's ``optimize`` blocks every thread of the interpreter, and a core takes a minute for
# 60,000 points. So another process optimises a copy of the points. Until the copy replaces the old
# points, searches use the old points and writes wait.
_PROGRAM = """
import sys, qdrant_edge
shard = qdrant_edge.EdgeShard.load(sys.argv[1])
shard.optimize()
shard.close()
"""


def unindexed_points(collection: EdgeCollection) -> int:
    """Return the number of points outside the HNSW index, as a mean over the dense vectors."""
    with engine_errors():
        info = collection.shard.info()
        params, points = collection.description.params, int(info.points_count)
        names = [str(name) for name in dict(params.vectors or {})]
        # sparse vectors are always indexed
        indexed = info.indexed_vectors_count - len(params.sparse_vectors or {}) * points
        having = len(names) * points
        if having - indexed > len(names) * EXACT_LIMIT:  # some may lack a vector, so count
            present = [edge.Filter(must=[edge.HasVectorCondition(name)]) for name in names]
            having = sum(collection.shard.count(edge.CountRequest(filter=f)) for f in present)
    return (having - indexed) * points // max(1, having)


def optimize(collection: EdgeCollection, *, force: bool = False) -> bool:
    """Build the HNSW index of a collection that needs it, and return whether it was built.

    Meanwhile the collection takes twice its disk space. With ``force`` the index is built even if
    few points are outside it. After a failure the collection is unchanged.
    """
    collection.check_writable()
    with collection.lock:
        if not (force or unindexed_points(collection) > EXACT_LIMIT):
            return False
        before = collection.description.shard
        after = new_shard_name()  # new, since a killed process's child may write to an old one
        copy = collection.folder / after
        with engine_errors():
            collection.shard.flush()
        try:
            copy_folder(collection.folder / before, copy)
            check_loading(copy)
            if command := python_command(_PROGRAM, str(copy)):
                process = subprocess.run(command, capture_output=True, text=True)
                if process.returncode != 0:
                    reason = (process.stderr.strip().splitlines() or ["no message"])[-1]
                    raise EdgeError(f"optimisation ended with {process.returncode}: {reason}")
            with engine_errors():
                shard = edge.EdgeShard.load(str(copy))
                shard.optimize()  # does the work here if no process could be started
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise
        collection.describe(shard=after)
        collection.shard = shard  # running searches hold the old one
        shutil.rmtree(collection.folder / before, ignore_errors=True)
        return True
