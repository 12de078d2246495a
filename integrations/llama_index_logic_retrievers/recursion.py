"""Index nodes that lead to what they stand for, without a loss."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle


class OncePerId(BaseRetriever):
    """A retriever whose nodes come back once an id, wherever they lead.

    LlamaIndex follows index nodes to what they stand for, and then drops nodes; older versions of
    0.14 by their hash, so passages of equal text are lost. One node at a time it drops nothing.
    """

    def _handle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        found: list[NodeWithScore] = []
        for node in nodes:
            found += super()._handle_recursive_retrieval(query_bundle, [node])
        return _once_per_id(found)

    async def _ahandle_recursive_retrieval(
        self, query_bundle: QueryBundle, nodes: list[NodeWithScore]
    ) -> list[NodeWithScore]:
        found: list[NodeWithScore] = []
        for node in nodes:
            found += await super()._ahandle_recursive_retrieval(query_bundle, [node])
        return _once_per_id(found)


def _once_per_id(nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
    first = {node.node.node_id: node for node in reversed(nodes)}
    return [node for node in nodes if first[node.node.node_id] is node]
