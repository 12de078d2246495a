"""Rerank the documents of any retriever by a policy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from pydantic import Field

from langchain_logic_retrievers.documents import to_candidates, with_ranking
from langchain_logic_retrievers.settings import STRICT, PolicySetting
from langchain_logic_retrievers.tracing import RERANKING, asend_event, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import Count, ExcludeSetting, HardSetting, JudgeSetting
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.ranking.query_input import (
    QuerySyntax,
    check_exclude,
    check_syntax,
    read_query,
)
from logic_retrievers.rerank import Reranker
from logic_retrievers.types import Passage


class CompatibilityReranker(BaseDocumentCompressor):
    """Orders documents by what a query wants and rules out; for ``ContextualCompressionRetriever``.

    The documents may come from anywhere. Copies come back, with ``metadata["logic"]`` and
    ``metadata["relevance_score"]``. Documents that agree in id, text and metadata count once;
    documents of one id that differ all count. A run sends the policy's decisions to its handlers in
    the custom event ``logic_retrievers.rerank``.

    Args:
        policy: a name or a policy with settings of your own.
        top_n: number of documents; None keeps all of them.
        encoder: makes the vectors; by default the index's, or the one that comes with the package.
        index: a collection that holds some of the documents; lends their stored vectors.
        query_syntax, exclude, hard: as in :class:`ConstraintRetriever`.
        judge: as in :class:`ConstraintRetriever`; under the policy ``judge`` it alone orders the
            documents of every query.

    Raises:
        ValidationError: pydantic's ``ValueError``, with the message of the package's own error.

    Examples:
        >>> CompatibilityReranker(top_n=5).compress_documents(documents, query)  # doctest: +SKIP
    """

    model_config = STRICT

    policy: PolicySetting = "auto"
    top_n: Count | None = None
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    index: PassageIndex | None = Field(default=None, exclude=True, repr=False)
    query_syntax: QuerySyntax = "words"
    exclude: ExcludeSetting = ()
    hard: HardSetting = False
    judge: JudgeSetting = Field(default="auto", repr=False)

    def model_post_init(self, _context: Any, /) -> None:
        check_syntax(self.query_syntax, self.policy)
        check_exclude(self.exclude, self.hard, self.policy)
        if self.encoder is None and self.index is None:
            default_encoder()  # loads now: later an event loop might have to wait

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        """Return the documents, best first; see :meth:`logic_retrievers.Reranker.rerank`.

        Raises:
            EmptyTextError, InputError, ExpressionError, ConfigurationError, ServerError: as there.
        """
        candidates, reranker = to_candidates(documents), self._reranker()
        hits = reranker.rerank(**self._request(query, candidates))
        send_event(RERANKING, partial(describe_hits, reranker.policy.name, hits), callbacks)
        return [with_ranking(*found) for found in paired(candidates, hits)]

    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks = None
    ) -> Sequence[Document]:
        candidates, reranker = to_candidates(documents), self._reranker()
        hits = await reranker.arerank(**self._request(query, candidates))
        await asend_event(RERANKING, partial(describe_hits, reranker.policy.name, hits), callbacks)
        return [with_ranking(*found) for found in paired(candidates, hits)]

    def _request(
        self, query: str, candidates: Sequence[tuple[Passage, Document]]
    ) -> dict[str, Any]:
        return {
            "query": read_query(query, self.query_syntax, self.policy),
            "passages": [passage for passage, _ in candidates],
            "k": self.top_n,
            "exclude": self.exclude,
            "hard": self.hard,
        }

    def _reranker(self) -> Reranker:
        return Reranker(self.encoder, self.policy, index=self.index, judge=self.judge)
