"""``PassageIndex``: a Qdrant collection of passages, synchronous and asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self, Unpack

from logic_retrievers.effects import Compute, Operation, arun, run
from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import backfill, ingestion, points
from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.copies import IndexCopies
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.ingestion import BATCH_SIZE, IngestReport
from logic_retrievers.index.nodes import connect
from logic_retrievers.index.opening import open_collection, prepare_writing
from logic_retrievers.index.settings import (
    Settings,
    split_settings,
)
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.types import Passage


class PassageIndex(IndexCopies):
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

    def add(
        self,
        passages: Iterable[Passage],
        *,
        replace_sources: bool = False,
        keep_sources: Container[str] = (),
        progress: ProgressCallback | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> IngestReport:
        """Stores passages.

        Passages that are stored unchanged cost neither encoding nor sending, so a call that was cut
        off, even by ``kill -9``, is finished by running it again.

        A passage whose text holds nothing to read is left out, with a :class:`BlankTextWarning`;
        what is stored under its id stays, unless the rest of its source is replaced. Metadata are
        stored as JSON has them.

        Args:
            passages: any iterable; read as a stream.
            replace_sources: once every passage of this call is stored, delete what is still stored
                of their sources and is not in it. A call that ends early deletes nothing.
            keep_sources: sources that such a call brings only in part (a file with a row that could
                not be read); nothing of theirs is deleted. Read when ``passages`` has ended.
            progress: called about every second, and after the first 16 passages.
            batch_size: how many passages are read and sorted by length, and at most sent, together.

        Raises:
            ConfigurationError: the index was opened with ``all_tenants=True``.
            DuplicateIdError, InputError: passages that cannot be stored, once all others are.
            CollectionError, ServerError: Qdrant refused or failed. The message says how many
                passages of this call are stored.
        """
        return self.run(self._add(passages, replace_sources, keep_sources, progress, batch_size))

    async def aadd(
        self,
        passages: Iterable[Passage],
        *,
        replace_sources: bool = False,
        keep_sources: Container[str] = (),
        progress: ProgressCallback | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> IngestReport:
        """:meth:`add` without blocking the event loop."""
        return await self.arun(
            self._add(passages, replace_sources, keep_sources, progress, batch_size)
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
        return self.run(self._count(filter))

    async def acount(self, filter: UserFilter = None) -> int:  # noqa: A002
        """:meth:`count` without blocking the event loop."""
        return await self.arun(self._count(filter))

    def unknown_fields(self, filter: UserFilter) -> dict[str, str]:  # noqa: A002
        """Fields of a filter that no passage has, or none with a value of the kind asked for.

        The first 16 fields are looked at; those of a filter that matches nothing for another reason
        are not among them.

        Returns:
            Field -> the kind of value: ``{"lnag": "a text", "date": "a number"}``.
        """
        return self.run(self._unknown_fields(filter))

    async def aunknown_fields(self, filter: UserFilter) -> dict[str, str]:  # noqa: A002
        """:meth:`unknown_fields` without blocking the event loop."""
        return await self.arun(self._unknown_fields(filter))

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
        """:meth:`scroll` without blocking the event loop."""
        offset = None
        while True:
            page, offset = await self.arun(self.read_page(filter, offset, page_size))
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

    def _add(
        self,
        passages: Iterable[Passage],
        replace_sources: bool,
        keep_sources: Container[str],
        progress: ProgressCallback | None,
        batch_size: int,
    ) -> Operation[IngestReport]:
        self._connection.check_writable()
        if self._collection.all_tenants:
            raise ConfigurationError(
                "This index reads the passages of all tenants (all_tenants=True): what it added"
                " would belong to none, and no tenant would see it. Open it with tenant= to add."
            )
        self._collection = yield from prepare_writing(self._collection, self._encoder.specs)
        report = yield from ingestion.add(
            self._collection,
            self._encoder,
            passages,
            replace_sources=replace_sources,
            keep_sources=keep_sources,
            progress=progress,
            batch_size=batch_size,
        )
        yield from self._optimize()
        return report

    def _backfill(
        self, names: Sequence[str] | None, progress: ProgressCallback | None
    ) -> Operation[BackfillReport]:
        self._connection.check_writable()
        report = yield from backfill.backfill(
            self._collection, self._encoder, names, progress=progress
        )
        opened = yield from open_collection(
            self._collection.name,
            self._encoder.specs,
            local_mode=self._connection.local_mode,
            tenant=self._collection.tenant,
            all_tenants=self._collection.tenant is None,
            create=False,
            show_quarantined=self._collection.shows_quarantined,
        )
        self._collection = replace(opened, all_tenants=self._collection.all_tenants)
        yield from self._optimize()
        return report
