"""A policy over the documents of any other retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from haystack import Document, component, default_from_dict, default_to_dict

from haystack_logic_retrievers.documents import to_candidates, with_ranking
from haystack_logic_retrievers.settings import (
    any_judge_from,
    check_encoder,
    describe_any_judge,
    describe_any_policy,
    open_encoder,
    refuse_to_save,
    with_settings,
)
from haystack_logic_retrievers.store import LogicDocumentStore, StoreComponent, check_store
from logic_retrievers.adapters.descriptions import any_policy_from
from logic_retrievers.adapters.evidence_metadata import paired
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import Encoder
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    QuerySyntax,
    check_exclude,
    check_syntax,
    read_query,
)
from logic_retrievers.rerank import Reranker
from logic_retrievers.settings import check_count
from logic_retrievers.types import Passage


@component
class CompatibilityRanker(StoreComponent):
    """Orders documents by what a query wants and rules out; they may come from anywhere.

    Copies of them come back, with score and ``meta["logic"]``. A document with id, text and meta of
    an earlier one counts once; several of one id that differ all count. One without text cannot be
    judged and follows behind all others.

        ranker = CompatibilityRanker(policy="auto", top_k=5)
        ranker.run("a quiet hotel, not above a nightclub", documents)["documents"]

    Args:
        policy: a name, or a policy with settings of your own.
        top_k: how many documents; all of them where None.
        document_store: a store that holds some of the documents: their stored vectors are taken.
        bundle: folder of an encoder bundle; the encoder is the store's, or the one that comes with
            the package, where neither is given.
        encoder: makes the vectors, in place of a bundle's; such a ranker cannot be saved.
        query_syntax: as in :class:`ConstraintRetriever`; expressions need the policy ``auto`` or
            ``boolean``.
        exclude: texts that the documents are to be without, as in :class:`ConstraintRetriever`.
        hard: leave out documents that contain such a text as whole words, as there.
        judge: reads the first documents of queries with a constraint, as there; under the policy
            ``judge`` it alone orders the documents of every query.

    Raises:
        ConfigurationError: a setting that cannot work.
        InputError: excluded texts that cannot be read.
    """

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
        hard: bool = False,
        judge: AnyJudge = "auto",
    ) -> None:
        if top_k is not None:
            check_count("top_k", top_k)
        check_syntax(query_syntax, policy)
        check_any_judge(judge)
        check_encoder(bundle, encoder)
        self.policy = policy
        self.top_k = top_k
        self.document_store = None if document_store is None else check_store(document_store)
        self.bundle = bundle
        self.encoder = encoder
        self.query_syntax = query_syntax
        self.exclude = list(check_exclude(exclude or (), hard, policy))
        self.hard = hard
        self.judge = judge

    def warm_up(self) -> None:
        """Opens the store and loads the encoder."""
        self._reranker()

    async def warm_up_async(self) -> None:
        """The asynchronous twin of :meth:`warm_up`."""
        await encoder_threads.submit(self._reranker)

    def to_dict(self) -> dict[str, Any]:
        """The settings, for a pipeline's file.

        Raises:
            ConfigurationError: a policy, judge, encoder or store that a file cannot hold.
        """
        if self.encoder is not None:
            raise refuse_to_save("encoder", self.encoder, "Name a bundle's folder: bundle=.")
        return default_to_dict(
            self,
            policy=describe_any_policy(self.policy),
            top_k=self.top_k,
            document_store=self.document_store,
            bundle=self.bundle,
            query_syntax=self.query_syntax,
            exclude=self.exclude,
            hard=self.hard,
            judge=describe_any_judge(self.judge),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The ranker that :meth:`to_dict` described."""
        made = with_settings(data, policy=any_policy_from, judge=any_judge_from)
        return default_from_dict(cls, made)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        exclude: list[str] | None = None,
        hard: bool | None = None,
    ) -> dict[str, list[Document]]:
        """The documents, best first; see :meth:`logic_retrievers.Reranker.rerank`.

        Args:
            query: a text.
            documents: they stay as they are.
            top_k: in place of the component's own, as are the following.
            exclude: texts that the documents are to be without.
            hard: whether documents that contain one are left out.

        Returns:
            ``documents``: copies with score and ``meta["logic"]``.

        Raises:
            InputError: a query, excluded texts or documents that cannot be read.
            ConfigurationError: a setting that cannot work, or the encoder lacks a vector that the
                policy needs.
            ServerError: the store's index failed or could not be reached.
        """
        candidates = to_candidates(documents)
        request = self._request(query, candidates, top_k, exclude, hard)
        hits = self._reranker().rerank(**request)
        return {"documents": [with_ranking(*found) for found in paired(candidates, hits)]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        documents: list[Document],
        top_k: int | None = None,
        exclude: list[str] | None = None,
        hard: bool | None = None,
    ) -> dict[str, list[Document]]:
        """:meth:`run` without blocking the event loop; the same documents."""
        candidates = to_candidates(documents)
        request = self._request(query, candidates, top_k, exclude, hard)
        reranker = await encoder_threads.submit(self._reranker)
        hits = await reranker.arerank(**request)
        return {"documents": [with_ranking(*found) for found in paired(candidates, hits)]}

    def _request(
        self,
        query: str,
        candidates: Sequence[tuple[Passage, Document]],
        top_k: int | None,
        exclude: list[str] | None,
        hard: bool | None,
    ) -> dict[str, Any]:
        """The arguments of the core's reranker."""
        return {
            "query": read_query(query, self.query_syntax, self.policy),
            "passages": [passage for passage, _ in candidates],
            "k": self.top_k if top_k is None else top_k,
            "exclude": self.exclude if exclude is None else exclude,
            "hard": self.hard if hard is None else hard,
        }

    def _reranker(self) -> Reranker:
        index = None if self.document_store is None else self.document_store.index
        encoder = open_encoder(self.bundle, self.encoder)
        return Reranker(encoder, self.policy, index=index, judge=self.judge)
