"""The engine as a Haystack retriever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack, get_type_hints

from haystack import Document, component, default_to_dict
from haystack.document_stores.types import FilterPolicy, apply_filter_policy

from haystack_logic_retrievers.base_components import QueryComponent
from haystack_logic_retrievers.documents import to_documents
from haystack_logic_retrievers.filters import translate_filters
from haystack_logic_retrievers.store import LogicDocumentStore
from logic_retrievers.adapters.settings import (
    SearchSettings,
    SearchSettingsOptions,
    engine_and_request,
    refuse_unknown,
)
from logic_retrievers.checks import check_count
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging.settings import AnyJudge
from logic_retrievers.ranking.query_input import AnyPolicy, Hard, QuerySyntax
from logic_retrievers.search import Engine


@component
class ConstraintRetriever(QueryComponent):
    """Retrieves what a query wants and moves down what it rules out.

    Every document carries its score, and the reasons for its rank under ``meta["logic"]``.

        retriever = ConstraintRetriever(store, top_k=3)
        retriever.run("a quiet hotel, not above a nightclub")["documents"]

    Args:
        document_store: the store that holds the documents.
        filters: filters in Haystack's format, which every document must pass.
        top_k: number of documents. Fewer are returned only if too few pass the filters, or if
            ``score_threshold``, ``hard`` or a policy with ``backfill=False`` drops some.
        policy: a name (``auto``, ``topical``, ``sequential``, ``union``, ...) or a policy with
            your own settings.
        score_threshold: least score of a document under the policy.
        query_syntax: ``words``, or ``expression`` to read queries by
            :meth:`logic_retrievers.Expression.parse` (``"quiet inns" AND NOT bars``).
        exclude: texts to exclude in addition to those that a query itself rules out. This needs the
            policy ``auto`` or ``boolean``, or ``hard``.
        hard: leave out documents that name an excluded text; ``words`` checks words only. See
            :meth:`logic_retrievers.Engine.search`.
        judge: reads the first candidates of queries that may have a constraint: ``auto``, None, a
            callable or ``JudgeSettings``; see :class:`logic_retrievers.Engine`.
        reranker: orders the first candidates of every query, but keeps exclusions; given like
            ``judge``. See :class:`logic_retrievers.Engine` and :func:`as_judge`.
        fields: what metadata fields hold, so that "under 200 euros" becomes a filter:
            ``{"price": Number(unit="EUR", words="cost")}``, or the same in JSON types. Needs the
            policy ``auto``; see :class:`logic_retrievers.AutoPolicy`.
        validity: two metadata fields with the dates between which a passage is valid; see
            :class:`logic_retrievers.Engine`.
        now, strict_fields, as_of, group_by, per_group, offset, params: as in
            :class:`logic_retrievers.SearchOptions`. Dates may be ISO 8601 text.
        filter_policy: whether the filters of a run replace ``filters`` or are merged with them.

    Raises:
        ConfigurationError: a setting cannot work.
        InputError: the excluded texts or the filters cannot be read.
    """

    document_store: LogicDocumentStore
    _passed_on = SearchSettings

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
        hard: Hard = False,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
        filter_policy: FilterPolicy = FilterPolicy.REPLACE,
        **options: Unpack[SearchSettingsOptions],
    ) -> None:
        if document_store is None:
            raise ConfigurationError("document_store= must be a LogicDocumentStore, not None.")
        check_count("top_k", top_k)
        translate_filters(filters)
        self._set_query_settings(policy, query_syntax, exclude, hard, judge, reranker, options)
        self._set_store(document_store)
        self.filters = filters
        self.top_k = top_k
        self.score_threshold = score_threshold
        self.filter_policy = filter_policy
        for name, kind in get_type_hints(SearchSettingsOptions).items():
            component.set_input_type(self, name, kind | None, None)

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings for a pipeline's file; refuse settings that it cannot hold."""
        return default_to_dict(
            self,
            document_store=self.document_store,
            filters=self.filters,
            top_k=self.top_k,
            score_threshold=self.score_threshold,
            filter_policy=self.filter_policy.value,
            **self._describe_query_settings(),
        )

    def _load(self) -> PassageIndex:
        return self.document_store.index

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
        hard: Hard | None = None,
        **options: Unpack[SearchSettingsOptions],
    ) -> dict[str, list[Document]]:
        """Return the documents of a query, best first.

        Args:
            query: a text.
            filters: replace the component's filters or are merged with them; see ``filter_policy``.
            top_k: replaces the component's setting, as do the arguments below.
            policy: a policy's name.
            score_threshold: the least score.
            query_syntax: ``words`` or ``expression``.
            exclude: texts to exclude.
            hard: leave out documents that name an excluded text.
            **options: ``fields``, ``now``, ``as_of``, ``group_by``, ..., as in the class.

        Returns:
            ``documents``: copies with score and ``meta["logic"]``.

        Raises:
            InputError, ConfigurationError, MissingVectorError, ServerError: as
                :meth:`logic_retrievers.Engine.search`.
        """
        given = {
            "top_k": top_k,
            "policy": policy,
            "score_threshold": score_threshold,
            "query_syntax": query_syntax,
            "exclude": exclude,
            "hard": hard,
        }
        engine, request = self._request(query, filters, given, options)
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
        hard: Hard | None = None,
        **options: Unpack[SearchSettingsOptions],
    ) -> dict[str, list[Document]]:
        await self.document_store.open_async()
        given = {
            "top_k": top_k,
            "policy": policy,
            "score_threshold": score_threshold,
            "query_syntax": query_syntax,
            "exclude": exclude,
            "hard": hard,
        }
        engine, request = self._request(query, filters, given, options)
        return {"documents": to_documents(await engine.asearch(**request))}

    def _request(
        self,
        query: str,
        filters: dict[str, Any] | None,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> tuple[Engine, dict[str, Any]]:
        refuse_unknown("A run", options, SearchSettings.model_fields.keys())
        chosen = self._own_where_none(
            {**dict.fromkeys(SearchSettings.model_fields), **given, **options}
        )
        applied = apply_filter_policy(self.filter_policy, self.filters, filters)
        settings = {
            "k": chosen.pop("top_k"),
            "min_score": chosen.pop("score_threshold"),
            **chosen,
            "filter": self.document_store.translate(applied),
            "judge": self.judge,
            "reranker": self.reranker,
        }
        return engine_and_request(self.document_store.index, query, settings)
