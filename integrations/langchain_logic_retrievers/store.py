"""A LangChain vector store that keeps all named vectors of an encoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Self, Unpack

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from langchain_logic_retrievers.documents import stored_document, to_documents, to_passages
from langchain_logic_retrievers.models import TOPICAL, LogicEmbeddings, encoder_for_store
from langchain_logic_retrievers.searches import StoreSearches
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, Settings, UserFilter
from logic_retrievers.index.ingestion import BATCH_SIZE
from logic_retrievers.policies import resolve_policy
from logic_retrievers.ranking.query_input import AnyPolicy
from logic_retrievers.search import Engine


class LogicVectorStore(StoreSearches):
    """Stores documents with all named vectors of an encoder, and searches under a policy.

    Searches return documents as they were stored, as LangChain's stores do; for the evidence use
    ``ConstraintRetriever.over(store)``. Works with ``langchain_core.indexing.index`` and a record
    manager. Every method has an asynchronous twin that does not block the event loop.

    Args:
        index: where the documents are stored.
        policy: the default of searches.

    Raises:
        UnknownPolicyError: no policy has that name.

    Examples:
        >>> store = LogicVectorStore.open("handbook", location="my-index")  # doctest: +SKIP
        >>> store.add_documents(documents)                                  # doctest: +SKIP
        >>> store.similarity_search("a quiet hotel", k=3)                   # doctest: +SKIP
    """

    def __init__(self, index: PassageIndex, policy: AnyPolicy = "auto") -> None:
        self.engine = Engine(index, policy)

    @property
    def index(self) -> PassageIndex:
        """The index behind the store; close it to close the connection."""
        return self.engine.index

    @property
    def embeddings(self) -> Embeddings | None:
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
        """Open a collection; create it where it does not exist.

        ``encoder`` is the one that comes with the package by default, and ``policy`` the default
        of searches. For ``settings`` (``location``, ``api_key``, ``tenant``, ...) and errors see
        :meth:`PassageIndex.open`.
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
        """Open a collection without blocking the event loop; see :meth:`open`."""
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
        """Open a collection and add documents to it.

        Args:
            documents: to be stored.
            embedding: makes the topical vectors. :class:`LogicEmbeddings` give their encoder with
                all its vectors; None means the encoder that comes with the package.
            ids: as for :meth:`add_documents`.
            identity: see :func:`encoder_of`.
            **settings: as for :meth:`open`; ``collection`` may be called ``collection_name``.

        Raises:
            ConfigurationError: an unknown setting, or two names of the collection.
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
        """Open a collection and add texts to it; see :meth:`from_documents`."""
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
        documents = to_documents(texts, metadatas)
        return await cls.afrom_documents(documents, embedding, ids=ids, **kwargs)

    def add_documents(  # type: ignore[override]  # a misspelt setting is refused
        self,
        documents: list[Document],
        ids: Sequence[str | None] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
    ) -> list[str]:
        """Store documents; a document with a known id replaces the stored one.

        A document with a blank text is left out with a ``BlankTextWarning``. Metadata is stored as
        JSON, without the evidence of searches.

        Args:
            documents: to be stored.
            ids: one for each document; None means the document's own, or a new one.
            batch_size: number of documents encoded and sent together.

        Returns:
            The id of each document, in order; blank documents included.

        Raises:
            InputError: some documents cannot be stored; raised after all others are.
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
        """Store texts; see :meth:`add_documents`."""
        return self.add_documents(to_documents(list(texts), metadatas), ids, **kwargs)

    async def aadd_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        return await self.aadd_documents(to_documents(list(texts), metadatas), ids, **kwargs)

    def delete(  # type: ignore[override]  # a misspelt setting is refused
        self,
        ids: list[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
    ) -> bool:
        """Delete documents by ids or by a filter; unknown ids are ignored.

        Raises:
            InputError: neither ids nor filter, or both. To delete everything, drop the collection.
        """
        self.index.delete(ids, filter=filter)
        return True

    async def adelete(  # type: ignore[override]  # a misspelt setting is refused
        self,
        ids: list[str] | None = None,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> bool:
        await self.index.adelete(ids, filter=filter)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents of these ids, in order; unknown ids are left out."""
        return [stored_document(passage) for passage in self.index.get(ids)]

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [stored_document(passage) for passage in await self.index.aget(ids)]


def _take_name(settings: dict[str, Any]) -> str:
    """Take the collection's name out of the settings; ``collection_name`` is langchain-qdrant's."""
    names = [settings.pop(key) for key in ("collection", "collection_name") if key in settings]
    if len(names) > 1:
        raise ConfigurationError("Name the collection once: collection= or collection_name=.")
    if "encoder" in settings:
        raise ConfigurationError("Unknown setting 'encoder'; pass embedding= instead.")
    return names[0] if names else "passages"
