"""The retriever: what it returns, how many, in which order, with what events."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import IndexNode, MetadataMode, NodeRelationship, QueryBundle, TextNode
from llama_index.core.tools import RetrieverTool
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index_logic_retrievers import ConstraintRetriever, LogicVectorStore
from llama_stubs import CountingEncoder, longest_pause, recorded, recorded_spans
from qdrant_client import models

from logic_retrievers import Engine, Passage, PassageIndex, SequentialPolicy
from logic_retrievers.errors import ConfigurationError, InputError, UnknownPolicyError


def ids(results):
    return [result.node.node_id for result in results]


@pytest.mark.parametrize("policy", ["auto", "topical", "union", "sequential", SequentialPolicy()])
def test_it_returns_what_the_engine_returns(index, query, policy):
    """An adapter with an order of its own would measure nothing of what we measured."""
    hits = Engine(index, policy).search(query, 5)
    results = ConstraintRetriever(index, policy, similarity_top_k=5).retrieve(query)
    assert ids(results) == [hit.passage.id for hit in hits]
    assert [result.score for result in results] == [hit.score for hit in hits]
    assert [result.node.metadata["logic"] for result in results] == [
        {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank} for hit in hits
    ]


def test_what_the_query_rules_out_moves_down(index, query):
    """The one thing that the package is for."""
    plain = ids(ConstraintRetriever(index, "topical", similarity_top_k=8).retrieve(query))
    results = ConstraintRetriever(index, similarity_top_k=8).retrieve(query)
    assert plain.index("disco") <= 2
    assert ids(results)[-1] == "disco"
    assert "nightclub" in results[-1].metadata["logic"]["reason"]


@pytest.mark.parametrize("k", [1, 3, 8])
def test_k_is_honoured(index, query, k):
    """A prompt that was planned for three passages gets another number."""
    assert len(ConstraintRetriever(index, similarity_top_k=k).retrieve(query)) == k
    assert len(ConstraintRetriever(index).retrieve(query)) == 4


def test_k_is_honoured_after_filtering(index, query):
    """A filter over the best k alone, as some stores have it, returns one hit or none."""
    wanted = {"rank": {"gte": 3}}  # the last five: none of them is near the query
    results = ConstraintRetriever(index, similarity_top_k=4, filter=wanted).retrieve(query)
    assert len(results) == 4
    assert all(result.metadata["rank"] >= 3 for result in results)
    assert (
        len(
            ConstraintRetriever(index, "sequential", similarity_top_k=5, filter=wanted).retrieve(
                query
            )
        )
        == 5
    )


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


def test_min_score_is_honoured(index, query):
    """A threshold that is stored and never used is worse than none."""
    best = ConstraintRetriever(index, similarity_top_k=8).retrieve(query)
    bar = best[2].score
    results = ConstraintRetriever(index, similarity_top_k=8, min_score=bar).retrieve(query)
    assert ids(results) == ids(best)[:3]


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
        ({"similarity_top_k": 0}, ConfigurationError),
        ({"similarity_top_k": "3"}, ConfigurationError),
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
    with pytest.raises(ConfigurationError, match="no setting 'top_k' for a call; there is exclude"):
        retriever.retrieve(query, top_k=2)
    with pytest.raises(ConfigurationError, match="at least 1"):
        retriever.retrieve(query, similarity_top_k=0)
    assert vars(retriever) == before
    with recorded_spans() as spans:
        retriever.retrieve(query, similarity_top_k=1)
    assert spans == ["ConstraintRetriever.retrieve", "ConstraintRetriever._retrieve"]


async def test_sync_and_async_return_the_same(index, query):
    """Two code paths drift apart."""
    retriever = ConstraintRetriever(
        index, similarity_top_k=5, filter={"rank": {"lt": 7}}, min_score=-1.0
    )
    assert await retriever.aretrieve(query) == retriever.retrieve(query)
    assert retriever.retrieve(QueryBundle(query)) == retriever.retrieve(query)


async def test_the_event_loop_is_never_blocked():
    """One slow encoding would freeze every other user of the server."""
    encoder = CountingEncoder(pause=0.3)
    index = PassageIndex.open(encoder=encoder)
    await index.aadd([Passage("a", "A quiet inn.")])
    retriever = ConstraintRetriever(index)
    assert await longest_pause(retriever.aretrieve("a quiet place")) < 0.15
    assert encoder.queries
    index.close()


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


def test_ids_and_relationships_are_kept(index, query):
    """A citation, a parent retriever or a docstore cannot find the node otherwise."""
    (results,) = ConstraintRetriever(index, similarity_top_k=1, filter={"name": "inn"}).retrieve(
        query
    )
    assert results.node.node_id == "inn"
    assert results.node.ref_doc_id == "doc-inn"
    assert results.node.relationships[NodeRelationship.SOURCE].node_id == "doc-inn"


def test_nothing_is_changed_that_was_given(query):
    """Evidence of one query in the metadata of the next; a user's node with our keys."""
    given = [TextNode(id_="a", text="A quiet inn.", metadata={"deep": {"list": [1]}})]
    before = deepcopy(given)
    store = LogicVectorStore.open()
    store.add(given)
    retriever = ConstraintRetriever(store.index, similarity_top_k=1)
    (first,) = retriever.retrieve(query)
    first.node.metadata["deep"]["list"].append(2)
    first.node.metadata["logic"]["rank"] = 99
    (second,) = retriever.retrieve(query)
    assert second.node.metadata["deep"] == {"list": [1]}
    assert second.node.metadata["logic"]["rank"] == 1
    assert given == before
    bundle = QueryBundle(query)
    retriever.retrieve(bundle)
    assert bundle == QueryBundle(query)
    store.index.close()


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


async def test_it_is_a_tool(index, query):
    """An agent gets an empty answer, or one without its sources."""
    tool = RetrieverTool.from_defaults(
        ConstraintRetriever(index, similarity_top_k=2), description="Hotels."
    )
    answer = tool.call(query)
    assert ids(answer.raw_output) == ids(
        ConstraintRetriever(index, similarity_top_k=2).retrieve(query)
    )
    assert "Harbour" in str(answer.content)
    assert "cosine" not in str(answer.content)
    assert (await tool.acall(query)).content == answer.content


def test_an_empty_query_is_an_error_that_says_so(index):
    """An empty list looks like an empty collection."""
    with pytest.raises(InputError, match="empty"):
        ConstraintRetriever(index).retrieve("  ")
