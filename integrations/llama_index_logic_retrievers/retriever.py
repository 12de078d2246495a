"""A LlamaIndex retriever over the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, TypedDict, Unpack

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle

from llama_index_logic_retrievers.base_retriever import LogicRetriever
from llama_index_logic_retrievers.existing import aopen_index_over, open_index_over
from llama_index_logic_retrievers.filters import AnyFilter, check_filter, to_user_filter
from llama_index_logic_retrievers.nodes import to_nodes
from llama_index_logic_retrievers.settings import check_index
from logic_retrievers.adapters.settings import split_options
from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex, Settings
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


class SearchOptions(TypedDict, total=False):
    """Settings that a single call may replace; see :class:`ConstraintRetriever`."""

    policy: AnyPolicy
    similarity_top_k: int
    filter: AnyFilter
    min_score: float | None
    query_syntax: QuerySyntax
    exclude: Sequence[str]
    hard: bool
    judge: AnyJudge


class OverOptions(SearchOptions, Settings, total=False):
    """Settings of a retriever, and those of :func:`open_index_over`."""

    embed_model: BaseEmbedding | None
    encoder: Encoder | None
    identity: str | None


class ConstraintRetriever(LogicRetriever):
    """Retrieves nodes under a policy; each carries its evidence in ``metadata["logic"]``.

        retriever = ConstraintRetriever(index, similarity_top_k=3)
        retriever.retrieve("a quiet hotel, not above a nightclub")

    All settings are public attributes and may be changed at any time; all but the index can also be
    given to one call (``retrieve(query, similarity_top_k=5)``).

    Args:
        index: where the passages are.
        policy: a policy's name (``auto``, ``topical``, ``sequential``, ``union``), or one with
            settings of your own.
        similarity_top_k: how many nodes; fewer come back only where the collection has no more, or
            where ``min_score`` or a policy with ``backfill=False`` asks for it.
        filter: only nodes that it admits: ``MetadataFilters``, a Qdrant ``Filter``, or
            ``{"key": value}`` over the metadata.
        min_score: only nodes with at least this score under the policy.
        query_syntax: ``words``, or ``expression``: queries are read by
            :meth:`logic_retrievers.Expression.parse` (``"quiet inns" AND NOT bars``).
        exclude: texts that the nodes are to be without, beside what a query itself rules out;
            needs the policy ``auto`` or ``boolean``, or ``hard``.
        hard: leave out nodes that contain such a text as whole words; see
            :meth:`logic_retrievers.Engine.search`.
        judge: reads the first candidates of queries with a constraint: ``auto``, None, a callable
            or ``JudgeSettings``; see :class:`logic_retrievers.Engine`.
        callback_manager, object_map, objects, verbose: as in every retriever of LlamaIndex.

    Raises:
        ConfigurationError: similarity_top_k is under 1, there is no such policy or syntax, or the
            policy cannot use ``exclude``.
        InputError: a filter, or excluded texts, that cannot be read.
    """

    _call_settings = frozenset(SearchOptions.__annotations__)

    def __init__(
        self,
        index: PassageIndex,
        policy: AnyPolicy = "auto",
        similarity_top_k: int = 4,
        filter: AnyFilter = None,  # noqa: A002 - the word that both frameworks' adapters use
        min_score: float | None = None,
        query_syntax: QuerySyntax = "words",
        exclude: Sequence[str] = (),
        hard: bool = False,
        judge: AnyJudge = "auto",
        *,
        callback_manager: CallbackManager | None = None,
        object_map: dict[str, Any] | None = None,
        objects: list[IndexNode] | None = None,
        verbose: bool = False,
    ) -> None:
        self.index = check_index(index)
        check_syntax(query_syntax, policy)
        check_count("similarity_top_k", similarity_top_k)
        check_filter(filter, index.prefixes)
        self.policy = policy
        self.similarity_top_k = similarity_top_k
        self.filter = filter
        self.min_score = min_score
        self.query_syntax = query_syntax
        self.exclude: Sequence[str] = check_exclude(exclude, hard, policy)
        self.hard = hard
        check_any_judge(judge)
        self.judge = judge
        super().__init__(callback_manager, object_map, objects, verbose)

    @classmethod
    def over(cls, store: Any, **options: Unpack[OverOptions]) -> Self:
        """A retriever over a store that is there already, on its clients.

        Args:
            store: LlamaIndex's ``QdrantVectorStore``, or a :class:`LogicVectorStore`.
            **options: settings of the class, and of :func:`open_index_over`.

        Raises:
            ConfigurationError: no such store, or neither model nor encoder.
            CollectionError, ServerError: as :func:`open_index_over`.
        """
        own, opening = split_options(options)
        return cls(open_index_over(store, **opening), **own)

    @classmethod
    async def aover(cls, store: Any, **options: Unpack[OverOptions]) -> Self:
        """The asynchronous twin of :meth:`over`; works where the store has only aclient."""
        own, opening = split_options(options)
        return cls(await aopen_index_over(store, **opening), **own)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        request = self._request(query_bundle)
        return to_nodes(Engine(self.index, self.policy, judge=self.judge).search(**request))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        request = self._request(query_bundle)
        engine = Engine(self.index, self.policy, judge=self.judge)
        return to_nodes(await engine.asearch(**request))

    def _request(self, query_bundle: QueryBundle) -> dict[str, Any]:
        return {
            "query": read_query(query_bundle.query_str, self.query_syntax, self.policy),
            "k": self.similarity_top_k,
            "filter": to_user_filter(self.filter, self.index.prefixes),
            "min_score": self.min_score,
            "exclude": self.exclude,
            "hard": self.hard,
        }
