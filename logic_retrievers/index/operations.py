"""An opened collection with its encoder, and the operations that searches and cleaning use."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import numpy as np
import numpy.typing as npt
from qdrant_client import AsyncQdrantClient, QdrantClient

from logic_retrievers.effects import Compute, Operation, arun, run
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.query_encoder import (
    QueryEncoderSource,
    read_query_encoder,
    with_query_encoder,
)
from logic_retrievers.errors import ConfigurationError, UnknownFieldWarning, warn
from logic_retrievers.index import candidate_search, points, quarantine_flag, vectors
from logic_retrievers.index.candidate_search import EncodedVectorQuery
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.opening import prepare_writing
from logic_retrievers.index.point_format import LOGIC
from logic_retrievers.index.requests import VectorTable, client_call
from logic_retrievers.index.schema import check_query_encoder
from logic_retrievers.index.unknown_fields import describe, unknown_fields
from logic_retrievers.types import CandidatePool, Passage

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

T = TypeVar("T")
MOST_KNOWN = 1_000
"""Fields of filters that an index remembers to have warned of, or to be there."""


class IndexOperations:
    """An opened collection with its encoder; a context manager that closes the connection.

    Methods that return an :data:`Operation` do nothing by themselves: ``yield from`` them inside
    another operation, or hand them to :meth:`run` or :meth:`arun`.

    Args:
        connection: performs the client calls.
        encoder: makes the vectors.
        collection: as it was at opening.
    """

    def __init__(self, connection: Connection, encoder: Encoder, collection: Collection) -> None:
        self._connection = connection
        self._encoder = encoder
        self._encoder_lock = threading.Lock()
        self._collection = collection
        self._known_fields: set[str] = set()

    @property
    def encoder(self) -> Encoder:
        """The encoder of queries and passages; another one after :meth:`use_query_encoder`."""
        return self._encoder

    @property
    def vectors(self) -> tuple[str, ...]:
        """Names of the vectors that can be searched."""
        return self._collection.searchable

    @property
    def embedded(self) -> bool:
        """Whether the engine runs in this process."""
        return self._connection.embedded

    @property
    def collection(self) -> str:
        """The collection's name."""
        return self._collection.name

    @property
    def connection(self) -> Connection:
        """Performs the client calls."""
        return self._connection

    @property
    def client(self) -> QdrantClient | EdgeClient:
        """The synchronous client, to share with another index or store.

        Raises:
            ConfigurationError: the index was given only an asynchronous client.
        """
        return self._connection.client

    @property
    def async_client(self) -> AsyncQdrantClient | None:
        """The asynchronous client that the index was given; None where it makes its own."""
        return self._connection.async_client

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Payload keys that hold metadata, for filters made by hand; "" for the top level."""
        return self._collection.prefixes

    @property
    def language(self) -> str:
        """Language of the lexical vector's stems."""
        return self._collection.language

    @property
    def tenant(self) -> str | None:
        """Whose passages are read and written."""
        return self._collection.tenant

    def run(self, operation: Operation[T]) -> T:
        """Runs an operation on this index's connection."""
        return run(operation, self._connection)

    async def arun(self, operation: Operation[T]) -> T:
        """:meth:`run` without blocking the event loop."""
        return await arun(operation, self._connection)

    def use_query_encoder(self, source: QueryEncoderSource | None, head: str | None = None) -> None:
        """From now on encodes queries with another file; stored vectors do not change.

        May be called while others search: each search uses one encoder from its beginning to its
        end. Everything that searches this index follows. The change is neither written into the
        collection nor known to other indexes over it.

        Args:
            source: a query encoder's file; None: the encoder's own query side again.
            head: the vector whose queries it encodes; the one that the file names, by default. With
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
        """:meth:`use_query_encoder` without blocking the event loop."""
        await self.arun(self._use_query_encoder(source, head))

    def _use_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None
    ) -> Operation[None]:
        def swap() -> None:
            query_encoder = None if source is None else read_query_encoder(source)
            with self._encoder_lock:
                if query_encoder is not None:
                    check_query_encoder(self._collection, query_encoder, self._encoder.specs, head)
                elif head is not None:
                    self._collection.vector(head)  # a misspelt head would remove nothing
                self._encoder = with_query_encoder(self._encoder, query_encoder, head)

        yield Compute(swap)

    def find_candidates(
        self,
        queries: Sequence[Sequence[EncodedVectorQuery]],
        filter: UserFilter = None,  # noqa: A002
        must_not: Sequence[Mapping[str, Any]] | None = None,
    ) -> Operation[list[CandidatePool]]:
        """The pool of each query; see :func:`candidate_search.find_candidates`.

        Warns:
            UnknownFieldWarning: the filter finds nothing, since no passage has a field of it, or
                none with a value of that kind; once for each field.
        """
        pools = yield from candidate_search.find_candidates(
            self._collection, queries, filter, must_not
        )
        if not any(pool.ids for pool in pools):
            yield from self._warn_of_unknown_fields(filter)
        return pools

    def fetch_passages(self, point_ids: Sequence[str]) -> Operation[dict[str, Passage]]:
        """Point id of a candidate pool -> its passage; see :func:`points.fetch`."""
        return points.fetch(self._collection, point_ids)

    def get_passages(self, ids: Sequence[str]) -> Operation[list[Passage]]:
        """The passages with these ids; see :func:`points.get`."""
        return points.get(self._collection, ids)

    def read_page(
        self,
        filter: UserFilter = None,  # noqa: A002
        offset: Any = None,
        size: int = 256,
    ) -> Operation[tuple[list[Passage], Any]]:
        """One page of passages and the offset of the next; see :func:`points.page`.

        Warns:
            UnknownFieldWarning: as :meth:`find_candidates`.
        """
        page, following = yield from points.page(self._collection, filter, offset, size)
        if not page and offset is None:
            yield from self._warn_of_unknown_fields(filter)
        return page, following

    def _count(self, filter: UserFilter) -> Operation[int]:  # noqa: A002
        count = yield from points.count(self._collection, filter)
        if not count:
            yield from self._warn_of_unknown_fields(filter)
        return count

    def _unknown_fields(self, filter: UserFilter) -> Operation[dict[str, str]]:  # noqa: A002
        unknown, _ = yield from unknown_fields(self._collection, filter)
        return unknown

    def _warn_of_unknown_fields(self, filter: UserFilter) -> Operation[None]:  # noqa: A002
        if filter is None or len(self._known_fields) >= MOST_KNOWN:
            return
        unknown, seen = yield from unknown_fields(self._collection, filter, self._known_fields)
        self._known_fields.update(seen)
        if unknown:
            warn(UnknownFieldWarning, describe(unknown))

    def delete_passages(self, ids: Sequence[str]) -> Operation[int]:
        """Deletes passages by id; see :func:`points.delete`."""
        return points.delete(self._collection, ids)

    def fetch_vectors(
        self, names: Sequence[str], point_ids: Sequence[str]
    ) -> Operation[dict[str, VectorTable]]:
        """The dense vectors of points; see :func:`vectors.fetch_vectors`."""
        return vectors.fetch_vectors(self._collection, names, point_ids)

    def stored_vectors(
        self, passages: Sequence[Passage], names: Sequence[str]
    ) -> Operation[dict[tuple[str, str], npt.NDArray[np.float64]]]:
        """The dense vectors stored of passages; see :func:`vectors.stored_vectors`."""
        return vectors.stored_vectors(self._collection, passages, names)

    def hide(self, ids: Sequence[str]) -> Operation[list[str]]:
        """Quarantines passages; see :func:`quarantine_flag.hide`.

        The flag's payload index is created first where a server has none.
        """
        self._collection = yield from prepare_writing(self._collection, self._encoder.specs)
        return (yield from quarantine_flag.hide(self._collection, ids))

    def unhide(self, ids: Sequence[str]) -> Operation[list[str]]:
        """Removes passages from quarantine; see :func:`quarantine_flag.unhide`."""
        return quarantine_flag.unhide(self._collection, ids)

    def quarantined_page(self, offset: Any = None) -> Operation[tuple[list[Passage], Any]]:
        """One page of the hidden passages; see :func:`quarantine_flag.quarantined_page`."""
        return quarantine_flag.quarantined_page(self._collection, offset)

    def fingerprints(self, ids: Sequence[str]) -> Operation[dict[str, str]]:
        """Passage id -> hash of its stored point; see :func:`quarantine_flag.fingerprints`."""
        return quarantine_flag.fingerprints(self._collection, ids)

    def note(self, key: str, value: Any) -> Operation[None]:
        """Notes a value in the collection's metadata; copies of the collection are without it."""
        metadata = {f"{LOGIC}_{key}": value}
        yield client_call("update_collection", self.collection, metadata=metadata)

    def noted(self, key: str) -> Operation[Any]:
        """What :meth:`note` has noted; None where nothing was."""
        info = yield client_call("get_collection", self.collection)
        return (info.config.metadata or {}).get(f"{LOGIC}_{key}")

    def close(self) -> None:
        """Closes the connection; clients that the caller passed stay open."""
        self._connection.close()

    async def aclose(self) -> None:
        """:meth:`close` without blocking the event loop."""
        await self._connection.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    def __reduce__(self) -> NoReturn:
        raise ConfigurationError(
            "An open index cannot be pickled or copied, nor can what searches it. Open it where it"
            " is needed, with the same settings, or with client=index.client in the same process."
        )

    def __repr__(self) -> str:
        return f"PassageIndex({self._collection.name!r} at {self._connection.place!r})"
