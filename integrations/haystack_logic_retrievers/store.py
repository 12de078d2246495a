"""A Haystack document store over an index."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, Unpack, cast

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret
from qdrant_client import models

from haystack_logic_retrievers.documents import document_of, stored_passages
from haystack_logic_retrievers.filters import translate_filters
from haystack_logic_retrievers.settings import check_encoder, open_encoder, refuse_to_save
from logic_retrievers.adapters.descriptions import jsonable
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, DuplicateIdError, shown
from logic_retrievers.index import PassageIndex, Settings
from logic_retrievers.index.settings import (
    MEMORY,
    CollectionSettings,
    check_location,
    is_address,
    split_settings,
)
from logic_retrievers.types import Passage


class DuplicateError(DuplicateIdError, DuplicateDocumentError):
    """A document is already stored. This error is also Haystack's ``DuplicateDocumentError``."""


class StoreSettings(CollectionSettings, total=False):
    """Settings of :meth:`PassageIndex.open`, except the constructor's named arguments."""

    prefer_grpc: bool
    grpc_port: int
    timeout: float
    retries: int
    read_only: bool


class LogicDocumentStore:
    """Stores documents with all named vectors. ``DocumentWriter`` can write to it.

        store = LogicDocumentStore("stays", location="my-index")
        store.write_documents([Document(content="A quiet inn by the sea.")])
        ConstraintRetriever(store).run("an inn, not in a city")["documents"]

    The collection is opened at first use. Several stores in one process may share a folder. A
    document's ``embedding`` is not kept, because the store makes its own vectors from the text.

    Args:
        collection: name of the collection.
        location: a folder, a server's address, or a list of addresses of a cluster's nodes. None
            keeps the documents in memory for the store's lifetime.
        api_key: key of the server.
        bundle: folder of an encoder bundle; by default the package's own.
        encoder: a ready encoder in place of a bundle. With one, the store cannot be saved.
        index: an open index in place of all other arguments. With one, the store cannot be saved.
        **settings: ``tenant``, ``lexical``, ``vectors``, ``quantized``, ``prefer_grpc``, ..., as
            for :meth:`PassageIndex.open`.

    Raises:
        ConfigurationError: a setting cannot work.
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
            raise ConfigurationError(f"index= must be a PassageIndex, not {shown(index)}.")
        if index is not None and (settings or any((location, api_key, bundle, encoder))):
            raise ConfigurationError("Pass index=, or settings to open a collection, not both.")
        if api_key is not None and not isinstance(api_key, Secret):
            raise ConfigurationError(
                "api_key= must be a Secret, as in Secret.from_env_var('QDRANT_API_KEY')."
            )
        refuse_unknown("LogicDocumentStore", settings, StoreSettings.__annotations__.keys())
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
        """The index, opened at first access.

        Raises:
            CollectionError, ServerError: as :meth:`PassageIndex.open`.
            ConfigurationError: the key's variable is not set, or a setting cannot work.
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
                # Haystack closes no stores, so garbage collection of the store closes the index
                self._close = weakref.finalize(self, close)
            return self._opened

    async def open_async(self) -> PassageIndex:
        """Return :attr:`index`, opened without blocking the event loop."""
        if self._given is not None or self._opened is not None:
            return self.index
        return await encoder_threads.submit(lambda: self.index)

    def close(self) -> None:
        """Close the collection. The next use opens it again."""
        with self._lock:
            self._opened = None
            self._close()

    async def close_async(self) -> None:
        """Close the collection and the clients of this event loop."""
        if self._opened is not None and not self._opened.embedded:
            await self._opened.aclose()
        self.close()

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings for a pipeline's file; of the key, only its variable's name.

        Raises:
            ConfigurationError: the user passed an encoder or an index.
            ValueError: Haystack refuses a key that is not in an environment variable.
        """
        if self._given is not None:
            raise refuse_to_save("index", self._given, "Pass collection= and location= instead.")
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
        return default_from_dict(cls, data)

    def count_documents(self) -> int:
        return self.index.count()

    async def count_documents_async(self) -> int:
        return await (await self.open_async()).acount()

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that pass the filters (all by default), in no particular order.

        Raises:
            FilterInputError: a filter cannot be read.
        """
        condition = self.translate(filters)
        return [document_of(passage) for passage in self.index.scroll(condition)]

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        index = await self.open_async()
        condition = self.translate(filters)
        return [document_of(passage) async for passage in index.ascroll(condition)]

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Store documents and return how many. Unchanged documents are not encoded again.

        A document without text is left out with a ``BlankTextWarning``. Meta is stored as JSON.

        Args:
            documents: documents to store.
            policy: treatment of ids that are already stored. ``NONE`` means ``OVERWRITE``.

        Raises:
            DuplicateError: under ``FAIL``, an id is already stored. Nothing was written.
            InputError: some documents cannot be stored (raised after storing the rest), or a
                document has binary data (nothing was written).
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
        passages = stored_passages(documents)
        looks = policy in (DuplicatePolicy.SKIP, DuplicatePolicy.FAIL)
        index = await self.open_async()
        stored = await index.aget([passage.id for passage in passages]) if looks else []
        chosen = _chosen(passages, policy, stored)
        blank = (await index.aadd(chosen)).blank
        return (len(chosen) if looks else len(passages)) - blank

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete documents by their ids. Unknown ids are ignored."""
        self.index.delete(document_ids)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        await (await self.open_async()).adelete(document_ids)

    def translate(self, filters: dict[str, Any] | None) -> models.Filter | None:
        """Translate Haystack's filters into one Qdrant filter over this collection."""
        return translate_filters(filters, self.index.prefixes, self.index.tenant)


def _chosen(
    passages: Sequence[Passage], policy: DuplicatePolicy, stored: Sequence[Passage]
) -> list[Passage]:
    """Return the passages to write, one per id: the last under OVERWRITE, the first under SKIP.

    Raises:
        DuplicateError: under FAIL, an id is already stored or given twice.
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
    except ValueError as error:  # the message names the unset variables
        raise ConfigurationError(str(error)) from None


def _check_locations(
    location: str | os.PathLike[str] | Sequence[str] | None,
) -> str | list[str] | None:
    if location is None:
        return None
    if isinstance(location, list | tuple):
        return [check_location(node) for node in location]
    return check_location(location)


# Haystack makes a separate store for each component of a loaded pipeline, but the embedded engine
# can open a folder only once. So all indexes over a folder share the client of the first index,
# which stays open until the last index is closed.


@dataclass(slots=True)
class _Folder:
    """The index that opened a folder, and the number of indexes that use its client."""

    index: PassageIndex
    users: int = 1


_Key = tuple[str, bool]  # path, and whether the client is read-only, so useless to writers
_folders: dict[_Key, _Folder] = {}
# reentrant, because garbage collection may close one store while another store opens
_lock = threading.RLock()


def open_index(
    collection: str,
    encoder: Encoder | None,
    location: str | list[str] | None,
    settings: Mapping[str, Any],
) -> tuple[PassageIndex, Callable[[], None]]:
    """Return an index, and the function that closes the index; call this once."""
    if location is None or location == MEMORY or isinstance(location, list) or is_address(location):
        index = PassageIndex.open(collection, encoder, location=location, **settings)
        return index, index.close
    path = os.path.realpath(location)
    with _lock:
        key = (path, bool(settings.get("read_only")) and (path, False) not in _folders)
        leave = partial(_leave, key)
        folder = _folders.get(key)
        if folder is None:
            index = PassageIndex.open(collection, encoder, location=location, **settings)
            _folders[key] = _Folder(index)
            return index, leave
        folder.users += 1
        try:
            client = folder.index.client
            return PassageIndex.open(collection, encoder, client=client, **settings), leave
        except BaseException:
            leave()
            raise


def _leave(key: _Key) -> None:
    with _lock:
        folder = _folders[key]
        folder.users -= 1
        if not folder.users:
            del _folders[key]
            folder.index.close()
