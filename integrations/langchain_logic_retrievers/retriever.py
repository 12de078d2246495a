"""The engine as a LangChain retriever, and the base of both retrievers."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, Self, Unpack

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from pydantic import Field

from langchain_logic_retrievers.documents import STRICT, to_document
from langchain_logic_retrievers.existing import open_index_over
from langchain_logic_retrievers.tracing import RETRIEVAL, asend_event, inside_run, send_event
from logic_retrievers.adapters.descriptions import describe_hits
from logic_retrievers.adapters.settings import (
    Count,
    FilterSetting,
    Number,
    QueryFields,
    QueryOptions,
    SearchSettings,
    engine_and_request,
    split_options,
)
from logic_retrievers.conflicts import ContradictionSearch
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex, Settings, UserFilter
from logic_retrievers.search import Engine

# models that read texts
_MODELS = ("judge", "reranker")


class LogicRetriever(BaseRetriever):
    """Base of the retrievers; a single call may replace any setting in ``SearchOptions``."""

    model_config = STRICT

    @abstractmethod
    def _request(
        self, query: str, settings: dict[str, Any]
    ) -> tuple[str, Engine | ContradictionSearch, dict[str, Any]]:
        """Return the policy's name, the core object, and the arguments of its ``search``."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **settings: Any
    ) -> list[Document]:
        policy, core, request = self._request(query, settings)
        callbacks = run_manager.get_child()
        with inside_run(callbacks):
            hits = core.search(**request)
        send_event(RETRIEVAL, partial(describe_hits, policy, hits), callbacks)
        return [to_document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **settings: Any
    ) -> list[Document]:
        policy, core, request = self._request(query, settings)
        callbacks = run_manager.get_child()
        with inside_run(callbacks):
            hits = await core.asearch(**request)
        await asend_event(RETRIEVAL, partial(describe_hits, policy, hits), callbacks)
        return [to_document(hit) for hit in hits]


class SearchOptions(QueryOptions, total=False):
    """Settings that a single call may replace; see :class:`ConstraintRetriever`."""

    k: int | None
    filter: UserFilter


class OverOptions(SearchOptions, Settings, total=False):
    """Settings of a retriever and of :func:`open_index_over`."""

    encoder: Encoder | None
    identity: str | None


class ConstraintRetriever(SearchSettings, QueryFields, LogicRetriever):
    """Retrieves what a query wants and moves down what it rules out.

    Every document carries ``metadata["logic"]`` (the reasons for its rank, in JSON types) and
    ``metadata["relevance_score"]``. A single call may replace all settings but the index
    (``invoke(query, k=3)``). Settings can be made configurable (``configurable_fields``). A run
    sends the policy's decisions to its handlers in the custom event
    ``logic_retrievers.retrieval``.

    Args:
        index: the collection that holds the documents.
        policy: a name (``auto``, ``topical``, ``sequential``, ``union``, ...) or a policy with
            your own settings.
        k: number of documents. Fewer are returned only if too few pass the filter, or if
            ``min_score``, ``hard`` or a policy with ``backfill=False`` drops some.
        filter: a Qdrant ``Filter`` or ``{"key": value}`` over the metadata, which every document
            must pass.
        min_score: least score of a document under the policy.
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

    Raises:
        ValidationError: pydantic's ``ValueError``, with this package's message.

    Examples:
        >>> retriever = ConstraintRetriever(index=index, k=5)              # doctest: +SKIP
        >>> retriever.invoke("a quiet hotel, not above a nightclub", k=3)  # doctest: +SKIP
    """

    index: PassageIndex = Field(exclude=True, repr=False)
    k: Count = 4
    filter: FilterSetting | None = None
    min_score: Number | None = None

    @classmethod
    def over(cls, store: VectorStore, **options: Unpack[OverOptions]) -> Self:
        """Make a retriever over an existing vector store, through the store's own client.

        Args:
            store: a ``QdrantVectorStore`` of langchain-qdrant, or a :class:`LogicVectorStore`.
            **options: settings of the class and of :func:`open_index_over`.

        Raises:
            ConfigurationError, CollectionError, ServerError: see :func:`open_index_over`.
        """
        own, opening = split_options(options)
        return cls.model_validate({"index": open_index_over(store, **opening), **own})

    def _request(self, query: str, settings: dict[str, Any]) -> tuple[str, Engine, dict[str, Any]]:
        search = {name: getattr(self, name) for name in SearchOptions.__annotations__}
        # None keeps the retriever's own value, but for a judge or a reranker it means none
        search |= {
            name: value for name, value in settings.items() if value is not None or name in _MODELS
        }
        engine, request = engine_and_request(self.index, query, search)
        return engine.policy.name, engine, request
