"""The engine as a LlamaIndex retriever, and the base of both retrievers."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import copy
from typing import Any, Self, TypedDict, Unpack

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle, QueryType

from llama_index_logic_retrievers.existing import open_index_over
from llama_index_logic_retrievers.filters import AnyFilter, check_filter, to_user_filter
from llama_index_logic_retrievers.nodes import to_nodes
from logic_retrievers.adapters.settings import (
    QueryOptions,
    SearchSettings,
    SearchSettingsOptions,
    engine_and_request,
    read_settings,
    refuse_unknown,
    split_options,
)
from logic_retrievers.checks import check_count
from logic_retrievers.conflicts import ContradictionSearch
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex, Settings
from logic_retrievers.judging.settings import AnyJudge, check_any_judge
from logic_retrievers.ranking.query_input import (
    AnyPolicy,
    Hard,
    QuerySyntax,
    check_exclude,
    check_syntax,
)
from logic_retrievers.search import Engine
from logic_retrievers.validation import check_parts

# unwrapped, because LlamaIndex already puts a tracing span around the methods below
_retrieve = inspect.unwrap(BaseRetriever.retrieve)
_aretrieve = inspect.unwrap(BaseRetriever.aretrieve)


class RetrieverOptions(TypedDict, total=False):
    """Arguments of every retriever of LlamaIndex."""

    callback_manager: CallbackManager | None
    object_map: dict[str, Any] | None
    objects: list[IndexNode] | None
    verbose: bool


class LogicRetriever(BaseRetriever):
    """A retriever whose settings are public attributes, which a single call may replace.

    A result has one node per id, even if several index nodes lead to this node.
    """

    # names of the settings that a call may replace
    _call_settings: frozenset[str]

    def __init__(
        self,
        index: PassageIndex,
        similarity_top_k: int,
        filter: AnyFilter,  # noqa: A002 - all integrations use this name
        **options: Unpack[RetrieverOptions],
    ) -> None:
        check_parts(index=index, needs_index=True)
        self.index = index
        check_count("similarity_top_k", similarity_top_k)
        check_filter(filter, index.prefixes)
        self.similarity_top_k = similarity_top_k
        self.filter = filter
        super().__init__(**options)

    def retrieve(self, str_or_query_bundle: QueryType, **settings: Any) -> list[NodeWithScore]:
        """Return the nodes of a query, best first.

        Args:
            str_or_query_bundle: the query.
            **settings: settings that replace the retriever's for this call. The index and the
                constants cannot be replaced. None keeps the retriever's setting.

        Raises:
            ConfigurationError: a setting is unknown or cannot work.
        """
        nodes: list[NodeWithScore] = _retrieve(self._with_settings(settings), str_or_query_bundle)
        return nodes

    async def aretrieve(
        self, str_or_query_bundle: QueryType, **settings: Any
    ) -> list[NodeWithScore]:
        retriever = self._with_settings(settings)
        nodes: list[NodeWithScore] = await _aretrieve(retriever, str_or_query_bundle)
        return nodes

    # not an abstractmethod, because LlamaIndex traces abstract methods as separate spans
    def _request(self, query: str) -> tuple[Engine | ContradictionSearch, dict[str, Any]]:
        """Return the core object and the arguments of its ``search``."""
        raise NotImplementedError

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        core, request = self._request(query_bundle.query_str)
        return to_nodes(core.search(**request))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        core, request = self._request(query_bundle.query_str)
        return to_nodes(await core.asearch(**request))

    def _with_settings(self, settings: dict[str, Any]) -> Self:
        """Return a copy with the settings of one call; without settings, the retriever itself."""
        refuse_unknown(f"A call of {type(self).__name__}", settings, self._call_settings)
        changed = {name: value for name, value in settings.items() if value is not None}
        if not changed:
            return self
        changed_copy = copy(self)
        for name, value in changed.items():
            setattr(changed_copy, name, value)
        return changed_copy

    # LlamaIndex follows index nodes to their objects and then drops duplicates. Older versions of
    # 0.14 compare hashes, and so lose passages with equal text. Passing one node at a time
    # prevents the loss.

    def _handle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        followed: list[NodeWithScore] = []
        for node in nodes:
            followed += super()._handle_recursive_retrieval(query_bundle, [node])
        return _first_per_id(followed)

    async def _ahandle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        followed: list[NodeWithScore] = []
        for node in nodes:
            followed += await super()._ahandle_recursive_retrieval(query_bundle, [node])
        return _first_per_id(followed)


def _first_per_id(nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
    first = {node.node.node_id: node for node in reversed(nodes)}
    return [node for node in nodes if first[node.node.node_id] is node]


class SearchOptions(QueryOptions, total=False):
    """Settings that a single call may replace; see :class:`ConstraintRetriever`."""

    similarity_top_k: int | None
    filter: AnyFilter


class OverOptions(SearchOptions, Settings, total=False):
    """Settings of a retriever and of :func:`open_index_over`."""

    embed_model: BaseEmbedding | None
    encoder: Encoder | None
    identity: str | None


class ConstraintRetrieverOptions(RetrieverOptions, SearchSettingsOptions, total=False):
    """Arguments of every retriever of LlamaIndex, and of searches."""


class ConstraintRetriever(LogicRetriever):
    """Retrieves what a query wants and moves down what it rules out.

        retriever = ConstraintRetriever(index, similarity_top_k=3)
        retriever.retrieve("a quiet hotel, not above a nightclub")

    Each node carries the reasons for its rank in ``metadata["logic"]``. All settings are public
    attributes and may be changed at any time. A single call may replace all settings but the index
    (``retrieve(query, similarity_top_k=5)``).

    Args:
        index: the collection that holds the passages.
        policy: a name (``auto``, ``topical``, ``sequential``, ``union``, ...) or a policy with
            your own settings.
        similarity_top_k: number of nodes. Fewer are returned only if too few pass the filter, or if
            ``min_score``, ``hard`` or a policy with ``backfill=False`` drops some.
        filter: ``MetadataFilters``, a Qdrant ``Filter``, or ``{"key": value}`` over the metadata,
            which every node must pass.
        min_score: least score of a node under the policy.
        query_syntax: ``words``, or ``expression`` to read queries by
            :meth:`logic_retrievers.Expression.parse` (``"quiet inns" AND NOT bars``).
        exclude: texts to exclude in addition to those that a query itself rules out. This needs the
            policy ``auto`` or ``boolean``, or ``hard``.
        hard: leave out nodes that name an excluded text; ``words`` checks words only. See
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
        **options: ``callback_manager``, ``object_map``, ``objects`` and ``verbose``, as in every
            retriever of LlamaIndex.

    Raises:
        ConfigurationError: similarity_top_k is under 1, the policy or syntax is unknown, or the
            policy cannot use ``exclude``.
        InputError: the filter or the excluded texts cannot be read.
    """

    _call_settings = frozenset(SearchOptions.__annotations__)

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        similarity_top_k: int = 4,
        filter: AnyFilter = None,  # noqa: A002 - all integrations use this name
        min_score: float | None = None,
        query_syntax: QuerySyntax = "words",
        exclude: Sequence[str] = (),
        hard: Hard = False,
        judge: AnyJudge = "auto",
        reranker: AnyJudge = None,
        **options: Unpack[ConstraintRetrieverOptions],
    ) -> None:
        given: dict[str, Any] = {**options}
        names = given.keys() & RetrieverOptions.__annotations__.keys()
        of_framework = {name: given.pop(name) for name in names}
        super().__init__(index, similarity_top_k, filter, **of_framework)
        check_syntax(query_syntax, policy)
        check_any_judge(judge)
        check_any_judge(reranker, "reranker")
        self.policy = policy
        self.min_score = min_score
        self.query_syntax = query_syntax
        self.exclude: Sequence[str] = check_exclude(exclude, hard, policy)
        self.hard = hard
        self.judge = judge
        self.reranker = reranker
        for name, value in read_settings(SearchSettings, policy, given).items():
            setattr(self, name, value)

    @classmethod
    def over(cls, store: Any, **options: Unpack[OverOptions]) -> Self:
        """Make a retriever over an existing store, through the store's own clients.

        Args:
            store: LlamaIndex's ``QdrantVectorStore``, or a :class:`LogicVectorStore`.
            **options: settings of the class and of :func:`open_index_over`.

        Raises:
            ConfigurationError, CollectionError, ServerError: see :func:`open_index_over`.
        """
        own, opening = split_options(options)
        return cls(open_index_over(store, **opening), **own)

    def _request(self, query: str) -> tuple[Engine, dict[str, Any]]:
        settings = {name: getattr(self, name) for name in QueryOptions.__annotations__}
        settings["k"] = self.similarity_top_k
        settings["filter"] = to_user_filter(self.filter, self.index.prefixes)
        return engine_and_request(self.index, query, settings)
