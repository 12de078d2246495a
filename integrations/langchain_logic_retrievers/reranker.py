"""Rerank the documents of any retriever by a policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document

from langchain_logic_retrievers.documents import STRICT, to_candidates, with_ranking
from langchain_logic_retrievers.tracing import RERANKING, asend_event, inside_run, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import RerankerFields


class CompatibilityReranker(RerankerFields, BaseDocumentCompressor):
    """Orders documents by what a query wants and rules out; for ``ContextualCompressionRetriever``.

    The documents may come from any source. The result holds copies, with ``metadata["logic"]``
    and ``metadata["relevance_score"]``. Documents that agree in id, text and metadata count once;
    different ones with one id all count. A run sends the policy's decisions to its handlers in
    the custom event ``logic_retrievers.rerank``.

    Args:
        policy: a policy's name, or a policy with your own settings.
        top_n: number of documents; None keeps all of them.
        encoder: makes the vectors; by default the index's encoder, else the package's own.
        index: a collection with some of the documents, whose stored vectors are used.
        query_syntax, exclude, hard: as in :class:`ConstraintRetriever`.
        judge: as in :class:`ConstraintRetriever`. Under the policy ``judge``, the judge alone
            orders the documents of every query.
        reranker, fields, now: as in :class:`ConstraintRetriever`.

    Raises:
        ValidationError: pydantic's ``ValueError``, with this package's message.

    Examples:
        >>> CompatibilityReranker(top_n=5).compress_documents(documents, query)  # doctest: +SKIP
    """

    model_config = STRICT

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """Return the documents, best first; see :meth:`logic_retrievers.Reranker.rerank`.

        Raises:
            EmptyTextError, InputError, ExpressionError, ConfigurationError, ServerError: as in
                :meth:`logic_retrievers.Reranker.rerank`.
        """
        candidates, reranker = to_candidates(documents), self._reranker()
        with inside_run(callbacks):
            hits = reranker.rerank(**self._request(query, candidates))
        send_event(RERANKING, partial(describe_hits, reranker.policy.name, hits), callbacks)
        return [with_ranking(*found) for found in paired(candidates, hits)]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        candidates, reranker = to_candidates(documents), self._reranker()
        with inside_run(callbacks):
            hits = await reranker.arerank(**self._request(query, candidates))
        await asend_event(RERANKING, partial(describe_hits, reranker.policy.name, hits), callbacks)
        return [with_ranking(*found) for found in paired(candidates, hits)]
