"""Rerank the documents of any retriever by a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from haystack import Document, component, default_to_dict

from haystack_logic_retrievers.base_components import QueryComponent
from haystack_logic_retrievers.documents import to_candidates, with_ranking
from haystack_logic_retrievers.settings import open_encoder
from haystack_logic_retrievers.store import LogicDocumentStore
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.adapters.settings import RankingSettings
from logic_retrievers.checks import check_count
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.judging.settings import AnyJudge
from logic_retrievers.policies import resolve_policy
from logic_retrievers.policies.auto import with_fields
from logic_retrievers.ranking.query_input import AnyPolicy, Hard, QuerySyntax, read_query
from logic_retrievers.rerank import Reranker
from logic_retrievers.types import Passage


@component
class CompatibilityRanker(QueryComponent):
    """Orders documents by what a query wants and rules out.

        ranker = CompatibilityRanker(policy="auto", top_k=5)
        ranker.run("a quiet hotel, not above a nightclub", documents)["documents"]

    The documents may come from any source. The result holds copies, with score and
    ``meta["logic"]``. Documents that agree in id, text and meta count once; different documents
    with one id all count. A document without text comes last.

    Args:
        policy: a policy's name, or a policy with your own settings.
        top_k: number of documents; None keeps all of them.
        document_store: a store with some of the documents, whose stored vectors are used.
        bundle: folder of an encoder bundle; by default the store's encoder, else the package's own.
        encoder: a ready encoder in place of a bundle. With one, the ranker cannot be saved.
        query_syntax, exclude, hard: as in :class:`ConstraintRetriever`.
        judge: as in :class:`ConstraintRetriever`. Under the policy ``judge``, the judge alone
            orders the documents of every query.
        reranker, fields, now: as in :class:`ConstraintRetriever`.

    Raises:
        ConfigurationError: a setting cannot work.
        InputError: the excluded texts cannot be read.
    """

    _passed_on = RankingSettings

    def __init__(
        self,
        *,
        policy: AnyPolicy = "auto",
        top_k: int | None = None,
        document_store: LogicDocumentStore | None = None,
        bundle: str | None = None,
        encoder: Encoder | None = None,
        query_syntax: QuerySyntax = "words",
        exclude: list[str] | None = None,
        hard: Hard = False,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
        fields: Mapping[str, Any] | None = None,
        now: date | str | None = None,
    ) -> None:
        if top_k is not None:
            check_count("top_k", top_k)
        self.top_k = top_k
        further = {"fields": fields, "now": now}
        self._set_query_settings(policy, query_syntax, exclude, hard, judge, reranker, further)
        self._set_store(document_store, bundle, encoder)

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings for a pipeline's file; refuse settings that it cannot hold."""
        self._refuse_own_encoder()
        return default_to_dict(
            self,
            top_k=self.top_k,
            document_store=self.document_store,
            bundle=self.bundle,
            **self._describe_query_settings(),
        )

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        exclude: list[str] | None = None,
        hard: Hard | None = None,
        now: date | str | None = None,
    ) -> dict[str, list[Document]]:
        """Return the documents, best first; see :meth:`logic_retrievers.Reranker.rerank`.

        Args:
            query: a text.
            documents: documents to order; not modified.
            top_k: replaces the component's setting, as do the arguments below.
            exclude: texts to exclude.
            hard: leave out documents that name an excluded text.
            now: date from which "last year" counts.

        Returns:
            ``documents``: copies with score and ``meta["logic"]``.

        Raises:
            InputError, ConfigurationError, ServerError: as
                :meth:`logic_retrievers.Reranker.rerank`.
        """
        candidates = to_candidates(documents)
        given = {"top_k": top_k, "exclude": exclude, "hard": hard, "now": now}
        request = self._request(query, candidates, given)
        hits = self._load().rerank(**request)
        return {"documents": [with_ranking(*found) for found in paired(candidates, hits)]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        exclude: list[str] | None = None,
        hard: Hard | None = None,
        now: date | str | None = None,
    ) -> dict[str, list[Document]]:
        candidates = to_candidates(documents)
        given = {"top_k": top_k, "exclude": exclude, "hard": hard, "now": now}
        request = self._request(query, candidates, given)
        reranker = await encoder_threads.submit(self._load)
        hits = await reranker.arerank(**request)
        return {"documents": [with_ranking(*found) for found in paired(candidates, hits)]}

    def _request(
        self, query: str, candidates: Sequence[tuple[Passage, Document]], given: Mapping[str, Any]
    ) -> dict[str, Any]:
        chosen = self._own_where_none(given)
        return {
            "query": read_query(query, self.query_syntax, self.policy),
            "passages": [passage for passage, _ in candidates],
            "k": chosen.pop("top_k"),
            **chosen,
        }

    def _load(self) -> Reranker:
        index, encoder = self._index, open_encoder(self.bundle, self.encoder)
        policy = with_fields(resolve_policy(self.policy), self.fields)
        models = {"judge": self.judge, "reranker": self.reranker}
        return Reranker(encoder, policy, index=index, **models)
