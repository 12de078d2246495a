"""The engine as a Haystack retriever."""

from __future__ import annotations

from typing import Any, Self

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.document_stores.types import FilterPolicy, apply_filter_policy

from haystack_logic_retrievers.documents import to_documents
from haystack_logic_retrievers.filters import translate_filters
from haystack_logic_retrievers.settings import (
    any_judge_from,
    describe_any_judge,
    describe_any_policy,
    with_settings,
)
from haystack_logic_retrievers.store import LogicDocumentStore, StoreComponent, check_store
from logic_retrievers.adapters.descriptions import any_policy_from
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    QuerySyntax,
    check_exclude,
    check_syntax,
    read_query,
)
from logic_retrievers.search import Engine
from logic_retrievers.settings import check_count


@component
class ConstraintRetriever(StoreComponent):
    """Retrieves what a query wants and moves down what it rules out.

    Every document carries its score, and under ``meta["logic"]`` why it stands where it stands.

        retriever = ConstraintRetriever(store, top_k=3)
        retriever.run("a quiet hotel, not above a nightclub")["documents"]

    Args:
        document_store: where the documents are.
        filters: only documents that they admit; in Haystack's format.
        top_k: how many documents; fewer come back only where the collection has no more that the
            filters admit, or where ``score_threshold`` or a policy with ``backfill=False`` asks for
            it.
        policy: a name (``auto``, ``topical``, ``sequential``, ``union``, ...) or a policy with
            settings of your own.
        score_threshold: only documents with at least this score under the policy.
        query_syntax: ``words``, or ``expression``: queries are read by
            :meth:`logic_retrievers.Expression.parse` (``"quiet inns" AND NOT bars``).
        exclude: texts that the documents are to be without, beside what a query itself rules out;
            needs the policy ``auto`` or ``boolean``, or ``hard``.
        hard: leave out documents that contain such a text as whole words; see
            :meth:`logic_retrievers.Engine.search`.
        judge: reads the first candidates of queries with a constraint: ``auto``, None, a callable
            or ``JudgeSettings``; see :class:`logic_retrievers.Engine`.
        filter_policy: whether filters of a run replace these or are merged with them.

    Raises:
        ConfigurationError: a setting that cannot work.
        InputError: excluded texts or filters that cannot be read.
    """

    document_store: LogicDocumentStore

    def __init__(
        self,
        document_store: LogicDocumentStore,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 10,
        policy: AnyPolicy = "auto",
        score_threshold: float | None = None,
        query_syntax: QuerySyntax = "words",
        exclude: list[str] | None = None,
        hard: bool = False,
        judge: AnyJudge = "auto",
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
    ) -> None:
        check_count("top_k", top_k)
        check_syntax(query_syntax, policy)
        check_any_judge(judge)
        translate_filters(filters)
        self.document_store = check_store(document_store)
        self.filters = filters
        self.top_k = top_k
        self.policy = policy
        self.score_threshold = score_threshold
        self.query_syntax = query_syntax
        self.exclude = list(check_exclude(exclude or (), hard, policy))
        self.hard = hard
        self.judge = judge
        self.filter_policy = filter_policy

    def warm_up(self) -> None:
        """Opens the collection, and loads the encoder."""
        _ = self.document_store.index

    async def warm_up_async(self) -> None:
        """The asynchronous twin of :meth:`warm_up`."""
        await self.document_store.open_async()

    def to_dict(self) -> dict[str, Any]:
        """The settings, for a pipeline's file.

        Raises:
            ConfigurationError: a policy, judge or store that a file cannot hold.
        """
        return default_to_dict(
            self,
            document_store=self.document_store,
            filters=self.filters,
            top_k=self.top_k,
            policy=describe_any_policy(self.policy),
            score_threshold=self.score_threshold,
            query_syntax=self.query_syntax,
            exclude=self.exclude,
            hard=self.hard,
            judge=describe_any_judge(self.judge),
            filter_policy=self.filter_policy.value,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The retriever that :meth:`to_dict` described."""
        made = with_settings(
            data,
            policy=any_policy_from,
            judge=any_judge_from,
            filter_policy=FilterPolicy.from_str,
        )
        return default_from_dict(cls, made)

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        policy: str | None = None,
        score_threshold: float | None = None,
        query_syntax: str | None = None,
        exclude: list[str] | None = None,
        hard: bool | None = None,
    ) -> dict[str, list[Document]]:
        """The documents of a query, best first.

        Args:
            query: a text.
            filters: with the component's own, or in their place; see ``filter_policy``.
            top_k: in place of the component's own, as are the following.
            policy: a policy's name.
            score_threshold: the least score.
            query_syntax: ``words`` or ``expression``.
            exclude: texts that the documents are to be without.
            hard: whether documents that contain one are left out.

        Returns:
            ``documents``: copies with score and ``meta["logic"]``.

        Raises:
            InputError: a query, excluded texts or filters that cannot be read.
            ConfigurationError: a setting that cannot work.
            MissingVectorError, ServerError: as :meth:`logic_retrievers.Engine.search`.
        """
        given = (top_k, policy, score_threshold, query_syntax, exclude, hard)
        engine, request = self._request(query, filters, *given)
        return {"documents": to_documents(engine.search(**request))}

    @component.output_types(documents=list[Document])
    async def run_async(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        policy: str | None = None,
        score_threshold: float | None = None,
        query_syntax: str | None = None,
        exclude: list[str] | None = None,
        hard: bool | None = None,
    ) -> dict[str, list[Document]]:
        """:meth:`run` without blocking the event loop; the same documents."""
        await self.document_store.open_async()
        given = (top_k, policy, score_threshold, query_syntax, exclude, hard)
        engine, request = self._request(query, filters, *given)
        return {"documents": to_documents(await engine.asearch(**request))}

    def _request(
        self,
        query: str,
        filters: dict[str, Any] | None,
        top_k: int | None,
        policy: AnyPolicy | None,
        score_threshold: float | None,
        query_syntax: Any,
        exclude: list[str] | None,
        hard: bool | None,
    ) -> tuple[Engine, dict[str, Any]]:
        """The engine of one run, and the arguments of its search."""
        policy = self.policy if policy is None else policy
        syntax = self.query_syntax if query_syntax is None else query_syntax
        applied = apply_filter_policy(self.filter_policy, self.filters, filters)
        return Engine(self.document_store.index, policy, judge=self.judge), {
            "query": read_query(query, syntax, policy),
            "k": self.top_k if top_k is None else top_k,
            "filter": self.document_store.translate(applied),
            "min_score": self.score_threshold if score_threshold is None else score_threshold,
            "exclude": self.exclude if exclude is None else exclude,
            "hard": self.hard if hard is None else hard,
        }
