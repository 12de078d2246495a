"""LangChain's searches by a vector and for diverse results: plain ones, without a policy."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_logic_retrievers.documents import stored_document
from logic_retrievers.adapters.vector_search import TOPICAL, diverse_hits, nearest_hits
from logic_retrievers.effects import Operation
from logic_retrievers.index import UserFilter
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit


class VectorSearches(VectorStore):
    """Searches that read topical vectors alone.

    What a query rules out is not read, and neither is a policy or a judge: for these use
    ``similarity_search`` or a ``ConstraintRetriever``.
    """

    engine: Engine

    def similarity_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self,
        embedding: list[float],
        k: int = 4,
        *,
        filter: UserFilter = None,  # noqa: A002 - the word that vector stores use
    ) -> list[Document]:
        """The k documents whose topical vectors are nearest to a vector of ``LogicEmbeddings``.

        Raises:
            InputError: the vector has another dimension, or is no finite one.
        """
        return _documents(self._run(nearest_hits(self.engine.index, embedding, k, filter)))

    async def asimilarity_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self,
        embedding: list[float],
        k: int = 4,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """The asynchronous twin of :meth:`similarity_search_by_vector`."""
        return _documents(await self._arun(nearest_hits(self.engine.index, embedding, k, filter)))

    def max_marginal_relevance_search(  # type: ignore[override]  # a misspelt setting is refused
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """Of the first ``fetch_k`` documents of plain topical search k that differ.

        Args:
            query: any text that is not empty; what it rules out is not read.
            k: how many documents.
            fetch_k: candidates.
            lambda_mult: weight of relevance, in [0, 1]; 1 is plain search.
            filter: over the metadata.

        Raises:
            ConfigurationError: a number that is out of range.
            EmptyTextError, MissingVectorError, ServerError: see
                :meth:`logic_retrievers.Engine.search`.
        """
        hits = self.engine.search(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(self._run(diverse_hits(self.engine.index, hits, k, lambda_mult)))

    async def amax_marginal_relevance_search(  # type: ignore[override]  # a misspelt setting is refused
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """The asynchronous twin of :meth:`max_marginal_relevance_search`."""
        hits = await self.engine.asearch(query, max(k, fetch_k), policy=TOPICAL, filter=filter)
        return _documents(await self._arun(diverse_hits(self.engine.index, hits, k, lambda_mult)))

    def max_marginal_relevance_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """:meth:`max_marginal_relevance_search` from a vector of ``LogicEmbeddings``."""
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(self._run(operation))

    async def amax_marginal_relevance_search_by_vector(  # type: ignore[override]  # a misspelt setting is refused
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        *,
        filter: UserFilter = None,  # noqa: A002
    ) -> list[Document]:
        """The asynchronous twin of :meth:`max_marginal_relevance_search_by_vector`."""
        operation = self._diverse_by_vector(embedding, k, fetch_k, lambda_mult, filter)
        return _documents(await self._arun(operation))

    def _diverse_by_vector(
        self, embedding: list[float], k: int, fetch_k: int, weight: float, where: UserFilter
    ) -> Operation[list[Hit]]:
        hits = yield from nearest_hits(self.engine.index, embedding, max(k, fetch_k), where)
        return (yield from diverse_hits(self.engine.index, hits, k, weight))

    def _run(self, operation: Operation[list[Hit]]) -> list[Hit]:
        return self.engine.index.run(operation)

    async def _arun(self, operation: Operation[list[Hit]]) -> list[Hit]:
        return await self.engine.index.arun(operation)


def _documents(hits: Sequence[Hit]) -> list[Document]:
    return [stored_document(hit.passage) for hit in hits]
