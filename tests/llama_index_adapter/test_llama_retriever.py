"""ConstraintRetriever: settings, results, errors, events, and a judge."""

from __future__ import annotations

import asyncio
import json

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import (
    IndexNode,
    MetadataMode,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)
from llama_stubs import recorded, recorded_spans
from qdrant_client import models
from query_files import write_noisy

from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    UnknownPolicyError,
)


def ids(results):
    return [result.node.node_id for result in results]


def scores(results: list[NodeWithScore]) -> list[tuple[str, float | None]]:
    return [(result.node.node_id, result.score) for result in results]


def test_every_kind_of_filter_says_the_same(index, query):
    """Users of either framework bring the filter that they know."""
    native = models.Filter(
        must=[models.FieldCondition(key="metadata.stars", match=models.MatchValue(value=1))]
    )
    theirs = MetadataFilters(filters=[MetadataFilter(key="stars", value=1)])
    for given in ({"stars": 1}, native, theirs):
        assert sorted(ids(ConstraintRetriever(index, filter=given).retrieve(query))) == [
            "club",
            "hostel",
        ]


def test_settings_are_public_and_may_change(index, query):
    """A setting that is read once at construction makes an experiment repeat itself."""
    retriever = ConstraintRetriever(index)
    retriever.similarity_top_k, retriever.policy, retriever.filter = 2, "topical", {"stars": 0}
    retriever.min_score = 0.0
    results = retriever.retrieve(query)
    assert len(results) == 2
    assert results[0].metadata["logic"]["policy"] == "topical"
    assert {result.metadata["stars"] for result in results} == {0}


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"policy": "best"}, UnknownPolicyError),
        ({"policy": 3}, ConfigurationError),
        ({"filter": {"a": object()}}, InputError),
        ({"filter": "a = 1"}, InputError),
        (
            {"filter": MetadataFilters(filters=[MetadataFilter(key="a", value=[])])},
            InputError,
        ),
    ],
)
def test_a_bad_setting_is_refused_at_once(index, settings, error):
    """Else it fails in production, at the first query that comes."""
    with pytest.raises(error):
        ConstraintRetriever(index, **settings)


async def test_settings_of_a_single_call(index, query):
    """A retriever that many requests share is changed by one of them, or ignores it."""
    retriever = ConstraintRetriever(index, similarity_top_k=5)
    before = vars(retriever).copy()
    assert len(retriever.retrieve(query, similarity_top_k=2)) == 2
    assert len(await retriever.aretrieve(query, similarity_top_k=2)) == 2
    assert len(retriever.retrieve(query, similarity_top_k=None)) == 5
    with pytest.raises(ConfigurationError, match="no setting 'top_k'"):
        retriever.retrieve(query, top_k=2)
    with pytest.raises(ConfigurationError, match="at least 1"):
        retriever.retrieve(query, similarity_top_k=0)
    assert vars(retriever) == before
    with recorded_spans() as spans:
        retriever.retrieve(query, similarity_top_k=1)
    assert spans == ["ConstraintRetriever.retrieve", "ConstraintRetriever._retrieve"]


async def test_async_uses_the_asynchronous_client(wire_double, nodes, query):
    """A synchronous client in a thread passes every other test, and does not scale."""
    store = await LogicVectorStore.aopen(location=wire_double.url)
    await store.async_add(nodes)
    retriever = ConstraintRetriever(store.index, similarity_top_k=3)
    await retriever.aretrieve(query)  # the store remembers the query's vectors: no encoding below
    wire_double.latency, wire_double.peak_overlap = 0.1, 0
    results = await asyncio.gather(*(retriever.aretrieve(query) for _ in range(16)))
    wire_double.latency = 0
    assert wire_double.peak_overlap > 4  # as many threads there are for a client that has no async
    assert {tuple(ids(result)) for result in results} == {tuple(ids(retriever.retrieve(query)))}
    await store.index.aclose()


async def test_equal_texts_of_two_documents_are_two_hits(query):
    """LlamaIndex compares hashes: the second of two equal clauses of two contracts vanished."""
    store = LogicVectorStore.open()
    store.add([TextNode(id_=f"n{i}", text="A quiet inn by the sea.") for i in range(3)])
    retriever = ConstraintRetriever(store.index, similarity_top_k=3)
    assert sorted(ids(retriever.retrieve(query))) == ["n0", "n1", "n2"]
    assert sorted(ids(await retriever.aretrieve(query))) == ["n0", "n1", "n2"]
    store.index.close()


async def test_index_nodes_lead_to_what_they_stand_for_once():
    """Two summaries that lead to one node show it twice; or they lead nowhere."""
    target = TextNode(id_="whole", text="The whole chapter about inns.")
    store = LogicVectorStore.open()
    store.add(
        [IndexNode(id_=f"s{i}", text=f"Summary {i}: quiet inns.", index_id="x") for i in range(2)]
        + [TextNode(id_="t", text="A motel.")]
    )
    retriever = ConstraintRetriever(
        store.index, objects=[IndexNode(text="-", index_id="x", obj=target)]
    )
    assert ids(retriever.retrieve("quiet inns")) == ["whole", "t"]
    assert ids(await retriever.aretrieve("quiet inns")) == ["whole", "t"]
    inner = ConstraintRetriever(store.index, similarity_top_k=1, filter={"logic": None})
    outer = ConstraintRetriever(store.index, object_map={"x": inner})
    assert ids(outer.retrieve("a motel"))  # an object may be a retriever
    store.index.close()


def test_evidence_is_json_and_stays_out_of_prompts_and_vectors(index, query):
    """Half a page of scores in the prompt, or in what an embedding model reads."""
    for result in ConstraintRetriever(index, similarity_top_k=8).retrieve(query):
        evidence = result.node.metadata["logic"]
        assert json.loads(json.dumps(evidence)) == evidence
        assert evidence["score"] == result.score
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            text = result.node.get_content(mode)
            assert "logic" not in text
            assert evidence["reason"] not in text
            assert f"name: {result.node.node_id}" in text


async def test_events_and_callbacks_are_sent(index, query):
    """A tracer that shows nothing between question and answer."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    retriever = ConstraintRetriever(
        index, similarity_top_k=2, callback_manager=CallbackManager([handler])
    )
    with recorded() as events:
        results = retriever.retrieve(query)
    assert events.names == ["RetrievalStartEvent", "RetrievalEndEvent"]
    assert events.events[1].nodes == results
    with recorded() as events:
        await retriever.aretrieve(query)
    assert events.names == ["RetrievalStartEvent", "RetrievalEndEvent"]
    assert len(handler.get_event_pairs(CBEventType.RETRIEVE)) == 2


async def test_retriever_reranker_and_store_follow_the_index(
    store: LogicVectorStore, nodes, query, tmp_path
):
    """Also a query that LlamaIndex embedded itself, with the model that it got at the start."""
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
        return [
            scores(retriever.retrieve(query)),
            scores(their_retriever.retrieve(query)),
            scores(reranked),
        ]

    before, model = all_scores(), store.embed_model.model_name
    store.index.use_query_encoder(file)
    swapped = all_scores()
    assert all(one != other for one, other in zip(before, swapped, strict=True))
    assert swapped[0] == swapped[1]
    assert scores(await retriever.aretrieve(query)) == swapped[0]
    assert store.embed_model.model_name != model
    assert store.embed_model.get_text_embedding("a") == theirs._embed_model.get_text_embedding("a")
    await store.index.ause_query_encoder(None)
    assert all_scores() == before
    assert store.embed_model.model_name == model
