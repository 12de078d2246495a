"""The searches of a vector store under its policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from langchain_core.documents import Document

from langchain_logic_retrievers.documents import stored_document
from langchain_logic_retrievers.vector_searches import VectorSearches
from logic_retrievers.index import UserFilter
from logic_retrievers.ranking.query_input import AnyPolicy, QuerySyntax, read_query
from logic_retrievers.types import Hit


class SearchOptions(TypedDict, total=False):
    """Settings of a single search."""

    filter: UserFilter
    policy: AnyPolicy | None
    min_score: float | None
    query_syntax: QuerySyntax
    exclude: Sequence[str]
    hard: bool


class StoreSearches(VectorSearches):
    """Searches for texts under the policy of the store."""

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The k best documents, as they were stored; see :meth:`similarity_search_with_score`."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The asynchronous twin of :meth:`similarity_search`."""
        scored = await self.asimilarity_search_with_score(query, k, **kwargs)
        return [document for document, _ in scored]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        """The k best documents, and their scores under the policy: more is better.

        Args:
            query: any text that is not empty, or an expression's.
            k: how many.
            **settings: ``filter`` (a Qdrant ``Filter`` or ``{"key": value}`` over the metadata),
                ``policy`` (instead of the store's own), ``min_score``, ``query_syntax``,
                ``exclude`` and ``hard``, as in :class:`ConstraintRetriever`.

        Raises:
            ExpressionError: the query is to be an expression and is none.
            EmptyTextError, ConfigurationError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        return _with_scores(self.engine.search(**self._request(query, k, **settings)))

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **settings: Unpack[SearchOptions]
    ) -> list[tuple[Document, float]]:
        """The asynchronous twin of :meth:`similarity_search_with_score`."""
        return _with_scores(await self.engine.asearch(**self._request(query, k, **settings)))

    def _request(
        self,
        query: str,
        k: int,
        *,
        policy: AnyPolicy | None = None,
        query_syntax: QuerySyntax = "words",
        **settings: Any,
    ) -> dict[str, Any]:
        """The arguments of :meth:`Engine.search`."""
        policy = self.engine.policy if policy is None else policy
        return {
            "query": read_query(query, query_syntax, policy),
            "k": k,
            "policy": policy,
            **settings,
        }

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return _relevance


def _with_scores(hits: Sequence[Hit]) -> list[tuple[Document, float]]:
    return [(stored_document(hit.passage), hit.score) for hit in hits]


def _relevance(score: float) -> float:
    """A cosine in [-1, 1] as [0, 1]; a penalty may have taken it below."""
    return min(1.0, max(0.0, (score + 1) / 2))
