"""A LangChain vector store that keeps all named vectors of an encoder."""

# ruff: noqa: A002 - "filter" is the word that vector stores use

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, Self, TypedDict, Unpack

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from langchain_logic_retrievers.documents import stored_document, to_documents, to_passages
from langchain_logic_retrievers.models import LogicEmbeddings, encoder_for_store
from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.adapters.vector_search import TOPICAL, diverse_hits, nearest_hits
from logic_retrievers.effects import Operation, encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, Settings, UserFilter
from logic_retrievers.index.ingestion import BATCH_SIZE
from logic_retrievers.index.search_params import SearchParams
from logic_retrievers.policies import resolve_policy
from logic_retrievers.policies.auto import with_fields
from logic_retrievers.ranking.query_input import AnyPolicy, Hard, QuerySyntax, read_query
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit
from logic_retrievers.validity import AsOf, Validity, check_validity


class VectorSearchOptions(TypedDict, total=False):
    """Settings of a single search by a vector."""

    filter: UserFilter
    min_score: float | None
    offset: int
    params: SearchParams
    score_threshold: float | None
    search_params: SearchParams


class SearchOptions(VectorSearchOptions, total=False):
    """Settings of a single search."""

    policy: AnyPolicy | None
    query_syntax: QuerySyntax
    exclude: Sequence[str]
    hard: Hard
    now: date | str | None
    strict_fields: bool
    as_of: AsOf
    group_by: str | None
    per_group: int


# langchain-qdrant's name of a setting -> ours
_QDRANT_NAMES = {"score_threshold": "min_score", "search_params": "params"}


class LogicVectorStore(VectorStore):
    """Stores documents with all named vectors of an encoder, and searches under a policy.

    Searches return documents as stored, like LangChain's stores. For the evidence use
    ``ConstraintRetriever.over(store)``. Searches by a vector or for diverse results compare only
    topical vectors, without exclusions, policy or judge. The store works with
    ``langchain_core.indexing.index`` and a record manager. Every method has an asynchronous twin
    that does not block the event loop.

    Args:
        index: the index that stores the documents.
        policy: the default policy of searches.
        fields, validity: as in :class:`ConstraintRetriever`.

    Raises:
        UnknownPolicyError: no policy has that name.

    Examples:
        >>> store = LogicVectorStore.open("handbook", location="my-index")  # doctest: +SKIP
        >>> store.add_documents(documents)                                  # doctest: +SKIP
        >>> store.similarity_search("a quiet hotel", k=3)                   # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        *,
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
    ) -> None:
        self.engine = Engine(index, policy, fields=fields, validity=validity)

    @property
    def index(self) -> PassageIndex:
        """The index behind the store. Closing the index closes the connection."""
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
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """Open a collection, or create it if missing.

        The default ``encoder`` comes with the package. ``policy`` is the default for searches;
        ``fields`` and ``validity`` are as in :class:`ConstraintRetriever`. For ``settings``
        (``location``, ``api_key``, ``tenant``, ...) and errors see :meth:`PassageIndex.open`.
        """
        check_validity(validity)  # before anything is opened
        chosen = with_fields(resolve_policy(policy), fields)
        return cls(PassageIndex.open(collection, encoder, **settings), chosen, validity=validity)

    @classmethod
    async def aopen(
        cls,
        collection: str = "passages",
        encoder: Encoder | None = None,
        *,
        policy: AnyPolicy = "auto",
        fields: Mapping[str, Any] | None = None,
        validity: Validity | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """:meth:`open` without blocking the event loop."""
        check_validity(validity)
        chosen = with_fields(resolve_policy(policy), fields)
        index = await PassageIndex.aopen(collection, encoder, **settings)
        return cls(index, chosen, validity=validity)

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
            documents: documents to store.
            embedding: makes the topical vectors. The encoder of a :class:`LogicEmbeddings` makes
                all vectors. None means the package's own encoder.
            ids: as for :meth:`add_documents`.
            identity: see :func:`encoder_of`.
            **settings: as for :meth:`open`; ``collection`` may be called ``collection_name``.

        Raises:
            ConfigurationError: a setting is unknown, or the collection has two names.
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
        """Store documents. A document with a known id replaces the stored one.

        A document with a blank text is left out with a ``BlankTextWarning``. Metadata is stored as
        JSON, without the evidence of this package's components (the key ``logic``).

        Args:
            documents: documents to store.
            ids: an id for each document; None means the document's own id, or a new one.
            batch_size: number of documents encoded and sent at a time.

        Returns:
            The ids of all documents, in order, blank ones included.

        Raises:
            InputError: some documents cannot be stored; raised after storing the rest.
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
        self, ids: list[str] | None = None, *, filter: UserFilter = None
    ) -> bool:
        """Delete documents by ids or by a filter. Unknown ids are ignored.

        Raises:
            InputError: pass ids or a filter, not both. To delete everything, drop the collection.
        """
        self.index.delete(ids, filter=filter)
        return True

    async def adelete(  # type: ignore[override]  # a misspelt setting is refused
        self, ids: list[str] | None = None, *, filter: UserFilter = None
    ) -> bool:
        await self.index.adelete(ids, filter=filter)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the documents with these ids, in order. Unknown ids are left out."""
        return [stored_document(passage) for passage in self.index.get(ids)]

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [stored_document(passage) for passage in await self.index.aget(ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """Return the k best documents, as stored.

        See :meth:`similarity_search_with_score`.
        """
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        scored = await self.asimilarity_search_with_score(query, k, **kwargs)
        return [document for document, _ in scored]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        """Return the k best documents with their scores under the policy (higher is better).

        Args:
            query: a text that is not empty, or an expression.
            k: number of documents.
            **settings: ``filter`` (a Qdrant ``Filter`` or ``{"key": value}`` over the metadata),
                ``policy`` (replaces the store's), ``min_score``, ``query_syntax``,
                ``exclude`` and ``hard``, as in :class:`ConstraintRetriever`; ``now``,
                ``strict_fields``, ``as_of``, ``group_by``, ``per_group``, ``offset`` and
                ``params``, as in :class:`logic_retrievers.SearchOptions`. langchain-qdrant's names
                work too: ``score_threshold`` for ``min_score``, ``search_params`` for ``params``.

        Raises:
            ExpressionError: ``query_syntax`` is ``expression``, but the query is not one.
            EmptyTextError, ConfigurationError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        return _with_scores(self.engine.search(**self._request(query, k, **settings)))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        return _with_scores(await self.engine.asearch(**self._request(query, k, **settings)))

    def similarity_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self, embedding: list[float], k: int = 4, **settings: Unpack[VectorSearchOptions]
    ) -> list[Document]:
        """Return the k documents nearest to a topical vector of ``LogicEmbeddings``.

        ``settings`` are those of :meth:`similarity_search_with_score` that need no text.

        Raises:
            InputError: the vector has the wrong dimension, or is not finite.
            ConfigurationError: a setting is unknown, or has two names.
        """
        return _documents(self.index.run(self._nearest(embedding, k, settings)))

    async def asimilarity_search_by_vector(  # type: ignore[override]
        self, embedding: list[float], k: int = 4, **settings: Unpack[VectorSearchOptions]
    ) -> list[Document]:
        return _documents(await self.index.arun(self._nearest(embedding, k, settings)))

    def max_marginal_relevance_search(  # type: ignore[override]
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,
    ) -> list[Document]:
        """Pick k diverse documents (MMR) from the first ``fetch_k`` of a plain topical search.

        Args:
            query: a text that is not empty; its exclusions are ignored.
            k: number of documents.
            fetch_k: number of candidates.
            lambda_mult: weight of relevance, in [0, 1]; 1 is plain search.
            filter: filter over the metadata.

        Raises:
            ConfigurationError: a number is out of range.
            EmptyTextError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        hits = self.engine.search(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(self.index.run(diverse_hits(self.index, hits, k, lambda_mult)))

    async def amax_marginal_relevance_search(  # type: ignore[override]
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,
    ) -> list[Document]:
        hits = await self.engine.asearch(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(await self.index.arun(diverse_hits(self.index, hits, k, lambda_mult)))

    def max_marginal_relevance_search_by_vector(  # type: ignore[override]
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,
    ) -> list[Document]:
        """Pick k diverse documents (MMR) around a vector of ``LogicEmbeddings``."""
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(self.index.run(operation))

    async def amax_marginal_relevance_search_by_vector(  # type: ignore[override]
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,
    ) -> list[Document]:
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(await self.index.arun(operation))

    def _nearest(
        self, embedding: list[float], k: int, settings: VectorSearchOptions
    ) -> Operation[list[Hit]]:
        named = _with_own_names(settings)
        refuse_unknown("similarity_search_by_vector", named, {*VectorSearchOptions.__annotations__})
        return nearest_hits(self.index, embedding, k, **named)

    def _diverse_by_vector(
        self, embedding: list[float], k: int, fetch_k: int, weight: float, where: UserFilter
    ) -> Operation[list[Hit]]:
        hits = yield from nearest_hits(self.index, embedding, max(k, fetch_k), where)
        return (yield from diverse_hits(self.index, hits, k, weight))

    def _request(
        self,
        query: str,
        k: int,
        *,
        policy: AnyPolicy | None = None,
        query_syntax: QuerySyntax = "words",
        **settings: Any,
    ) -> dict[str, Any]:
        policy = self.engine.policy if policy is None else policy
        query_read = read_query(query, query_syntax, policy)
        named = _with_own_names(settings)
        return {"query": query_read, "k": k, "policy": policy, **named}

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return _relevance


def _take_name(settings: dict[str, Any]) -> str:
    """Take ``collection``, or langchain-qdrant's ``collection_name``, out of the settings."""
    names = [settings.pop(key) for key in ("collection", "collection_name") if key in settings]
    if len(names) > 1:
        raise ConfigurationError("Name the collection once: collection= or collection_name=.")
    if "encoder" in settings:
        raise ConfigurationError("Unknown setting 'encoder'; pass embedding= instead.")
    return names[0] if names else "passages"


def _with_own_names(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the settings that have langchain-qdrant's names."""
    named = dict(settings)
    for theirs, ours in _QDRANT_NAMES.items():
        if theirs in named:
            if ours in named:
                raise ConfigurationError(f"{theirs}= is {ours}= by another name; pass one of them.")
            named[ours] = named.pop(theirs)
    return named


def _documents(hits: Sequence[Hit]) -> list[Document]:
    return [stored_document(hit.passage) for hit in hits]


def _with_scores(hits: Sequence[Hit]) -> list[tuple[Document, float]]:
    return [(stored_document(hit.passage), hit.score) for hit in hits]


def _relevance(score: float) -> float:
    """Map a score from [-1, 1] to [0, 1].

    A score is a cosine, but a penalty can lower it below -1; such a score becomes 0.
    """
    return min(1.0, max(0.0, (score + 1) / 2))
