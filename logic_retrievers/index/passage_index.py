"""``PassageIndex``: a Qdrant collection of passages, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, Unpack

from qdrant_client import QdrantClient, models

from logic_retrievers.effects import Compute, Operation, arun, run
from logic_retrievers.encoders import RecentEncoder, default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.query_encoder import QueryEncoderSource
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import backfill as backfilling
from logic_retrievers.index import candidate_search, collection_copy, ingestion, points
from logic_retrievers.index import collection as notes
from logic_retrievers.index import vectors as stored
from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.candidate_search import EncodedVectorQuery
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.cluster import connect
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.groups import Grouping
from logic_retrievers.index.ingestion import BATCH_SIZE, IngestReport
from logic_retrievers.index.opening import open_collection, prepare_writing, reopen
from logic_retrievers.index.operation_methods import awaiting, blocking, over_collection
from logic_retrievers.index.reindexing import Reindexing, ReindexReport
from logic_retrievers.index.schema import swap_query_encoder
from logic_retrievers.index.settings import (
    MEMORY,
    CollectionSettings,
    ConnectionSettings,
    Settings,
    check_name,
    split_settings,
)
from logic_retrievers.index.unknown_fields import unknown_fields, warn_of_unknown_fields
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.types import CandidatePool, Passage

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

T = TypeVar("T")


class PassageIndex:
    """A collection with one point per passage and one named vector per head of the encoder.

    Open it with :meth:`open` or :meth:`aopen`; leaving its ``with`` block closes the connection.
    Methods decorated with ``blocking`` run their operation and return its value. Methods that
    search, read, write or delete have an asynchronous twin (``aadd`` for ``add``). Synchronous and
    asynchronous calls may be mixed on one object. Methods that return an :data:`Operation` and are
    not decorated do nothing by themselves. Apply ``yield from`` to the result inside another
    operation, or pass it to :meth:`run` or :meth:`arun`.

    Attributes:
        connection: performs the calls.
        embedded: whether the engine runs in this process.
        async_client: the client that was passed; None if the index makes its own.
        language: language of the lexical vector's stems.
        prefixes: payload keys that hold metadata, for filters made by hand; "" for the top level.
    """

    def __init__(self, connection: Connection, encoder: Encoder, collection: Collection) -> None:
        self.connection = connection
        self.embedded = connection.embedded
        self.async_client = connection.async_client
        self.language = collection.language
        self.prefixes = collection.prefixes
        self._collection = collection
        self._encoder = encoder
        self._recent_encoder: RecentEncoder | None = None
        self._swapping = threading.Lock()
        self._known_fields: set[str] = set()

    @property
    def collection(self) -> str:
        """Name of the collection."""
        return self._collection.name

    @property
    def tenant(self) -> str | None:
        """The tenant whose passages are read and written."""
        return self._collection.tenant

    @classmethod
    def open(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Open a collection, and create it if it does not exist.

        Args:
            collection: name of the collection.
            encoder: makes the vectors; by default the encoder that comes with the package.
            **settings: see :class:`ConnectionSettings` and :class:`CollectionSettings`.

        Raises:
            CollectionError: the collection is not as required; the subclass says how.
            ServerError: a server did not answer; the subclass says why.
            ConfigurationError: settings that cannot work.
        """
        connecting, opening = split_settings(collection, settings, encoder)
        connection = connect(**connecting)
        try:
            return run(cls._open(connection, collection, encoder, opening), connection)
        except BaseException:
            connection.close()
            raise

    @classmethod
    async def aopen(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        connecting, opening = split_settings(collection, settings, encoder)
        connection = await asyncio.to_thread(partial(connect, **connecting))
        try:
            return await arun(cls._open(connection, collection, encoder, opening), connection)
        except BaseException:
            await connection.aclose()
            raise

    @classmethod
    def _open(
        cls,
        connection: Connection,
        collection: str,
        encoder: Encoder | None,
        settings: Mapping[str, Any],
    ) -> Operation[Self]:
        if encoder is None:
            encoder = yield Compute(default_encoder)
        if connection.read_only:
            settings = {**settings, "create": False, "indexed_fields": None}
        opened = yield from open_collection(
            collection,
            encoder.specs,
            local_mode=connection.local_mode,
            embedded=connection.embedded,
            **settings,
        )
        return cls(connection, encoder, opened)

    @property
    def encoder(self) -> Encoder:
        """The encoder of queries and passages; :meth:`use_query_encoder` replaces it."""
        return self._encoder

    def recent_encoder(self) -> RecentEncoder:
        """Return an encoder for a cleaner, whose recent vectors :meth:`add` uses again."""
        if self._recent_encoder is None:
            own = self._encoder
            self._recent_encoder = own if isinstance(own, RecentEncoder) else RecentEncoder(own)
        return self._recent_encoder

    @property
    def vectors(self) -> tuple[str, ...]:
        """Names of the vectors that can be searched."""
        return self._collection.searchable

    @property
    def client(self) -> QdrantClient | EdgeClient:
        return self.connection.client

    def run(self, operation: Operation[T]) -> T:
        """Run an operation on this index's connection."""
        return run(operation, self.connection)

    async def arun(self, operation: Operation[T]) -> T:
        return await arun(operation, self.connection)

    @blocking
    def add(
        self,
        passages: Iterable[Passage],
        *,
        replace_sources: bool = False,
        keep_sources: Container[str] = (),
        progress: ProgressCallback | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> Operation[IngestReport]:
        """Store new and changed passages; if interrupted, call it again.

        A passage without text is left out, with a :class:`BlankTextWarning`. A stored passage of
        the same id stays, unless ``replace_sources`` deletes it. Metadata are stored as JSON.

        Args:
            passages: any iterable; read as a stream.
            replace_sources: once all passages are stored, delete the other stored passages of the
                same sources. A call that fails or ends early deletes nothing.
            keep_sources: sources that ``passages`` holds only in part (a file with an unreadable
                row). No passage of these is deleted. Read once ``passages`` is done.
            progress: called about every second, and after the first 16 passages.
            batch_size: number of passages read and sorted by length at a time; also the most sent
                in one request.

        Raises:
            ConfigurationError: the index was opened with ``all_tenants=True``.
            DuplicateIdError, InputError: some passages cannot be stored; all others were stored.
            CollectionError, ServerError: Qdrant refused or failed; says how many are stored.
        """
        self.connection.check_writable()
        if self._collection.all_tenants:
            raise ConfigurationError(
                "This index reads the passages of all tenants. A passage added here would belong to"
                " no tenant, and no tenant would see it.",
                "Open the index with tenant= to add.",
                names=["tenant"],
            )
        self._collection = yield from prepare_writing(self._collection, self.encoder.specs)
        report = yield from ingestion.add(
            self._collection,
            self._recent_encoder or self.encoder,
            passages,
            replace_sources=replace_sources,
            keep_sources=keep_sources,
            progress=progress,
            batch_size=batch_size,
        )
        yield from self._optimize()
        return report

    aadd = awaiting(add)

    @blocking
    def delete(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002
        source: str | None = None,
    ) -> Operation[int]:
        """Delete the passages that exactly one argument selects; return their number."""
        return points.delete(self._collection, ids, filter, source)

    adelete = awaiting(delete)

    @blocking
    def count(self, filter: UserFilter = None) -> Operation[int]:  # noqa: A002
        """Count the passages."""
        condition = self._collection.condition(filter)
        number = yield from points.count_points(self._collection, condition)
        if not number:
            yield from self._warn(filter)
        return number

    acount = awaiting(count)

    @blocking
    def get(self, ids: Sequence[str]) -> Operation[list[Passage]]:
        """Get the passages with these ids, in this order; ids that do not exist are skipped."""
        return points.get(self._collection, ids)

    aget = awaiting(get)

    def scroll(
        self,
        filter: UserFilter = None,  # noqa: A002
        *,
        page_size: int = BATCH_SIZE,
    ) -> Iterator[Passage]:
        """Iterate over all passages, read in pages."""
        offset = None
        while True:
            page, offset = self.run(self.read_page(filter, offset, page_size))
            yield from page
            if offset is None:
                return

    async def ascroll(
        self,
        filter: UserFilter = None,  # noqa: A002
        *,
        page_size: int = BATCH_SIZE,
    ) -> AsyncIterator[Passage]:
        offset = None
        while True:
            page, offset = await self.arun(self.read_page(filter, offset, page_size))
            for passage in page:
                yield passage
            if offset is None:
                return

    @blocking
    def unknown_fields(self, filter: UserFilter) -> Operation[dict[str, str]]:  # noqa: A002
        """Find filter fields that no passage has; map each to the kind of value that is wanted.

        For example ``{"lnag": "a text", "date": "a number"}``. Only the first 16 are looked up.
        """
        unknown, _ = yield from unknown_fields(self._collection, filter)
        return unknown

    aunknown_fields = awaiting(unknown_fields)

    @blocking
    def backfill(
        self, names: Sequence[str] | None = None, *, progress: ProgressCallback | None = None
    ) -> Operation[BackfillReport]:
        """Make missing named vectors; see :func:`logic_retrievers.index.backfill.backfill`."""
        self.connection.check_writable()
        report = yield from backfilling.backfill(self._collection, self.encoder, names, progress)
        self._collection = yield from reopen(self._collection, self.encoder.specs)
        yield from self._optimize()
        return report

    abackfill = awaiting(backfill)

    @blocking
    def use_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> Operation[None]:
        """Encode queries with a different encoder from now on; stored vectors do not change.

        May be called during searches; each search uses a single encoder. The change is not stored,
        and other indexes over the collection do not see it.

        Args:
            source: a query encoder's file. None restores the encoder's own query side.
            head: the vector whose queries the file encodes; by default the vector that the file
                names, or all vectors if ``source`` is None.

        Raises:
            FingerprintMismatchError: the file was made for different document vectors.
            MissingVectorError: the collection does not have the vector.
            QueryEncoderError: the file is missing, damaged, or does not fit the encoder.
            ConfigurationError: the encoder does not accept a query encoder.
        """

        def swap() -> None:
            with self._swapping:
                self._encoder = swap_query_encoder(self._collection, self._encoder, source, head)

        yield Compute(swap)

    ause_query_encoder = awaiting(use_query_encoder)

    @blocking
    def optimize(self) -> Operation[bool]:
        """Build the HNSW index of an embedded collection now; return False for a server.

        A server builds it by itself. In an embedded collection :meth:`add` builds it once more than
        100,000 passages are outside the index. Searches continue meanwhile; writes wait.
        """
        return self._optimize(force=True)

    def copy_to(
        self,
        collection: str | None = None,
        *,
        progress: ProgressCallback | None = None,
        **place: Unpack[ConnectionSettings],
    ) -> int:
        """Copy all points to a collection elsewhere; return how many points this call copied.

        Ids, payloads and vectors stay as they are; nothing is encoded. If interrupted, repeat the
        call: it copies only points that are missing, or were changed, hidden or shown since. From
        server to server it also copies the options: shards, replicas, HNSW, ...

        Args:
            collection: name of the copy; the same name by default.
            progress: called after each batch; points copied by an earlier call count as done.
            **place: where the copy is; see :class:`ConnectionSettings`.

        Raises:
            ConfigurationError: no place is named.
            CollectionMismatchError: the collection there has a different encoder or shape;
                nothing was written.
            CollectionError: the copy ends up with a different number of points.
        """
        name = check_name(self.collection if collection is None else collection)
        places = (place.get("location"), place.get("client"), place.get("async_client"))
        if all(each in (None, MEMORY) for each in places):
            raise ConfigurationError(
                "copy_to needs location= or client= of another place; memory is gone at once."
            )
        with closing(connect(**place)) as there:
            servers = not any(c.embedded or c.local_mode for c in (self.connection, there))
            copying = collection_copy.copy(self._collection, name, there, progress, options=servers)
            return self.run(copying)

    @blocking
    def reindex(
        self,
        into: str,
        encoder: Encoder | None = None,
        *,
        alias: str | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | None = None,
        **settings: Unpack[CollectionSettings],
    ) -> Operation[ReindexReport]:
        """Write all passages to a second collection, with a different encoder or settings.

        Searches and writes continue meanwhile; the second collection has all changes at the end. If
        interrupted, repeat the call. At the end ``alias`` points to the second collection, even for
        programs that have it open. If the encoder or language differs, these programs must then
        open it again. Later writes under the first collection's own name reach only the first.

        Args:
            into: name of the second collection, which is new, empty, or left by an earlier call.
            encoder: makes its vectors; by default this index's.
            alias: a name that points to the second collection at the end; servers only.
            dry_run: write nothing; estimate time and space from the first passages.
            progress: called about every second while the passages are read for the first time.
            **settings: see :class:`CollectionSettings`; by default this index's.

        Raises:
            ConfigurationError: names or settings that cannot work.
            CollectionError: another program writes to the second collection, or it was not made
                from this one.
        """
        encoder = encoder or self.encoder
        work = Reindexing(self._collection, into, encoder, settings, alias, self.embedded)
        if dry_run:
            return (yield from work.estimate())
        report = yield from work.run(progress)
        yield from self._optimize(into)
        return report

    def _optimize(self, collection: str | None = None, *, force: bool = False) -> Operation[bool]:
        if not self.embedded:
            return False
        return bool((yield client_call("optimize", collection or self.collection, force=force)))

    def find_candidates(
        self,
        queries: Sequence[Sequence[EncodedVectorQuery]],
        filter: UserFilter = None,  # noqa: A002
        also: Sequence[Sequence[Mapping[str, Any]]] | None = None,
        params: models.SearchParams | None = None,
        groupings: Sequence[Grouping] | None = None,
    ) -> Operation[list[CandidatePool]]:
        """Find the pool of each query; see :func:`candidate_search.find_candidates`."""
        pools = yield from candidate_search.find_candidates(
            self._collection, queries, filter, also, params, groupings
        )
        if not any(pool.ids for pool in pools):
            yield from self._warn(filter)
        return pools

    def _warn(self, filter: UserFilter) -> Operation[None]:  # noqa: A002
        return warn_of_unknown_fields(self._collection, filter, self._known_fields)

    def read_page(
        self,
        filter: UserFilter = None,  # noqa: A002
        offset: Any = None,
        size: int = 256,
    ) -> Operation[tuple[list[Passage], Any]]:
        """Read one page of passages and the offset of the next."""
        page, following = yield from points.page(self._collection, filter, offset, size)
        if not page and offset is None:
            yield from self._warn(filter)
        return page, following

    fetch_passages = over_collection(points.fetch, "fetch_passages")
    get_passages = over_collection(points.get, "get_passages")
    delete_passages = over_collection(points.delete, "delete_passages")
    fetch_vectors = over_collection(stored.fetch_vectors)
    stored_vectors = over_collection(stored.stored_vectors)
    unhide = over_collection(points.unhide)
    write_field = over_collection(points.write_field)
    quarantined_page = over_collection(points.quarantined_page)
    fingerprints = over_collection(points.fingerprints)
    note = over_collection(notes.note)
    noted = over_collection(notes.noted)

    def hide(self, ids: Sequence[str]) -> Operation[list[str]]:
        """Quarantine passages; see :func:`points.hide`."""
        # creates the flag's payload index if a server lacks it
        self._collection = yield from prepare_writing(self._collection, self.encoder.specs)
        return (yield from points.hide(self._collection, ids))

    def close(self) -> None:
        """Close the connection; clients that the caller passed stay open."""
        self.connection.close()

    async def aclose(self) -> None:
        await self.connection.aclose()

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
        return f"PassageIndex({self._collection.name!r} at {self.connection.place!r})"
