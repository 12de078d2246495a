"""A document store over an index: what writes into pipelines' collections, and what they search."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Self, Unpack, cast

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from qdrant_client import models

from haystack_logic_retrievers.documents import document_of, stored_passages
from haystack_logic_retrievers.filters import translate_filters
from haystack_logic_retrievers.opening import open_index
from haystack_logic_retrievers.settings import check_encoder, open_encoder, refuse_to_save
from logic_retrievers.adapters.descriptions import jsonable
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, DuplicateIdError, shown
from logic_retrievers.index import PassageIndex, Settings
from logic_retrievers.index.clients import check_location
from logic_retrievers.index.settings import CollectionSettings, split_settings
from logic_retrievers.types import Passage


class DuplicateError(DuplicateIdError, DuplicateDocumentError):
    """A document that is stored already; an error of this package's tree, and Haystack's own."""


class StoreSettings(CollectionSettings, total=False):
    """Settings of :meth:`PassageIndex.open`, but for those that the store's constructor names."""

    prefer_grpc: bool
    grpc_port: int
    timeout: float
    retries: int
    read_only: bool


class LogicDocumentStore:
    """Stores documents with all named vectors; ``DocumentWriter`` writes to it.

    The collection is opened when it is first needed. Stores of one process may name the same
    folder. A document's ``embedding`` is not kept: the store makes its own vectors of the text.

        store = LogicDocumentStore("stays", location="my-index")
        store.write_documents([Document(content="A quiet inn by the sea.")])

    Args:
        collection: its name.
        location: a folder, a server's address, or a list of those of a cluster's nodes; None: in
            memory, as long as the store lives.
        api_key: for a server.
        bundle: folder of an encoder bundle; the one that comes with the package where None.
        encoder: makes the vectors, in place of a bundle's; such a store cannot be saved.
        index: an index that is open already, in place of all else; such a store cannot be saved.
        **settings: ``tenant``, ``lexical``, ``vectors``, ``quantized``, ``prefer_grpc``, ...: as
            for :meth:`PassageIndex.open`.

    Raises:
        ConfigurationError: settings that cannot work.
    """

    def __init__(
        self,
        collection: str = "passages",
        location: str | os.PathLike[str] | Sequence[str] | None = None,
        *,
        api_key: Secret | None = None,
        bundle: str | None = None,
        encoder: Encoder | None = None,
        index: PassageIndex | None = None,
        **settings: Unpack[StoreSettings],
    ) -> None:
        if index is not None and not isinstance(index, PassageIndex):
            raise ConfigurationError(f"index= is a PassageIndex, not {shown(index)}.")
        if index is not None and (settings or any((location, api_key, bundle, encoder))):
            raise ConfigurationError("Pass either index=, or where and how to open a collection.")
        if api_key is not None and not isinstance(api_key, Secret):
            raise ConfigurationError("api_key= is a Secret: Secret.from_env_var('QDRANT_API_KEY').")
        if unknown := sorted(settings.keys() - StoreSettings.__annotations__.keys()):
            raise ConfigurationError(
                f"LogicDocumentStore has no setting {unknown[0]!r}; beside the arguments there is"
                f" {', '.join(sorted(StoreSettings.__annotations__))}."
            )
        check_encoder(bundle, encoder)
        split_settings(collection, cast("Settings", settings), encoder)
        self.collection = collection if index is None else index.collection
        self.location = _check_locations(location)
        self.api_key = api_key
        self.bundle = bundle
        self.encoder = encoder
        self.settings = settings
        self._given = index
        self._opened: PassageIndex | None = None
        self._close: Callable[[], object] = lambda: None
        self._lock = threading.Lock()

    @property
    def index(self) -> PassageIndex:
        """The collection, opened if it is not.

        Raises:
            CollectionError, ServerError: as :meth:`PassageIndex.open`.
            ConfigurationError: the key's variable is not set, or settings that cannot work.
        """
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                encoder = open_encoder(self.bundle, self.encoder)
                settings: dict[str, Any] = {**self.settings}
                if self.api_key is not None:
                    settings["api_key"] = _resolve(self.api_key)
                index, close = open_index(self.collection, encoder, self.location, settings)
                self._opened = index
                # also where nobody closes the store, which Haystack does not
                self._close = weakref.finalize(self, close)
            return self._opened

    async def open_async(self) -> PassageIndex:
        """The collection; opened without blocking the event loop."""
        if self._given is not None or self._opened is not None:
            return self.index
        return await encoder_threads.submit(lambda: self.index)

    def close(self) -> None:
        """Closes what the store opened; it is opened again when it is needed."""
        with self._lock:
            self._opened = None
            self._close()

    async def close_async(self) -> None:
        """The asynchronous twin of :meth:`close`."""
        if self._opened is not None and not self._opened.embedded:
            await self._opened.aclose()  # also the client of this event loop
        self.close()

    def to_dict(self) -> dict[str, Any]:
        """The settings, for a pipeline's file; of a key the name of its variable alone.

        Raises:
            ConfigurationError: the store has an encoder or an index of the user's own.
            ValueError: Haystack's, of a key that is no variable's.
        """
        if self._given is not None:
            raise refuse_to_save("index", self._given, "Make the store by collection and location.")
        if self.encoder is not None:
            raise refuse_to_save("encoder", self.encoder, "Name a bundle's folder: bundle=.")
        return default_to_dict(
            self,
            collection=self.collection,
            location=self.location,
            api_key=self.api_key,
            bundle=self.bundle,
            **jsonable(dict(self.settings)),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The store that :meth:`to_dict` described."""
        return default_from_dict(cls, data)

    def count_documents(self) -> int:
        """How many documents there are."""
        return self.index.count()

    async def count_documents_async(self) -> int:
        """The asynchronous twin of :meth:`count_documents`."""
        return await (await self.open_async()).acount()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that a filter admits, in no order of meaning; all of them without one.

        Raises:
            FilterInputError: a filter that cannot be read; Haystack's ``FilterError`` too.
        """
        condition = self.translate(filters)
        return [document_of(passage) for passage in self.index.scroll(condition)]

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The asynchronous twin of :meth:`filter_documents`."""
        index = await self.open_async()
        condition = self.translate(filters)
        return [document_of(passage) async for passage in index.ascroll(condition)]

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Stores documents; those that are stored unchanged cost nothing. How many were written.

        One without text is left out with a ``BlankTextWarning``; meta is stored as JSON has it.

        Args:
            documents: they stay as they are.
            policy: what happens to an id that is stored already. ``NONE`` is ``OVERWRITE``.

        Raises:
            DuplicateError: under ``FAIL``, an id that is stored already; nothing was written.
                Haystack's ``DuplicateDocumentError`` too.
            InputError: documents that cannot be stored, once all others are; or one with binary
                data, and nothing was written.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        passages = stored_passages(documents)
        looks = policy in (DuplicatePolicy.SKIP, DuplicatePolicy.FAIL)
        stored = self.index.get([passage.id for passage in passages]) if looks else []
        chosen = _chosen(passages, policy, stored)
        blank = self.index.add(chosen).blank
        return (len(chosen) if looks else len(passages)) - blank

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """The asynchronous twin of :meth:`write_documents`."""
        passages = stored_passages(documents)
        looks = policy in (DuplicatePolicy.SKIP, DuplicatePolicy.FAIL)
        index = await self.open_async()
        stored = await index.aget([passage.id for passage in passages]) if looks else []
        chosen = _chosen(passages, policy, stored)
        blank = (await index.aadd(chosen)).blank
        return (len(chosen) if looks else len(passages)) - blank

    def delete_documents(self, document_ids: list[str]) -> None:
        """Deletes documents by their ids; one that is not there is no error."""
        self.index.delete(document_ids)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """The asynchronous twin of :meth:`delete_documents`."""
        await (await self.open_async()).adelete(document_ids)

    def translate(self, filters: dict[str, Any] | None) -> models.Filter | None:
        """Haystack's filters as one of Qdrant's over this collection.

        Raises:
            FilterInputError: they cannot be read or translated.
        """
        return translate_filters(filters, self.index.prefixes, self.index.tenant)


class StoreComponent:
    """A component that stands on a store, or on none."""

    document_store: LogicDocumentStore | None

    def close(self) -> None:
        """Closes the store; the next run opens it again."""
        if self.document_store is not None:
            self.document_store.close()

    async def close_async(self) -> None:
        """The asynchronous twin of :meth:`close`."""
        if self.document_store is not None:
            await self.document_store.close_async()


def check_store(store: Any) -> LogicDocumentStore:
    """The store that a component stands on.

    Raises:
        ConfigurationError: none of this package.
    """
    if not isinstance(store, LogicDocumentStore):
        raise ConfigurationError(f"document_store= is a LogicDocumentStore, not {shown(store)}.")
    return store


def _chosen(
    passages: Sequence[Passage], policy: DuplicatePolicy, stored: Sequence[Passage]
) -> list[Passage]:
    """What is to be written, each id once: the last under ``OVERWRITE``, the first under ``SKIP``.

    Raises:
        DuplicateError: under ``FAIL``, an id that is stored or given twice.
    """
    if policy not in (DuplicatePolicy.SKIP, DuplicatePolicy.FAIL):
        return list({passage.id: passage for passage in passages}.values())
    chosen: dict[str, Passage] = {}
    known = {passage.id for passage in stored}
    for passage in passages:
        if passage.id not in known:
            chosen[passage.id] = passage
            known.add(passage.id)
        elif policy is DuplicatePolicy.FAIL:
            raise DuplicateError(
                f"Document {passage.id!r} is stored already, or given twice. Write with"
                " DuplicatePolicy.OVERWRITE or SKIP, or delete it first."
            )
    return list(chosen.values())


def _resolve(api_key: Secret) -> str | None:
    try:
        return api_key.resolve_value()
    except ValueError as error:  # names the variables that are not set
        raise ConfigurationError(str(error)) from None


def _check_locations(
    location: str | os.PathLike[str] | Sequence[str] | None,
) -> str | list[str] | None:
    if location is None:
        return None
    if isinstance(location, list | tuple):
        return [check_location(node) for node in location]
    return check_location(location)
