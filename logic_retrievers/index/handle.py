"""What every index has: its connection, its collection, and the procedures of a search."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from qdrant_client import AsyncQdrantClient, QdrantClient

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.query_encoder import QueryEncoderSource, read_query_encoder
from logic_retrievers.encoders.swapping import with_query_encoder
from logic_retrievers.index import points, quarantine, reads
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.opening import prepare_writing
from logic_retrievers.index.pools import LeafSearch, Matrix
from logic_retrievers.index.rows import rows
from logic_retrievers.index.schema import Collection, check_documents
from logic_retrievers.index.stored import stored_vectors_of
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage, Pool

T = TypeVar("T")


class IndexHandle:
    """An opened collection with its encoder; a context manager that closes the connection.

    Args:
        connection: carries out the calls.
        encoder: makes the vectors.
        collection: as it was found at opening.
    """

    def __init__(self, connection: Connection, encoder: Encoder, collection: Collection) -> None:
        connection.prepare(collection.name)
        self._connection = connection
        self._encoder = encoder
        self._swapping = threading.Lock()
        self._collection = collection
        self._fusion_known = connection.embedded

    @property
    def encoder(self) -> Encoder:
        """What makes the vectors; another one after :meth:`use_query_encoder`."""
        return self._encoder

    @property
    def vectors(self) -> tuple[str, ...]:
        """Names of the vectors that can be searched."""
        return self._collection.readable

    @property
    def embedded(self) -> bool:
        """Whether Qdrant runs in this process."""
        return self._connection.embedded

    @property
    def collection(self) -> str:
        """The collection's name."""
        return self._collection.name

    @property
    def client(self) -> QdrantClient:
        """The synchronous client, to share with another store.

        Raises:
            ConfigurationError: the index was given an asynchronous client alone.
        """
        return self._connection.client

    @property
    def async_client(self) -> AsyncQdrantClient | None:
        """The asynchronous client that the index was given; None where it makes its own."""
        return self._connection.async_client

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Where the collection keeps metadata in the payload, for filters made by hand."""
        return self._collection.prefixes

    @property
    def tenant(self) -> str | None:
        """Whose passages are read and written."""
        return self._collection.tenant

    def run(self, procedure: Procedure[T]) -> T:
        """Runs a procedure on this index's connection."""
        return self._connection.run(procedure)

    async def arun(self, procedure: Procedure[T]) -> T:
        """The asynchronous twin of :meth:`run`."""
        return await self._connection.arun(procedure)

    def use_query_encoder(self, source: QueryEncoderSource | None, head: str | None = None) -> None:
        """From now on reads queries with another file; stored vectors are not touched.

        May be called while others search: each search is done with one encoder from its beginning
        to its end. Everything that searches this index follows. Neither written into the
        collection nor known to other indexes over it.

        Args:
            source: a query encoder's file; None: the encoder's own query side again.
            head: the vector whose queries it reads; the one that the file names, by default. With
                None as source: all vectors, by default.

        Raises:
            FingerprintMismatchError: the file was made for other documents than the stored ones.
            MissingVectorError: the collection does not have the vector.
            QueryEncoderError: the file is missing, damaged, or does not fit the encoder.
            ConfigurationError: the encoder takes no query encoder.
        """
        self.run(self._use_query_encoder(source, head))

    async def ause_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> None:
        """The asynchronous twin of :meth:`use_query_encoder`."""
        await self.arun(self._use_query_encoder(source, head))

    def _use_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None
    ) -> Procedure[None]:
        def swap() -> None:
            read = None if source is None else read_query_encoder(source)
            with self._swapping:
                if read is not None:
                    check_documents(self._collection, read, self._encoder.specs, head)
                elif head is not None:
                    self._collection.vector(head)  # a misspelt one would take nothing off
                self._encoder = with_query_encoder(self._encoder, read, head)

        yield Work(swap)

    def gather(
        self,
        queries: Sequence[Sequence[LeafSearch]],
        filter: UserFilter = None,  # noqa: A002
        must_not: Sequence[Mapping[str, Any]] | None = None,
    ) -> Procedure[list[Pool]]:
        """Procedure: see :func:`logic_retrievers.index.reads.gather`."""
        return reads.gather(self._collection, queries, filter, self._connection, must_not)

    def fetch(self, point_ids: Sequence[str]) -> Procedure[dict[str, Passage]]:
        """Procedure: see :func:`logic_retrievers.index.reads.fetch`."""
        return reads.fetch(self._collection, point_ids)

    def by_id(self, ids: Sequence[str]) -> Procedure[list[Passage]]:
        """Procedure: see :func:`logic_retrievers.index.points.get`."""
        return points.get(self._collection, ids)

    def rows(self, names: Sequence[str], point_ids: Sequence[str]) -> Procedure[dict[str, Matrix]]:
        """Procedure: see :func:`logic_retrievers.index.rows.rows`."""
        return rows(self._collection, names, point_ids, self._connection)

    def stored(
        self, passages: Sequence[Passage], names: Sequence[str]
    ) -> Procedure[dict[tuple[str, str], npt.NDArray[np.float64]]]:
        """Procedure: see :func:`logic_retrievers.index.stored.stored_vectors_of`."""
        return stored_vectors_of(self._collection, passages, names)

    def hide(self, ids: Sequence[str]) -> Procedure[list[str]]:
        """Procedure: see :func:`logic_retrievers.index.quarantine.hide`.

        The flag's payload index is made first where a server has none.
        """
        self._collection = yield from prepare_writing(self._collection, self._encoder.specs)
        return (yield from quarantine.hide(self._collection, ids))

    def unhide(self, ids: Sequence[str]) -> Procedure[list[str]]:
        """Procedure: see :func:`logic_retrievers.index.quarantine.unhide`."""
        return quarantine.unhide(self._collection, ids)

    def page(
        self,
        filter: UserFilter = None,  # noqa: A002
        offset: Any = None,
    ) -> Procedure[tuple[list[Passage], Any]]:
        """Procedure: see :func:`logic_retrievers.index.points.page`."""
        return points.page(self._collection, filter, offset)

    def deletion(self, ids: Sequence[str]) -> Procedure[int]:
        """Procedure: see :func:`logic_retrievers.index.points.delete`."""
        return points.delete(self._collection, ids)

    def quarantined(self, offset: Any = None) -> Procedure[tuple[list[Passage], Any]]:
        """Procedure: see :func:`logic_retrievers.index.quarantine.quarantined`."""
        return quarantine.quarantined(self._collection, offset)

    def fingerprints(self, ids: Sequence[str]) -> Procedure[dict[str, str]]:
        """Procedure: see :func:`logic_retrievers.index.quarantine.fingerprints`."""
        return quarantine.fingerprints(self._collection, ids)

    def fused(
        self,
        queries: Sequence[Sequence[LeafSearch]],
        weights: Sequence[float],
        limit: int,
        filter: UserFilter = None,  # noqa: A002
    ) -> Procedure[list[list[tuple[str, float]]]]:
        """Procedure: see :func:`logic_retrievers.index.reads.fused`; asks the version once."""
        if not self._fusion_known:
            yield from reads.require_fusion()
            self._fusion_known = True
        return (yield from reads.fused(self._collection, queries, weights, limit, filter))

    def close(self) -> None:
        """Closes the connection; given clients stay open."""
        self._connection.close()

    async def aclose(self) -> None:
        """The asynchronous twin of :meth:`close`."""
        await self._connection.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"PassageIndex({self._collection.name!r} at {self._connection.place!r})"
