"""``PassageIndex``: a Qdrant collection of passages, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any, Self, Unpack

from logic_retrievers.effects import Compute, Operation, arun, run
from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import backfill, collection_copy, ingestion, points, reindexing
from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.clients import MEMORY
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.ingestion import BATCH_SIZE, IngestReport
from logic_retrievers.index.nodes import connect
from logic_retrievers.index.opening import open_collection, prepare_writing
from logic_retrievers.index.operations import IndexOperations
from logic_retrievers.index.reindexing import ReindexReport
from logic_retrievers.index.requests import client_call
from logic_retrievers.index.settings import (
    CollectionSettings,
    ConnectionSettings,
    Settings,
    check_name,
    split_settings,
)
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.types import Passage

_FIXED = (
    *ConnectionSettings.__annotations__,
    *("tenant", "all_tenants", "create", "show_quarantined", "vector_names"),
)
"""Settings of an index that are those of the first collection."""


class PassageIndex(IndexOperations):
    """A collection with one point per passage and one named vector per head of the encoder.

    Open it with :meth:`open` or :meth:`aopen`. Each method has an asynchronous form (``aadd`` of
    ``add``) that does the same without blocking the event loop; both may be mixed on one object.
    What one call stores, every later call finds.
    """

    @classmethod
    def open(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Opens a collection, creating it where it does not exist.

        Args:
            collection: its name.
            encoder: makes the vectors; by default the one of the bundle that comes with the
                package.
            **settings: see :class:`ConnectionSettings` and :class:`CollectionSettings`.

        Raises:
            CollectionError: its subclasses say how the collection differs from what is required.
            ServerError: its subclasses say why a server did not answer.
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
        """:meth:`open` without blocking the event loop."""
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
        opened = yield from open_collection(
            collection,
            encoder.specs,
            local_mode=connection.local_mode,
            embedded=connection.embedded,
            **settings,
        )
        return cls(connection, encoder, opened)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Names of the vectors that some passages lack until :meth:`backfill` has made them."""
        return tuple(sorted(n for n, v in self._collection.vectors.items() if v.incomplete))

    def add(
        self,
        passages: Iterable[Passage],
        *,
        replace_sources: bool = True,
        keep_sources: Container[str] = (),
        progress: ProgressCallback | None = None,
        batch_size: int = BATCH_SIZE,
        fast: bool = False,
    ) -> IngestReport:
        """Stores passages.

        Passages that are stored unchanged cost neither encoding nor sending, so a call that was cut
        off, even by ``kill -9``, is finished by running it again.

        Args:
            passages: any iterable; read as a stream.
            replace_sources: afterwards delete what is still stored of the sources of this call and
                is not in it.
            keep_sources: sources that this call brings only in part (a file with a row that could
                not be read); nothing of theirs is deleted. Read when ``passages`` has ended.
            progress: called about every second, and after the first 16 passages.
            batch_size: how many passages are read and sorted by length, and at most sent, together.
            fast: make the topical vector and the words alone, in about half the time, and leave the
                other vectors to :meth:`backfill`. Until then no search uses them; see
                :attr:`incomplete`.

        Raises:
            EmptyTextError, DuplicateIdError, InputError: a passage that cannot be stored; nothing
                of its batch is.
            CollectionError, ServerError: Qdrant refused or failed. The message says how many
                passages of this call are stored.
        """
        return self.run(
            self._add(passages, replace_sources, keep_sources, progress, batch_size, fast)
        )

    async def aadd(
        self,
        passages: Iterable[Passage],
        *,
        replace_sources: bool = True,
        keep_sources: Container[str] = (),
        progress: ProgressCallback | None = None,
        batch_size: int = BATCH_SIZE,
        fast: bool = False,
    ) -> IngestReport:
        """:meth:`add` without blocking the event loop."""
        return await self.arun(
            self._add(passages, replace_sources, keep_sources, progress, batch_size, fast)
        )

    def delete(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002
        source: str | None = None,
    ) -> int:
        """Deletes passages by exactly one of the three; returns how many there were."""
        return self.run(points.delete(self._collection, ids, filter, source))

    async def adelete(
        self,
        ids: Sequence[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002
        source: str | None = None,
    ) -> int:
        """:meth:`delete` without blocking the event loop."""
        return await self.arun(points.delete(self._collection, ids, filter, source))

    def count(self, filter: UserFilter = None) -> int:  # noqa: A002
        """How many passages there are."""
        return self.run(points.count(self._collection, filter))

    async def acount(self, filter: UserFilter = None) -> int:  # noqa: A002
        """:meth:`count` without blocking the event loop."""
        return await self.arun(points.count(self._collection, filter))

    def unknown_fields(self, filter: UserFilter) -> list[str]:  # noqa: A002
        """The metadata fields of a filter that no passage has, so that the filter passes none."""
        return self.run(points.unknown_fields(self._collection, filter))

    async def aunknown_fields(self, filter: UserFilter) -> list[str]:  # noqa: A002
        """:meth:`unknown_fields` without blocking the event loop."""
        return await self.arun(points.unknown_fields(self._collection, filter))

    def get(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in their order; those that do not exist are left out."""
        return self.run(points.get(self._collection, ids))

    async def aget(self, ids: Sequence[str]) -> list[Passage]:
        """:meth:`get` without blocking the event loop."""
        return await self.arun(points.get(self._collection, ids))

    def scroll(
        self,
        filter: UserFilter = None,  # noqa: A002
        *,
        page_size: int = BATCH_SIZE,
    ) -> Iterator[Passage]:
        """All passages, one after the other, read in pages."""
        offset = None
        while True:
            page, offset = self.run(points.page(self._collection, filter, offset, page_size))
            yield from page
            if offset is None:
                return

    async def ascroll(
        self,
        filter: UserFilter = None,  # noqa: A002
        *,
        page_size: int = BATCH_SIZE,
    ) -> AsyncIterator[Passage]:
        """:meth:`scroll` without blocking the event loop."""
        offset = None
        while True:
            page, offset = await self.arun(points.page(self._collection, filter, offset, page_size))
            for passage in page:
                yield passage
            if offset is None:
                return

    def backfill(
        self,
        names: Sequence[str] | None = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> BackfillReport:
        """Makes missing named vectors; see :func:`logic_retrievers.index.backfill.backfill`."""
        return self.run(self._backfill(names, progress))

    async def abackfill(
        self,
        names: Sequence[str] | None = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> BackfillReport:
        """:meth:`backfill` without blocking the event loop."""
        return await self.arun(self._backfill(names, progress))

    def copy_to(
        self,
        collection: str | None = None,
        *,
        progress: ProgressCallback | None = None,
        **place: Unpack[ConnectionSettings],
    ) -> int:
        """Copies all points into a new collection elsewhere: from a folder to a server, or back.

        Ids, payloads and vectors stay as they are; nothing is encoded. After an interruption the
        same call continues.

        Args:
            collection: name of the copy; the same name by default.
            progress: called after each batch; what an earlier call copied counts as done.
            **place: where the copy is; see :class:`ConnectionSettings`.

        Returns:
            How many points were copied in this call.

        Raises:
            ConfigurationError: no place is named; the copy would go with this call.
            CollectionError: the copy does not have as many points in the end.
        """
        name = self._name_of_copy(collection, place)
        with closing(connect(**place)) as other:
            return self.run(collection_copy.copy(self._collection, name, other, progress))

    async def acopy_to(
        self,
        collection: str | None = None,
        *,
        progress: ProgressCallback | None = None,
        **place: Unpack[ConnectionSettings],
    ) -> int:
        """:meth:`copy_to` without blocking the event loop."""
        name = self._name_of_copy(collection, place)
        other = await asyncio.to_thread(partial(connect, **place))
        try:
            return await self.arun(collection_copy.copy(self._collection, name, other, progress))
        finally:
            await other.aclose()

    def reindex(
        self,
        into: str,
        encoder: Encoder | None = None,
        *,
        alias: str | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | None = None,
        **settings: Unpack[CollectionSettings],
    ) -> ReindexReport:
        """Makes a second collection of all passages, with another encoder or other settings.

        Searches and writes go on meanwhile. Passages that are written, changed or deleted while it
        runs are in the second collection at the end. After an interruption the same call goes on.

        With ``alias``, programs that opened that name read and write the second collection from the
        end of the call on. Where its encoder, or the language of its words, is another one, open
        them again at that moment: what they send is made for the first. What others write by the
        first collection's own name after the call is in the first alone.

        Args:
            into: name of the second collection.
            encoder: makes its vectors; by default this index's.
            alias: a name that leads to the second collection at the end; for servers.
            dry_run: write nothing, and estimate time and space from the first passages.
            progress: called about every second while the passages are read for the first time.
            **settings: see :class:`CollectionSettings`; what is left out is as in this index.

        Raises:
            ConfigurationError: names or settings that cannot be.
            CollectionError: somebody else writes to the second collection.
        """
        return self.run(self._reindex(into, encoder, alias, dry_run, progress, settings))

    async def areindex(
        self,
        into: str,
        encoder: Encoder | None = None,
        *,
        alias: str | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | None = None,
        **settings: Unpack[CollectionSettings],
    ) -> ReindexReport:
        """:meth:`reindex` without blocking the event loop."""
        return await self.arun(self._reindex(into, encoder, alias, dry_run, progress, settings))

    def optimize(self) -> bool:
        """Builds the HNSW index of an embedded collection now; a server does so by itself.

        :meth:`add` does it where more than 100,000 passages are outside that index. Searches go on
        meanwhile; writes wait.

        Returns:
            Whether there was anything to do.
        """
        return self.run(self._optimize(force=True))

    async def aoptimize(self) -> bool:
        """:meth:`optimize` without blocking the event loop."""
        return await self.arun(self._optimize(force=True))

    def _optimize(self, collection: str | None = None, *, force: bool = False) -> Operation[bool]:
        if not self.embedded:
            return False
        call = client_call("optimize", collection or self.collection, force=force)
        return bool((yield call))

    def _add(
        self,
        passages: Iterable[Passage],
        replace_sources: bool,
        keep_sources: Container[str],
        progress: ProgressCallback | None,
        batch_size: int,
        fast: bool,
    ) -> Operation[IngestReport]:
        self._collection = yield from prepare_writing(self._collection, self._encoder.specs)
        postponed = backfill.postponed_vectors(self._collection) if fast else ()
        report = yield from ingestion.add(
            self._collection,
            self._encoder,
            passages,
            replace_sources=replace_sources,
            keep_sources=keep_sources,
            progress=progress,
            batch_size=batch_size,
            postponed=postponed,
            mark_postponed=self._mark_postponed if postponed else None,
        )
        yield from self._optimize()
        return report

    def _mark_postponed(self) -> Operation[None]:
        self._collection = yield from backfill.mark_postponed(self._collection)

    def _backfill(
        self, names: Sequence[str] | None, progress: ProgressCallback | None
    ) -> Operation[BackfillReport]:
        report = yield from backfill.backfill(
            self._collection, self._encoder, names, progress=progress
        )
        self._collection = yield from open_collection(
            self._collection.name,
            self._encoder.specs,
            local_mode=self._connection.local_mode,
            tenant=self._collection.tenant,
            all_tenants=self._collection.tenant is None,
            create=False,
            show_quarantined=self._collection.shows_quarantined,
        )
        yield from self._optimize()
        return report

    def _name_of_copy(self, collection: str | None, place: Mapping[str, Any]) -> str:
        named = ("location", "client", "async_client")
        if all(place.get(setting) in (None, MEMORY) for setting in named):
            raise ConfigurationError(
                "copy_to needs location= or client= of another place: a copy in memory would be"
                " gone at once."
            )
        return check_name(self.collection if collection is None else collection)

    def _reindex(
        self,
        into: str,
        encoder: Encoder | None,
        alias: str | None,
        dry_run: bool,
        progress: ProgressCallback | None,
        settings: Any,
    ) -> Operation[ReindexReport]:
        if wrong := sorted(settings.keys() & {*_FIXED}):
            raise ConfigurationError(
                f"{wrong[0]}= is no setting of a reindexing: it takes all passages, and stays where"
                " the first collection is. copy_to copies to another place."
            )
        _, opening = split_settings(into, settings, encoder)
        if alias is not None:
            check_name(alias)
        source, makes = self._collection, encoder or self._encoder
        if dry_run:
            return (
                yield from reindexing.estimate(source, into, makes, opening, embedded=self.embedded)
            )
        report = yield from reindexing.reindex(
            source, into, makes, opening, alias, progress, embedded=self.embedded
        )
        yield from self._optimize(into)
        return report
