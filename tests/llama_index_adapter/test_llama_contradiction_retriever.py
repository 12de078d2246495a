"""ContradictionRetriever: its settings, its results, and what a run tells."""

from __future__ import annotations

import asyncio
import json
import uuid

import pytest
from contradicting_nodes import (
    AGAIN,
    COPPER,
    OPEN,
    SHUT,
    contradictions,
    ids,
    opposed,
    opposed_store,
)
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import IndexNode, NodeRelationship, QueryBundle, TextNode
from llama_index.core.tools import RetrieverTool
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import (
    ContradictionRetriever,
    LogicVectorStore,
    aopen_index_over,
    encoder_of,
    open_index_over,
)
from llama_stubs import TheirModel, recorded
from placed import SETTINGS, PlacedEncoder
from qdrant_client import AsyncQdrantClient, QdrantClient, models

from logic_retrievers import CombinedEncoder, ContradictionSearch, PassageIndex
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    LogicRetrieversError,
    MissingVectorError,
)

STATEMENT = "inn | shut | c"
VECTORS = ("topical", "contradiction")


@pytest.fixture
def store():
    with opposed_store() as store:
        yield store


@pytest.fixture
def index(store):
    return store.index


def told(hits):
    return [{**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank} for hit in hits]


def evidence(found):
    return [result.node.metadata["logic"] for result in found]


SEARCHES = [
    {},
    {"similarity_top_k": 1},
    {"similarity_top_k": 99},
    {"candidates": 1, "similarity_top_k": 1},
    {"min_probability": 0.5},
    {"min_probability": 1.0},
    {"alpha": 0.0},
    {"alpha": 9.0},
    {"filter": {"source": "blog"}},
    {"settings": SETTINGS.model_copy(update={"threshold": 0.99999})},
]


def _of_the_core(settings):
    """Settings of the core's search, and of one call."""
    core = {**settings}
    called = {"k": core.pop("similarity_top_k", 4)}
    if "filter" in core:
        called["filter"] = core.pop("filter")
    return core, called


@pytest.mark.parametrize("settings", SEARCHES, ids=str)
async def test_the_core_decides(index, settings):
    """An order of the adapter's own would not be the one that was measured."""
    core, called = _of_the_core(settings)
    hits = ContradictionSearch(index, **core).search(STATEMENT, **called)
    retriever = ContradictionRetriever(index, **settings)
    found = retriever.retrieve(STATEMENT)
    assert ids(found) == [hit.passage.id for hit in hits]
    assert [result.score for result in found] == [hit.score for hit in hits]
    assert evidence(found) == told(hits)
    json.dumps(evidence(found), allow_nan=False)
    assert await retriever.aretrieve(QueryBundle(STATEMENT)) == found
    later = ContradictionRetriever(index)
    for name, value in settings.items():
        setattr(later, name, value)
    assert later.retrieve(STATEMENT) == found, "settings may change at any time"


@pytest.mark.parametrize("settings", SEARCHES, ids=str)
async def test_like_a_stored_node(index, settings):
    """The node itself would head the list of what contradicts it."""
    core, called = _of_the_core(settings)
    hits = ContradictionSearch(index, **core).search_like(SHUT, **called)
    retriever = ContradictionRetriever(index, **settings)
    found = retriever.like(SHUT)
    assert evidence(found) == told(hits)
    assert SHUT not in ids(found)
    assert await retriever.alike(SHUT) == found
    with pytest.raises(InputError, match="no passage 'nobody'"):
        retriever.like("nobody")


def test_what_contradicts_comes_first(index):
    """The one thing that it is for."""
    found = ContradictionRetriever(index).retrieve(STATEMENT)
    assert set(ids(found[:2])) == {OPEN, AGAIN}
    assert found[0].node.metadata["logic"]["details"]["probability"] > 0.9
    assert found[0].node.ref_doc_id in {"doc-blog", "doc-press"}
    assert NodeRelationship.SOURCE in found[0].node.relationships
    assert COPPER in ids(ContradictionRetriever(index, similarity_top_k=9).retrieve(STATEMENT))


def test_every_kind_of_filter_says_the_same(index):
    """Users of either framework bring the filter that they know."""
    native = models.Filter(
        must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="blog"))]
    )
    theirs = MetadataFilters(filters=[MetadataFilter(key="source", value="blog")])
    for given in ({"source": "blog"}, native, theirs, theirs.filters[0]):
        for ask in ("retrieve", "like"):
            found = getattr(ContradictionRetriever(index, similarity_top_k=9, filter=given), ask)(
                SHUT
            )
            assert {result.node.metadata["source"] for result in found} == {"blog"}
            assert len(found) == 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"similarity_top_k": 0}, "at least 1"),
        ({"similarity_top_k": "3"}, "whole number"),
        ({"candidates": True}, "whole number"),
        ({"min_probability": 1.1}, "min_probability"),
        ({"alpha": -1.0}, "alpha"),
        ({"settings": {"alpha": 1.0}}, "ContradictionSettings"),
        ({"filter": {"source": []}}, "empty list"),
        ({"index": None}, "PassageIndex"),
    ],
    ids=str,
)
def test_a_bad_setting_is_refused_at_once(index, settings, words):
    """Else it fails in production, at the first query that comes."""
    with pytest.raises(LogicRetrieversError, match=words):
        ContradictionRetriever(**{"index": index, **settings})


async def test_an_index_that_cannot_judge_is_refused():
    """A topical search under the name of a search for contradictions."""
    with (
        PassageIndex.open(encoder=PlacedEncoder(["topical"])) as poor,
        pytest.raises(ConfigurationError, match="no 'contradiction'"),
    ):
        ContradictionRetriever(poor)
    with PassageIndex.open(encoder=PlacedEncoder()) as bare:
        retriever = ContradictionRetriever(bare)
        with pytest.raises(MissingVectorError, match=r"backfill\(\['contradiction'\]\)"):
            retriever.retrieve(STATEMENT)
        with pytest.raises(MissingVectorError, match="backfill"):
            await retriever.aretrieve(STATEMENT)
    with pytest.raises(InputError, match="empty"), opposed_store() as store:
        ContradictionRetriever(store.index).retrieve(" ")


async def test_events_and_callbacks_are_sent(index):
    """A tracer that shows nothing between question and answer."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    retriever = ContradictionRetriever(
        index, similarity_top_k=2, callback_manager=CallbackManager([handler])
    )
    with recorded() as events:
        found = retriever.retrieve(STATEMENT)
        assert await retriever.aretrieve(STATEMENT) == found
        like = retriever.like(SHUT)
        assert await retriever.alike(SHUT) == like
    assert events.names == ["RetrievalStartEvent", "RetrievalEndEvent"] * 4
    assert [one.nodes for one in events.events[1::2]] == [found, found, like, like]
    assert [one.str_or_query_bundle for one in events.events] == [STATEMENT] * 4 + [SHUT] * 4
    pairs = handler.get_event_pairs(CBEventType.RETRIEVE)
    assert [end.payload["nodes"] for _, end in pairs] == [found, found]


async def test_index_nodes_lead_to_what_they_stand_for_once():
    """Two summaries that lead to one node show it twice; a search by id needs no query for that."""
    target = TextNode(id_="whole", text="The whole chapter about inns.")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        LogicVectorStore(index).add(
            [IndexNode(id_=f"s{i}", text=f"inn | open | {i}", index_id="x") for i in range(2)]
            + [TextNode(id_="t", text=COPPER), TextNode(id_="u", text=SHUT)]
        )
        objects = [IndexNode(text="-", index_id="x", obj=target)]
        retriever = ContradictionRetriever(index, objects=objects, similarity_top_k=3)
        assert ids(retriever.retrieve(SHUT)) == ["whole", "t"]
        assert ids(await retriever.aretrieve(SHUT)) == ["whole", "t"]
        assert sorted(ids(retriever.like("u"))) == ["s0", "s1", "t"]


def test_results_are_the_callers_own(index):
    """Whoever changes one result would change the next user's."""
    retriever = ContradictionRetriever(index)
    first = retriever.retrieve(STATEMENT)
    first[0].node.metadata["source"] = "me"
    first[0].node.metadata["logic"]["details"].clear()
    again = retriever.retrieve(STATEMENT)
    assert again[0].node.metadata["source"] != "me"
    assert again[0].node.metadata["logic"]["details"]


def test_the_filter_behind_it_keeps_both_words(index):
    """Two parts of this package with two things to say under one key."""
    found = ContradictionRetriever(index).retrieve(STATEMENT)
    left = contradictions().postprocess_nodes(found)
    for one, before in zip(left, found, strict=True):
        logic = dict(one.node.metadata["logic"])
        beside = logic.pop("contradiction")
        assert logic == before.node.metadata["logic"]
        assert "opponents" in beside["details"]
        assert "opponents" not in logic["details"]
        assert "opponent" in logic["details"]


async def test_it_is_a_tool(index):
    """An agent that checks a claim needs the texts; the program needs the evidence."""
    retriever = ContradictionRetriever(index, similarity_top_k=2)
    tool = RetrieverTool.from_defaults(retriever, description="What contradicts a claim.")
    answer = tool.call(STATEMENT)
    assert set(ids(answer.raw_output)) == {OPEN, AGAIN}
    assert OPEN in str(answer.content)
    assert "probability" not in str(answer.content)


# --- over what is there


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_over_llama_indexs_own_store():
    """Its model makes no contradiction vector: an error, or an encoder that has one beside it."""
    model = TheirModel(model_name="m")
    client = QdrantClient(":memory:")
    theirs = QdrantVectorStore("docs", client=client)
    nodes = opposed(excluded_embed_metadata_keys=["date", "source"])
    for node in nodes:
        node.id_ = str(uuid.uuid5(uuid.NAMESPACE_DNS, node.text))
        node.embedding = model.get_text_embedding(node.text)
    theirs.add(nodes)
    with pytest.raises(ConfigurationError, match="no 'contradiction'"):
        ContradictionRetriever(open_index_over(theirs, embed_model=model))
    encoder = CombinedEncoder(
        [encoder_of(model), (PlacedEncoder(), {"contradiction": "contradiction"})]
    )
    index = open_index_over(theirs, encoder=encoder)
    assert index.backfill(["contradiction"]).collection == "docs"
    retriever = ContradictionRetriever(index, similarity_top_k=9)
    shut = next(node for node in nodes if node.text == SHUT)
    for found in (retriever.retrieve(STATEMENT), retriever.like(shut.node_id)):
        sparsest = max(evidence(found), key=lambda one: one["details"]["sparsity"])
        best = next(result for result in found if result.node.metadata["logic"] == sparsest)
        assert best.node.get_content() in (OPEN, AGAIN)
    client.close()


async def test_over_a_server(wire_double):
    """The wire may lose what memory keeps."""
    with opposed_store(location=wire_double.url) as store:
        expected = ContradictionRetriever(store.index).retrieve(STATEMENT)
        assert set(ids(expected[:2])) == {OPEN, AGAIN}
    store = await LogicVectorStore.aopen(
        encoder=PlacedEncoder(), vectors=VECTORS, location=wire_double.url
    )
    async with store.index:
        retriever = ContradictionRetriever(store.index)
        assert await retriever.aretrieve(STATEMENT) == expected
        like = retriever.like(SHUT)
        wire_double.latency, wire_double.peak_overlap = 0.1, 0
        found = await asyncio.gather(*(retriever.alike(SHUT) for _ in range(16)))
        wire_double.latency = 0
        assert wire_double.peak_overlap > 4  # as many threads there are for a client without async
        assert found == [like] * 16
        aclient = AsyncQdrantClient(url=wire_double.url, check_compatibility=False)
        alone = QdrantVectorStore(store.index.collection, aclient=aclient)
        native = ContradictionRetriever(await aopen_index_over(alone, encoder=PlacedEncoder()))
        assert await native.aretrieve(STATEMENT) == expected
        await aclient.close()
        made = contradictions("drop_both", encoder=None, index=store.index, top_n=1)
        assert len(await made.apostprocess_nodes(expected)) == 1
