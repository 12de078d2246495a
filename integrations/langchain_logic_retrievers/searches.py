"""Searches of the vector store: by text under its policy, by a vector, and for diverse results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_logic_retrievers.documents import stored_document
from logic_retrievers.adapters.vector_search import TOPICAL, diverse_hits, nearest_hits
from logic_retrievers.effects import Operation
from logic_retrievers.index import UserFilter
from logic_retrievers.ranking.query_input import AnyPolicy, QuerySyntax, read_query
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit


class SearchOptions(TypedDict, total=False):
    """Settings of a single search."""

    filter: UserFilter
    policy: AnyPolicy | None
    min_score: float | None
    query_syntax: QuerySyntax
    exclude: Sequence[str]
    hard: bool


class StoreSearches(VectorStore):
    """Searches of a vector store.

    Searches by a vector and for diverse results compare topical vectors only. They read neither
    exclusions nor a policy or a judge; for these use ``similarity_search`` or a
    ``ConstraintRetriever``.
    """

    engine: Engine

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """Return the k best documents, as they were stored.

        See :meth:`similarity_search_with_score`.
        """
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        scored = await self.asimilarity_search_with_score(query, k, **kwargs)
        return [document for document, _ in scored]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        """Return the k best documents with their scores under the policy: higher is better.

        Args:
            query: a text that is not empty, or an expression.
            k: number of documents.
            **settings: ``filter`` (a Qdrant ``Filter`` or ``{"key": value}`` over the metadata),
                ``policy`` (instead of the store's own), ``min_score``, ``query_syntax``,
                ``exclude`` and ``hard``, as in :class:`ConstraintRetriever`.

        Raises:
            ExpressionError: the query should be an expression and is not.
            EmptyTextError, ConfigurationError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        return _with_scores(self.engine.search(**self._request(query, k, **settings)))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        return _with_scores(await self.engine.asearch(**self._request(query, k, **settings)))

    def similarity_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self,
        embedding: list[float],
        k: int = 4,
        *,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
    ) -> list[Document]:
        """Return the k documents whose topical vectors are nearest to one of ``LogicEmbeddings``.

        Raises:
            InputError: the vector has another dimension, or is not finite.
        """
        index = self.engine.index
        return _documents(index.run(nearest_hits(index, embedding, k, filter)))

    async def asimilarity_search_by_vector(  # type: ignore[override]
        self,
        embedding: list[float],
        k: int = 4,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        index = self.engine.index
        return _documents(await index.arun(nearest_hits(index, embedding, k, filter)))

    def max_marginal_relevance_search(  # type: ignore[override]
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """Pick k diverse documents (MMR) from the top ``fetch_k`` of plain topical search.

        Args:
            query: a text that is not empty; its exclusions are ignored.
            k: number of documents.
            fetch_k: number of candidates.
            lambda_mult: weight of relevance, in [0, 1]; 1 is plain search.
            filter: over the metadata.

        Raises:
            ConfigurationError: a number that is out of range.
            EmptyTextError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        index = self.engine.index
        hits = self.engine.search(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(index.run(diverse_hits(index, hits, k, lambda_mult)))

    async def amax_marginal_relevance_search(  # type: ignore[override]
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        index = self.engine.index
        hits = await self.engine.asearch(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(await index.arun(diverse_hits(index, hits, k, lambda_mult)))

    def max_marginal_relevance_search_by_vector(  # type: ignore[override]
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """Pick k diverse documents (MMR) around a vector of ``LogicEmbeddings``."""
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(self.engine.index.run(operation))

    async def amax_marginal_relevance_search_by_vector(  # type: ignore[override]
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(await self.engine.index.arun(operation))

    def _diverse_by_vector(
        self, embedding: list[float], k: int, fetch_k: int, weight: float, where: UserFilter
    ) -> Operation[list[Hit]]:
        hits = yield from nearest_hits(self.engine.index, embedding, max(k, fetch_k), where)
        return (yield from diverse_hits(self.engine.index, hits, k, weight))

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
        return {"query": query_read, "k": k, "policy": policy, **settings}

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return _relevance


def _documents(hits: Sequence[Hit]) -> list[Document]:
    return [stored_document(hit.passage) for hit in hits]


def _with_scores(hits: Sequence[Hit]) -> list[tuple[Document, float]]:
    return [(stored_document(hit.passage), hit.score) for hit in hits]


def _relevance(score: float) -> float:
    """Map a cosine in [-1, 1] to [0, 1]; a penalty may have taken it below -1."""
    return min(1.0, max(0.0, (score + 1) / 2))
