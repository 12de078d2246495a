"""A collection with all named vectors, as a LangChain vector store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Self, Unpack

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_logic_retrievers.documents import stored_document, to_documents, to_passages
from langchain_logic_retrievers.models import TOPICAL, LogicEmbeddings, encoder_for_store
from langchain_logic_retrievers.store_searches import StoreSearches
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, Settings, UserFilter
from logic_retrievers.index.ingestion import BATCH_SIZE
from logic_retrievers.policies import resolve_policy
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.search import Engine


class LogicVectorStore(StoreSearches):
    """Stores every document with all named vectors of an encoder, and searches under a policy.

    Searches give the documents as they were stored, as LangChain's stores do; for the evidence use
    ``ConstraintRetriever.over(store)``. Works with ``langchain_core.indexing.index`` and a record
    manager. Every method has an asynchronous twin that does not block the event loop.

    Args:
        index: where the documents are kept.
        policy: for searches that name none.

    Raises:
        UnknownPolicyError: no policy has that name.

    Examples:
        >>> store = LogicVectorStore.open("handbook", location="my-index")  # doctest: +SKIP
        >>> store.add_documents(documents)                                  # doctest: +SKIP
    """

    def __init__(self, index: PassageIndex, policy: AnyPolicy = "auto") -> None:
        self.engine = Engine(index, policy)

    @property
    def index(self) -> PassageIndex:
        """Where the documents are kept; close it to close the connection."""
        return self.engine.index

    @property
    def embeddings(self) -> Embeddings | None:
        """The topical vectors; None where the encoder makes none."""
        encoder = self.index.encoder
        return LogicEmbeddings(encoder=encoder) if TOPICAL in encoder.specs else None

    @classmethod
    def open(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        **settings: Unpack[Settings],
    ) -> Self:
        """Opens a collection, making it where there is none.

        Args:
            collection: its name.
            encoder: makes the vectors; by default that of the bundle that comes with the package.
            policy: for searches that name none.
            **settings: of :meth:`PassageIndex.open` (``location``, ``api_key``, ``tenant``, ...).

        Raises:
            CollectionError, ServerError, ConfigurationError: see :meth:`PassageIndex.open`.
        """
        resolve_policy(policy)  # before anything is opened
        return cls(PassageIndex.open(collection, encoder, **settings), policy)

    @classmethod
    async def aopen(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        **settings: Unpack[Settings],
    ) -> Self:
        """The asynchronous twin of :meth:`open`."""
        resolve_policy(policy)
        return cls(await PassageIndex.aopen(collection, encoder, **settings), policy)

    @classmethod
    def from_documents(
        cls,
        documents: list[Document],
        embedding: Embeddings | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        identity: str | None = None,
        **settings: Any,
    ) -> Self:
        """Opens a collection and adds documents to it.

        Args:
            documents: to be stored.
            embedding: makes the topical vectors; :class:`LogicEmbeddings` give their encoder with
                all its vectors; None: the bundle that comes with the package.
            ids: as for :meth:`add_documents`.
            identity: see :func:`encoder_of`.
            **settings: as for :meth:`open`; ``collection`` may be called ``collection_name``.

        Raises:
            ConfigurationError: a setting that nobody knows, or the collection's name twice.
            CollectionError, ServerError, InputError: as :meth:`open` and :meth:`add_documents`.
        """
        name = _take_name(settings)
        encoder = encoder_for_store(embedding, identity)
        store = cls.open(name, encoder, **settings)
        try:
            store.add_documents(documents, ids=ids)
        except BaseException:
            store.index.close()
            raise
        return store

    @classmethod
    async def afrom_documents(
        cls,
        documents: list[Document],
        embedding: Embeddings | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        identity: str | None = None,
        **settings: Any,
    ) -> Self:
        """The asynchronous twin of :meth:`from_documents`."""
        name = _take_name(settings)
        encoder = await encoder_threads.submit(partial(encoder_for_store, embedding, identity))
        store = await cls.aopen(name, encoder, **settings)
        try:
            await store.aadd_documents(documents, ids=ids)
        except BaseException:
            await store.index.aclose()
            raise
        return store

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Opens a collection and adds texts to it; see :meth:`from_documents`."""
        return cls.from_documents(to_documents(texts, metadatas), embedding, ids=ids, **kwargs)

    @classmethod
    async def afrom_texts(
        cls,
        texts: list[str],
        embedding: Embeddings | None = None,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """The asynchronous twin of :meth:`from_texts`."""
        documents = to_documents(texts, metadatas)
        return await cls.afrom_documents(documents, embedding, ids=ids, **kwargs)

    def add_documents(  # type: ignore[override]  # a misspelt setting is refused
        self,
        documents: list[Document],
        ids: Sequence[str | None] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
    ) -> list[str]:
        """Stores documents; one of a known id takes the stored one's place.

        One whose text is blank is left out with a ``BlankTextWarning``; metadata are stored as JSON
        has them.

        Args:
            documents: to be stored; what a search added to their metadata is not.
            ids: one a document; else the document's own, or a new one.
            batch_size: how many documents are encoded and sent together.

        Returns:
            The ids, one a document and in their order, those of blank documents too.

        Raises:
            InputError: documents that cannot be stored, once all others are.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        passages = to_passages(documents, ids)
        self.index.add(passages, batch_size=batch_size)
        return [passage.id for passage in passages]

    async def aadd_documents(  # type: ignore[override]  # a misspelt setting is refused
        self,
        documents: list[Document],
        ids: Sequence[str | None] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
    ) -> list[str]:
        """The asynchronous twin of :meth:`add_documents`."""
        passages = to_passages(documents, ids)
        await self.index.aadd(passages, batch_size=batch_size)
        return [passage.id for passage in passages]

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Stores texts; see :meth:`add_documents`."""
        return self.add_documents(to_documents(list(texts), metadatas), ids, **kwargs)

    async def aadd_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """The asynchronous twin of :meth:`add_texts`."""
        return await self.aadd_documents(to_documents(list(texts), metadatas), ids, **kwargs)

    def delete(  # type: ignore[override]  # a misspelt setting is refused
        self,
        ids: list[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
    ) -> bool:
        """Deletes documents by their ids or by a filter; unknown ids are no error.

        Raises:
            InputError: neither of the two, or both. To delete everything, drop the collection.
        """
        self.index.delete(ids, filter=filter)
        return True

    async def adelete(  # type: ignore[override]  # a misspelt setting is refused
        self,
        ids: list[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> bool:
        """The asynchronous twin of :meth:`delete`."""
        await self.index.adelete(ids, filter=filter)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of these ids, in their order; those that are not there are left out."""
        return [stored_document(passage) for passage in self.index.get(ids)]

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The asynchronous twin of :meth:`get_by_ids`."""
        return [stored_document(passage) for passage in await self.index.aget(ids)]


def _take_name(settings: dict[str, Any]) -> str:
    """Takes the collection's name out of settings; ``collection_name`` is langchain-qdrant's.

    Raises:
        ConfigurationError: the collection has two names, or there is an encoder beside the
            embeddings.
    """
    names = [settings.pop(key) for key in ("collection", "collection_name") if key in settings]
    if len(names) > 1:
        raise ConfigurationError("Name the collection once: collection= or collection_name=.")
    if "encoder" in settings:
        raise ConfigurationError("Unknown setting 'encoder'. What makes the vectors is embedding=.")
    return names[0] if names else "passages"
