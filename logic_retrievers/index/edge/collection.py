"""One embedded collection: its engine, its description on disk, and its payload indexes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import qdrant_edge as edge
from pydantic import BaseModel, ConfigDict
from qdrant_client import models

from logic_retrievers.atomic_files import private_folder
from logic_retrievers.index.collection_metadata import by_stored_name
from logic_retrievers.index.edge.translation import to_index_params
from logic_retrievers.index.faults import EdgeError

EXACT_LIMIT = 100_000
"""Points that are searched one by one; more get an HNSW index (:mod:`optimization`)."""
BYTES_PER_COORDINATE = 4
ROOM = 32 * 2**20
"""Bytes that must be free before the engine writes. It maps files larger than what is on disk, and
where there is no room for a page of them, the system ends the process (SIGBUS)."""
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


def has_room(folder: Path) -> bool:
    """Whether the disk of a folder, which may not be made yet, has room for a write."""
    places = (folder.absolute(), *folder.absolute().parents)
    made = next(place for place in places if place.is_dir())
    disk = shutil.disk_usage(made)
    return not disk.total or disk.free >= ROOM  # some file systems know neither


def check_room(folder: Path) -> None:
    """Refuses to write where the disk is nearly full.

    Raises:
        OSError: with ENOSPC.
    """
    if not has_room(folder):
        raise OSError(errno.ENOSPC, f"less than {ROOM // 2**20} MiB are free there")


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

    def write(self, folder: Path, *, first: bool = False) -> None:
        """Replaces the file, so that a crash leaves the old one or the new one.

        Raises:
            EdgeError: this should be the first one, and another process was faster.
        """
        fresh = folder / f"{_FILE}.{self.shard}"
        fresh.touch(0o600)
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(self.model_dump(mode="json"), file)
            file.flush()
            os.fsync(file.fileno())
        try:
            if first:
                os.link(fresh, folder / _FILE)  # fails where the file exists
                fresh.unlink()
                return
        except FileExistsError:
            fresh.unlink()
            raise EdgeError(f"Collection {folder.name!r} exists already") from None
        except OSError:
            pass  # a file system without links
        fresh.replace(folder / _FILE)


def read_description(folder: Path) -> Description | None:
    """The description of the collection in a folder; None where there is none.

    Raises:
        EdgeError: it is damaged.
    """
    try:
        return Description.model_validate(json.loads((folder / _FILE).read_text("utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
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
    description.write(folder, first=True)


class EdgeCollection:
    """An opened collection.

    Searches may run beside each other and beside one writer; writers take ``lock``.

    Args:
        folder: that of the collection.
        description: as read from it.
    """

    def __init__(self, folder: Path, description: Description) -> None:
        self.folder = folder
        self.description = description
        self.lock = threading.RLock()
        self._unflushed = 0
        for shard in folder.glob(f"shard-{'[0-9a-f]' * 32}"):
            if shard.name != description.shard:  # of an optimisation that was cut off, or is done
                shutil.rmtree(shard, ignore_errors=True)
        with engine_errors():
            self.shard = edge.EdgeShard.load(str(folder / description.shard))
        if description.points not in (None, count := self.count()):
            raise EdgeError(
                f"{folder} is damaged: it holds {count} points, and {description.points} when it"
                " was closed. Put a copy of the folder back, or index again into another"
            )

    def update(self, operation: Any, points: int = 1) -> None:
        """Applies a write to so many points.

        Raises:
            OSError: the disk is nearly full.
        """
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
            if self.description.points is None:
                with suppress(OSError):  # a full disk must not keep it open; nothing is then noted
                    self.describe(points=self.count())
            with engine_errors():
                self.shard.close()


def _distance(vector: models.VectorParams) -> Any:
    return getattr(edge.Distance, vector.distance.value)  # they have the same names


def _optimizers(params: models.CollectionParams) -> edge.EdgeOptimizersConfig:
    """One segment, with HNSW above the limit; the engine counts in kilobytes of vectors."""
    widest = max((vector.size for vector in by_stored_name(params.vectors).values()), default=1)
    threshold = EXACT_LIMIT * widest * BYTES_PER_COORDINATE // 1024
    return edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=threshold)
