"""What both retrievers have: settings for one call, and index nodes followed without a loss."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from copy import copy
from typing import Any, Self

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, QueryType

from logic_retrievers.errors import ConfigurationError

# without LlamaIndex's span: it puts one around the methods below as well
_retrieve = inspect.unwrap(BaseRetriever.retrieve)
_aretrieve = inspect.unwrap(BaseRetriever.aretrieve)


class LogicRetriever(BaseRetriever):
    """A retriever whose settings are public attributes, and can be given to a single call.

    Its nodes come back once an id, wherever they lead. LlamaIndex follows index nodes to what they
    stand for, and then drops nodes; older versions of 0.14 by their hash, so that passages of equal
    text are lost. Of one node at a time it drops nothing.
    """

    _call_settings: frozenset[str]
    """Names of the settings that a call may replace."""

    def retrieve(self, str_or_query_bundle: QueryType, **settings: Any) -> list[NodeWithScore]:
        """The nodes of a query, best first.

        Args:
            str_or_query_bundle: the query.
            **settings: for this call, instead of the retriever's own; all but the index and the
                constants. None keeps the retriever's own.

        Raises:
            ConfigurationError: a setting that does not exist or cannot work.
        """
        nodes: list[NodeWithScore] = _retrieve(self._with_settings(settings), str_or_query_bundle)
        return nodes

    async def aretrieve(
        self, str_or_query_bundle: QueryType, **settings: Any
    ) -> list[NodeWithScore]:
        """:meth:`retrieve` without blocking the event loop; the same nodes."""
        retriever = self._with_settings(settings)
        nodes: list[NodeWithScore] = await _aretrieve(retriever, str_or_query_bundle)
        return nodes

    def _with_settings(self, settings: dict[str, Any]) -> Self:
        """The retriever with the settings of one call; itself where there are none."""
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
