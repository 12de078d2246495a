"""ConstraintRetriever: settings, results, events, and its place in LlamaIndex's engines."""

from __future__ import annotations

import json

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms.mock import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import IndexNode, MetadataMode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)
from llama_stubs import ids, motels, recorded_spans
from query_files import write_noisy

from logic_retrievers.errors import ConfigurationError, InputError


class AllNodes(BaseRetriever):
    """A different retriever over the same nodes, such as BM25."""

    def __init__(self, nodes):
        self._nodes = nodes
        super().__init__()

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=node, score=0.5) for node in self._nodes]


def longest(pairs):
    return [len(text) for text, _ in pairs]


def scores(results):
    return [(result.node.node_id, result.score) for result in results]


async def test_settings_are_public_and_may_change(index, query):
    """A setting read only at construction makes an experiment repeat itself."""
    retriever = ConstraintRetriever(index)
    retriever.similarity_top_k, retriever.policy, retriever.filter = 2, "topical", {"stars": 0}
    results = retriever.retrieve(query)
    assert [result.metadata["stars"] for result in results] == [0, 0]
    assert results[0].metadata["logic"]["policy"] == "topical"
    judged = ConstraintRetriever(index, judge=None)
    expected = judged.retrieve(query, judge=motels)
    assert await judged.aretrieve(query, judge=motels) == expected != judged.retrieve(query)
    judged.judge = motels
    assert judged.retrieve(query) == expected
    judged.reranker = longest
    assert judged.retrieve(query) != expected
    assert ConstraintRetriever(index, judge=motels).retrieve(query, reranker=longest) == (
        await judged.aretrieve(query)
    )


@pytest.mark.parametrize(
    "condition",
    ["a = 1", MetadataFilters(filters=[MetadataFilter(key="a", value=[])])],
    ids=["text", "filters"],
)
def test_a_bad_filter_is_refused_at_once(index, condition):
    """Otherwise it fails in production, at the first query."""
    with pytest.raises(InputError):
        ConstraintRetriever(index, filter=condition)


async def test_settings_of_a_single_call(index, query):
    """They must take effect and must not change a shared retriever."""
    retriever = ConstraintRetriever(index, similarity_top_k=5)
    before = vars(retriever).copy()
    assert len(retriever.retrieve(query, similarity_top_k=2)) == 2
    assert len(await retriever.aretrieve(query, similarity_top_k=2)) == 2
    assert len(retriever.retrieve(query, similarity_top_k=None)) == 5
    with pytest.raises(ConfigurationError, match="no setting 'top_k'"):
        retriever.retrieve(query, top_k=2)
    with pytest.raises(ConfigurationError, match="at least 1"):
        retriever.retrieve(query, similarity_top_k=0)
    with pytest.raises(ConfigurationError, match="judge is 'auto', None, a callable"):
        retriever.retrieve(query, judge=3)
    assert vars(retriever) == before
    with recorded_spans() as spans:
        retriever.retrieve(query, similarity_top_k=1)
    assert spans == ["ConstraintRetriever.retrieve", "ConstraintRetriever._retrieve"]


async def test_equal_texts_of_two_documents_are_two_hits(query):
    """LlamaIndex compares hashes, so the second of two contracts' equal clauses vanished."""
    with LogicVectorStore.open().index as index:
        texts = [TextNode(id_=f"n{i}", text="A quiet inn by the sea.") for i in range(3)]
        LogicVectorStore(index).add(texts)
        retriever = ConstraintRetriever(index, similarity_top_k=3)
        assert sorted(ids(retriever.retrieve(query))) == ["n0", "n1", "n2"]
        assert sorted(ids(await retriever.aretrieve(query))) == ["n0", "n1", "n2"]


async def test_index_nodes_lead_to_what_they_stand_for_once():
    """Two summaries of one node must lead to it and show it once."""
    summaries = [
        IndexNode(id_=f"s{i}", text=f"Summary {i}: quiet inns.", index_id="x") for i in range(2)
    ]
    target = TextNode(id_="whole", text="The whole chapter about inns.")
    with LogicVectorStore.open().index as index:
        LogicVectorStore(index).add([*summaries, TextNode(id_="t", text="A motel.")])
        objects = [IndexNode(text="-", index_id="x", obj=target)]
        retriever = ConstraintRetriever(index, objects=objects)
        assert ids(retriever.retrieve("quiet inns")) == ["whole", "t"]
        assert ids(await retriever.aretrieve("quiet inns")) == ["whole", "t"]
        inner = ConstraintRetriever(index, similarity_top_k=1, filter={"logic": None})
        outer = ConstraintRetriever(index, object_map={"x": inner})
        assert ids(outer.retrieve("a motel"))  # an object may be a retriever


def test_evidence_stays_out_of_prompts_and_vectors(index, query):
    """No scores may reach the prompt or the embedding model."""
    for result in ConstraintRetriever(index, similarity_top_k=8).retrieve(query):
        evidence = result.node.metadata["logic"]
        assert json.loads(json.dumps(evidence)) == evidence
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            text = result.node.get_content(mode)
            assert "logic" not in text
            assert evidence["reason"] not in text
            assert f"name: {result.node.node_id}" in text


async def test_fusion_merges_one_node_of_several_queries(index, nodes, query):
    """With evidence in its hash a node would come once per query and retriever."""
    fusion = QueryFusionRetriever(
        [ConstraintRetriever(index, similarity_top_k=8), AllNodes(nodes)],
        llm=MockLLM(),
        num_queries=4,
        mode="reciprocal_rerank",
        similarity_top_k=20,
        use_async=False,
    )
    assert sorted(ids(fusion.retrieve(query))) == sorted(node.node_id for node in nodes)
    assert sorted(ids(await fusion.aretrieve(query))) == sorted(node.node_id for node in nodes)


async def test_retriever_reranker_and_store_follow_the_index(store, nodes, query, tmp_path):
    """This includes queries embedded by LlamaIndex with the model that it got at the start."""
    file = write_noisy(tmp_path / "a.query.onnx", noise=0.5)
    retriever = ConstraintRetriever.over(store, policy="topical", similarity_top_k=6)
    reranker = CompatibilityReranker(policy="topical", index=store.index)
    theirs = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    their_retriever = theirs.as_retriever(
        similarity_top_k=6, vector_store_kwargs={"policy": "topical"}
    )
    given = [NodeWithScore(node=node) for node in nodes]

    def all_scores() -> list[object]:
        reranked = reranker.postprocess_nodes(given, query_bundle=QueryBundle(query))
        found = retriever.retrieve(query), their_retriever.retrieve(query)
        return [*map(scores, found), scores(reranked)]

    before, model = all_scores(), store.embed_model.model_name
    store.index.use_query_encoder(file)
    swapped = all_scores()
    assert all(one != other for one, other in zip(before, swapped, strict=True))
    assert swapped[0] == swapped[1] == scores(await retriever.aretrieve(query))
    assert store.embed_model.model_name != model
    await store.index.ause_query_encoder(None)
    assert all_scores() == before
    assert store.embed_model.model_name == model
