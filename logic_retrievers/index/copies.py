"""Second collections of an index: a copy elsewhere, or all passages anew beside the first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import Any, Unpack

from logic_retrievers.effects import Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import collection_copy, reindexing
from logic_retrievers.index.clients import MEMORY
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.nodes import connect
from logic_retrievers.index.operations import IndexOperations
from logic_retrievers.index.reindexing import ReindexReport
from logic_retrievers.index.requests import client_call
from logic_retrievers.index.settings import (
    CollectionSettings,
    ConnectionSettings,
    check_name,
    split_settings,
)
from logic_retrievers.progress import ProgressCallback

_FIXED = (
    *ConnectionSettings.__annotations__,
    *("tenant", "all_tenants", "create", "show_quarantined", "vector_names"),
)
"""Settings of an index that are those of the first collection."""


class IndexCopies(IndexOperations):
    """An opened index that can be copied and reindexed."""

    def copy_to(
        self,
        collection: str | None = None,
        *,
        progress: ProgressCallback | None = None,
        **place: Unpack[ConnectionSettings],
    ) -> int:
        """Copies all points into a new collection elsewhere: from a folder to a server, or back.

        Ids, payloads and vectors stay as they are; nothing is encoded. After an interruption the
        same call continues: it copies what is missing, and again what was changed, hidden or shown
        since. From a server to a server the copy is kept like the original: shards, replicas,
        quantisation, strict mode and the configurations of HNSW, optimisers and write-ahead log.
        The embedded engine has none of these but int8.

        Args:
            collection: name of the copy; the same name by default.
            progress: called after each batch; what an earlier call copied counts as done.
            **place: where the copy is; see :class:`ConnectionSettings`.

        Returns:
            How many points were copied in this call.

        Raises:
            ConfigurationError: no place is named; the copy would go with this call.
            CollectionMismatchError: the collection there is another encoder's, or of another form;
                nothing was written.
            CollectionError: the copy does not have as many points in the end.
        """
        name = self._name_of_copy(collection, place)
        with closing(connect(**place)) as other:
            return self.run(self._copy(name, other, progress))

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
            return await self.arun(self._copy(name, other, progress))
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
            into: name of the second collection; new, empty, or that of an interrupted call.
            encoder: makes its vectors; by default this index's.
            alias: a name that leads to the second collection at the end; for servers.
            dry_run: write nothing, and estimate time and space from the first passages.
            progress: called about every second while the passages are read for the first time.
            **settings: see :class:`CollectionSettings`; what is left out is as in this index.

        Raises:
            ConfigurationError: names or settings that cannot be.
            CollectionError: others write to the second collection, or it holds what no earlier
                call has put there.
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

    def _copy(
        self, name: str, other: Connection, progress: ProgressCallback | None
    ) -> Operation[int]:
        is_server = [not (each.embedded or each.local_mode) for each in (self._connection, other)]
        return collection_copy.copy(self._collection, name, other, progress, options=all(is_server))

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

    def _optimize(self, collection: str | None = None, *, force: bool = False) -> Operation[bool]:
        if not self.embedded:
            return False
        call = client_call("optimize", collection or self.collection, force=force)
        return bool((yield call))
