"""Inside LlamaIndex's engines, routers, fusions and tools."""

from __future__ import annotations

import pytest
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms.mock import MockLLM
from llama_index.core.query_engine import (
    RetrieverQueryEngine,
)
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore
from llama_index_logic_retrievers import ConstraintRetriever
from llama_stubs import PromptsLLM, QueriesLLM


class AllNodes(BaseRetriever):
    """Another retriever over the same nodes, as BM25 would be."""

    def __init__(self, nodes):
        self._nodes = nodes
        super().__init__()

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=node, score=0.5) for node in self._nodes]


def ids(results):
    return [result.node.node_id for result in results]


@pytest.fixture
def retriever(index):
    return ConstraintRetriever(index, similarity_top_k=3)


@pytest.fixture
def engine(retriever):
    return RetrieverQueryEngine.from_args(retriever, llm=MockLLM())


async def test_a_query_engine_answers_from_the_hits(retriever, query):
    """Sources that are not the ones in the prompt."""
    llm = PromptsLLM()
    engine = RetrieverQueryEngine.from_args(retriever, llm=llm)
    answer = engine.query(query)
    assert ids(answer.source_nodes) == ids(retriever.retrieve(query))
    assert answer.metadata[answer.source_nodes[0].node.node_id]["logic"]["rank"] == 1
    assert llm.prompts
    prompt = "\n".join(llm.prompts)
    assert all(result.node.text in prompt for result in answer.source_nodes)
    assert "cosine" not in prompt
    assert "logic" not in prompt
    assert ids((await engine.aquery(query)).source_nodes) == ids(answer.source_nodes)


@pytest.mark.parametrize("mode", ["reciprocal_rerank", "simple"])
def test_fusion_merges_one_node_of_several_queries(index, query, mode):
    """Evidence in the hash: the list would hold each node as often as there are queries."""
    fusion = QueryFusionRetriever(
        [ConstraintRetriever(index, similarity_top_k=5)],
        llm=QueriesLLM(lines="a calm inn\na hotel near the harbour\na spa"),
        num_queries=4,
        mode=mode,
        similarity_top_k=8,
        use_async=False,
    )
    results = ids(fusion.retrieve(query))
    assert len(results) == len(set(results))
    assert len(results) > 5


@pytest.mark.parametrize("num_queries", [1, 2])
async def test_fusion_merges_with_another_retriever(index, nodes, query, num_queries):
    """Beside BM25 over the same nodes every node would come twice."""
    fusion = QueryFusionRetriever(
        [ConstraintRetriever(index, similarity_top_k=8), AllNodes(nodes)],
        llm=QueriesLLM(lines="a calm inn"),
        num_queries=num_queries,
        mode="reciprocal_rerank",
        similarity_top_k=20,
        use_async=False,
    )
    results = ids(fusion.retrieve(query))
    assert sorted(results) == sorted(node.node_id for node in nodes)
    assert sorted(ids(await fusion.aretrieve(query))) == sorted(results)
