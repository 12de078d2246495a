"""ContradictionRetriever: its settings, its results, and what a run tells."""

from __future__ import annotations

import json

import pytest
from contradicting_documents import AGAIN, COPPER, DOCUMENTS, OPEN, SHUT, opposed_store
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import create_retriever_tool
from langchain_corpus import ids
from langchain_logic_retrievers import (
    ContradictionRetriever,
    LogicVectorStore,
    encoder_of,
    open_index_over,
)
from langchain_logic_retrievers.tracing import RETRIEVAL
from langchain_qdrant import QdrantVectorStore
from placed import SETTINGS, PlacedEncoder
from qdrant_client import models

from logic_retrievers import CombinedEncoder, ContradictionSearch, PassageIndex
from logic_retrievers.errors import InputError, MissingVectorError, UnknownFieldWarning

STATEMENT = "inn | shut | c"
EVERYTHING = len(DOCUMENTS)


@pytest.fixture
def store():
    with opposed_store() as store:
        yield store


@pytest.fixture
def retriever(store):
    return ContradictionRetriever(index=store.index)


def told(hits):
    return [
        {
            **hit.passage.metadata,
            "logic": {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank},
            "relevance_score": hit.score,
        }
        for hit in hits
    ]


def test_the_core_decides(store, retriever):
    """An order of the adapter's own would not be the one that was measured."""
    found = retriever.invoke(STATEMENT)
    hits = ContradictionSearch(store.index).search(STATEMENT, 4)
    assert ids(found) == [hit.passage.id for hit in hits]
    assert set(ids(found[:2])) == {OPEN, AGAIN}
    assert [result.metadata for result in found] == told(hits)
    assert found[0].metadata["logic"]["details"]["probability"] > 0.9
    json.dumps([result.metadata for result in found], allow_nan=False)


async def test_like_a_stored_document(store, retriever):
    """The document itself would head the list of what contradicts it."""
    found = retriever.like(SHUT)
    hits = ContradictionSearch(store.index).search_like(SHUT, 4)
    assert [result.metadata for result in found] == told(hits)
    assert set(ids(found[:2])) == {OPEN, AGAIN}
    assert SHUT not in ids(retriever.like(SHUT, k=99))
    assert await retriever.alike(SHUT) == found
    for settings in ({"k": 1}, {"filter": {"source": "blog"}}, {"min_probability": 0.5}):
        expected = ContradictionRetriever(index=store.index, **settings).like(SHUT)
        assert retriever.like(SHUT, **settings) == expected != found
        assert await retriever.alike(SHUT, **settings) == expected
    with pytest.raises(InputError, match="no passage 'nobody'"):
        retriever.like("nobody")
    with pytest.raises(TypeError, match="top_k"):
        retriever.like(SHUT, top_k=1)


@pytest.mark.parametrize(
    "settings",
    [
        {"k": 1},
        {"k": 99},
        {"min_probability": 0.5},
        {"min_probability": 1.0},
        {"alpha": 0.0},
        {"alpha": 9.0},
        {"filter": {"source": "blog"}},
    ],
    ids=str,
)
async def test_settings_in_both_places(store, retriever, settings):
    """LangChain drops the keyword in silence where the signature has no place for it."""
    expected = ContradictionRetriever(index=store.index, **settings).invoke(STATEMENT)
    assert retriever.invoke(STATEMENT, **settings) == expected
    assert await retriever.ainvoke(STATEMENT, **settings) == expected
    assert retriever.batch([STATEMENT], **settings) == [expected]
    core = {"k": 4, **settings}
    called = {name: core.pop(name) for name in ("k", "filter") if name in core}
    hits = ContradictionSearch(store.index, **core).search(STATEMENT, **called)
    assert [one.metadata for one in expected] == told(hits)


async def test_candidates_in_both_places(store, retriever):
    """Too few that cannot be raised for one call miss what contradicts."""
    statement = "inn | open | e"  # nearest are those that say the same
    assert ids(retriever.invoke(statement, k=1)) == [SHUT]
    narrow = ContradictionRetriever(index=store.index, candidates=1, k=1)
    [nearest] = narrow.invoke(statement)
    assert nearest.id in (OPEN, AGAIN)
    assert retriever.invoke(statement, candidates=1, k=1) == [nearest]
    assert await retriever.ainvoke(statement, candidates=1, k=1) == [nearest]
    assert ids(narrow.invoke(statement, candidates=99)) == [SHUT]


def test_a_setting_of_zero_for_one_call_is_a_setting(store):
    """Zero that is taken for 'not given' leaves the object's own."""
    strict = ContradictionRetriever(index=store.index, min_probability=0.9, alpha=9.0, k=99)
    assert len(strict.invoke(STATEMENT)) == 2
    assert len(strict.invoke(STATEMENT, min_probability=0.0)) == EVERYTHING
    assert strict.invoke(STATEMENT, alpha=0.0)[0].metadata["logic"]["details"]["alpha"] == 0.0


def test_constants_of_the_users_own(store):
    """Another threshold that is not heard calls everything a conflict."""
    strict = SETTINGS.model_copy(update={"threshold": 0.99999})
    found = ContradictionRetriever(index=store.index, settings=strict).invoke(STATEMENT)
    assert not any(result.metadata["logic"]["details"]["conflict"] for result in found)


def test_misspelt_settings_are_refused(store, retriever):
    """`top_k=3` that is ignored looks like a retriever that cannot count."""
    with pytest.raises(TypeError, match="top_k"):
        retriever.invoke(STATEMENT, top_k=3)
    with pytest.raises(ValueError, match="top_k"):
        ContradictionRetriever(index=store.index, top_k=3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 0}, "at least 1"),
        ({"candidates": True}, "whole number"),
        ({"min_probability": 1.1}, "min_probability"),
        ({"alpha": -1.0}, "alpha"),
        ({"settings": {"alpha": -1.0}}, "alpha"),
        ({"filter": {"source": []}}, "empty list"),
        ({"index": None}, "PassageIndex"),
    ],
    ids=str,
)
def test_bad_settings_are_refused_when_they_are_set(store, settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValueError, match=words):
        ContradictionRetriever(**{"index": store.index, **settings})


def test_an_index_that_cannot_judge_is_refused():
    """A topical search under the name of a search for contradictions."""
    with (
        PassageIndex.open(encoder=PlacedEncoder(["topical"])) as poor,
        pytest.raises(ValueError, match="no 'contradiction'"),
    ):
        ContradictionRetriever(index=poor)
    with PassageIndex.open(encoder=PlacedEncoder()) as bare:
        retriever = ContradictionRetriever(index=bare)
        with pytest.raises(MissingVectorError, match=r"backfill\(\['contradiction'\]\)"):
            retriever.invoke(STATEMENT)


def test_configurable_fields(store):
    """LangChain builds the object anew from its public fields; a private one is lost there."""
    configurable = ContradictionRetriever(index=store.index).configurable_fields(
        k=ConfigurableField(id="k"),
        min_probability=ConfigurableField(id="least"),
        filter=ConfigurableField(id="where"),
    )
    chosen = {"k": 9, "least": 0.5, "where": {"source": "blog"}}
    found = configurable.with_config(configurable=chosen).invoke(STATEMENT)
    assert ids(found) == [OPEN]
    assert len(configurable.invoke(STATEMENT)) == 4
    assert configurable.config_schema().model_json_schema()
    with pytest.raises(ValueError, match="at least 1"):
        configurable.with_config(configurable={"k": 0}).invoke(STATEMENT)


def test_over_langchains_own_store():
    """Its embeddings make no contradiction vector: an error, or another encoder beside them."""
    theirs = DeterministicFakeEmbedding(size=64)
    existing = QdrantVectorStore.from_documents(
        [document.model_copy(update={"id": None}) for document in DOCUMENTS],
        theirs,
        location=":memory:",
        collection_name="docs",
    )
    with pytest.raises(ValueError, match="no 'contradiction'"):
        ContradictionRetriever(index=open_index_over(existing, identity="fake"))
    beside = (PlacedEncoder(), {"contradiction": "contradiction"})
    encoder = CombinedEncoder([encoder_of(theirs, identity="fake"), beside])
    index = open_index_over(existing, encoder=encoder)
    assert index.backfill(["contradiction"]).collection == "docs"
    retriever = ContradictionRetriever(index=index, k=2)
    found = retriever.invoke(STATEMENT, min_probability=0.0, k=9)
    sparsest = max(found, key=lambda one: one.metadata["logic"]["details"]["sparsity"])
    assert sparsest.page_content in (OPEN, AGAIN)
    existing.client.close()


# --- runs


async def test_the_event_of_a_run(retriever, listener):
    """Traces and `astream_events` show why a document stands where it does."""
    found = retriever.invoke(STATEMENT, {"callbacks": [listener]})
    assert await retriever.ainvoke(STATEMENT, {"callbacks": [listener]}) == found
    like = RunnableLambda(lambda one: retriever.like(one), func_of_async(retriever))
    liked = like.invoke(SHUT, {"callbacks": [listener]})
    assert await like.ainvoke(SHUT, {"callbacks": [listener]}) == liked
    for event, documents in zip(listener.events, (found, found, liked, liked), strict=True):
        name, data, _ = event
        assert name == RETRIEVAL
        assert (data["policy"], data["ranked_by"]) == ("contradiction", "contradiction")
        assert [hit["id"] for hit in data["hits"]] == ids(documents)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert listener.events[0][2]["run_id"] == listener.started[0]["run_id"]
    assert listener.ended == [found, found]


def func_of_async(retriever):
    async def alike(one):
        return await retriever.alike(one)

    return alike


def test_as_a_tool(retriever):
    """An agent that checks a claim needs the texts; the program needs the evidence."""
    tool = create_retriever_tool(
        retriever, "check", "What contradicts a claim.", response_format="content_and_artifact"
    )
    call = {"name": "check", "args": {"query": STATEMENT}, "id": "1", "type": "tool_call"}
    message = tool.invoke(call)
    assert message.artifact == retriever.invoke(STATEMENT)
    assert message.content == "\n\n".join(document.page_content for document in message.artifact)


def test_filters_of_both_kinds(store):
    """A dictionary is never taken for a Qdrant filter, nor the other way round."""
    condition = models.FieldCondition(key="metadata.source", match=models.MatchValue(value="blog"))
    for wanted in ({"source": "blog"}, models.Filter(must=[condition])):
        found = ContradictionRetriever(index=store.index, filter=wanted, k=9).invoke(STATEMENT)
        assert {result.metadata["source"] for result in found} == {"blog"}
        assert len(found) == 3
    odd = ContradictionRetriever(index=store.index, filter={"should": "see"})
    with pytest.warns(UnknownFieldWarning, match="should"):
        assert odd.invoke(STATEMENT) == []


async def test_over_a_server(wire_double):
    """The wire may lose what memory keeps."""
    with opposed_store(location=wire_double.url) as store:
        expected = ContradictionRetriever(index=store.index).invoke(STATEMENT)
        assert set(ids(expected[:2])) == {OPEN, AGAIN}
    store = await LogicVectorStore.aopen(
        encoder=PlacedEncoder(),
        vectors=("topical", "contradiction"),
        location=wire_double.url,
    )
    async with store.index:
        assert await ContradictionRetriever(index=store.index).ainvoke(STATEMENT) == expected


def test_no_hits(listener):
    """An empty collection must not break the event."""
    vectors = ("topical", "contradiction")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=vectors) as index:
        retriever = ContradictionRetriever(index=index)
        assert retriever.invoke(STATEMENT, {"callbacks": [listener]}) == []
    assert listener.events[0][1] == {"policy": "contradiction", "ranked_by": None, "hits": []}


def test_results_do_not_share_their_metadata(retriever):
    """Whoever changes one result would change the next user's."""
    first = retriever.invoke(STATEMENT)
    first[0].metadata["source"] = "me"
    first[0].metadata["logic"]["details"].clear()
    again = retriever.invoke(STATEMENT)
    assert again[0].metadata["source"] != "me"
    assert again[0].metadata["logic"]["details"]
    assert isinstance(again[0], Document)
    assert COPPER in ids(retriever.invoke(STATEMENT, k=9))
