"""Base of the retrievers: settings for one call, and index nodes followed without losing nodes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import copy
from typing import Any, Self, TypedDict, Unpack

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import IndexNode, NodeWithScore, QueryBundle, QueryType

from llama_index_logic_retrievers.filters import AnyFilter, check_filter
from llama_index_logic_retrievers.nodes import to_nodes
from llama_index_logic_retrievers.settings import check_index
from logic_retrievers.contradiction import ContradictionSearch
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.settings import check_count

# without LlamaIndex's span, which it also puts around the methods below
_retrieve = inspect.unwrap(BaseRetriever.retrieve)
_aretrieve = inspect.unwrap(BaseRetriever.aretrieve)


class RetrieverOptions(TypedDict, total=False):
    """Arguments of every retriever of LlamaIndex."""

    callback_manager: CallbackManager | None
    object_map: dict[str, Any] | None
    objects: list[IndexNode] | None
    verbose: bool


class LogicRetriever(BaseRetriever):
    """A retriever whose settings are public attributes, and can be given to a single call.

    Each node comes back once per id, wherever index nodes lead.
    """

    # names of the settings that a call may replace
    _call_settings: frozenset[str]

    def __init__(
        self,
        index: PassageIndex,
        similarity_top_k: int,
        filter: AnyFilter,  # noqa: A002 - the word that all frameworks' adapters use
        **options: Unpack[RetrieverOptions],
    ) -> None:
        self.index = check_index(index)
        check_count("similarity_top_k", similarity_top_k)
        check_filter(filter, index.prefixes)
        self.similarity_top_k = similarity_top_k
        self.filter = filter
        super().__init__(**options)

    def retrieve(self, str_or_query_bundle: QueryType, **settings: Any) -> list[NodeWithScore]:
        """Return the nodes of a query, best first.

        Args:
            str_or_query_bundle: the query.
            **settings: replace the retriever's own for this call, all but the index and the
                constants. None keeps the retriever's own.

        Raises:
            ConfigurationError: an unknown setting, or one that cannot work.
        """
        nodes: list[NodeWithScore] = _retrieve(self._with_settings(settings), str_or_query_bundle)
        return nodes

    async def aretrieve(
        self, str_or_query_bundle: QueryType, **settings: Any
    ) -> list[NodeWithScore]:
        retriever = self._with_settings(settings)
        nodes: list[NodeWithScore] = await _aretrieve(retriever, str_or_query_bundle)
        return nodes

    # not an abstractmethod: LlamaIndex would trace it as a span of its own
    def _request(self, query: str) -> tuple[Engine | ContradictionSearch, dict[str, Any]]:
        """Return the core's object and the arguments of its ``search``."""
        raise NotImplementedError

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        core, request = self._request(query_bundle.query_str)
        return to_nodes(core.search(**request))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        core, request = self._request(query_bundle.query_str)
        return to_nodes(await core.asearch(**request))

    def _with_settings(self, settings: dict[str, Any]) -> Self:
        """Return a copy with the settings of one call; itself without any."""
        if unknown := sorted(settings.keys() - self._call_settings):
            raise ConfigurationError(
                f"{type(self).__name__} has no setting {unknown[0]!r} for a call; there is"
                f" {', '.join(sorted(self._call_settings))}."
            )
        changed = {name: value for name, value in settings.items() if value is not None}
        if not changed:
            return self
        changed_copy = copy(self)
        for name, value in changed.items():
            setattr(changed_copy, name, value)
        return changed_copy

    # LlamaIndex follows index nodes to their objects and then drops duplicates; older versions of
    # 0.14 compare hashes, and so lose passages of equal text. It drops nothing from a single node.

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
