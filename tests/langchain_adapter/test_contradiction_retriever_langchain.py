"""ContradictionRetriever: settings, results, and events."""

from __future__ import annotations

import json

import pytest
from contradicting_documents import AGAIN, DOCUMENTS, OPEN, SHUT, opposed_store
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import (
    ContradictionRetriever,
)
from langchain_logic_retrievers.tracing import RETRIEVAL
from placed import SETTINGS

from logic_retrievers import ContradictionSearch
from logic_retrievers.errors import InputError

STATEMENT = "inn | shut | c"


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


def test_like_a_stored_document(store, retriever):
    """The document itself would head the list of what contradicts it."""
    found = retriever.like(SHUT)
    hits = ContradictionSearch(store.index).search_like(SHUT, 4)
    assert [result.metadata for result in found] == told(hits)
    assert set(ids(found[:2])) == {OPEN, AGAIN}
    assert SHUT not in ids(retriever.like(SHUT, k=99))
    for settings in ({"k": 1}, {"filter": {"source": "blog"}}, {"min_probability": 0.5}):
        expected = ContradictionRetriever(index=store.index, **settings).like(SHUT)
        assert retriever.like(SHUT, **settings) == expected != found
    with pytest.raises(InputError, match="no passage 'nobody'"):
        retriever.like("nobody")
    with pytest.raises(TypeError, match="top_k"):
        retriever.like(SHUT, top_k=1)


def test_a_setting_of_zero_for_one_call_is_a_setting(store):
    """Zero that is taken for 'not given' leaves the object's own."""
    strict = ContradictionRetriever(index=store.index, min_probability=0.9, alpha=9.0, k=99)
    assert len(strict.invoke(STATEMENT)) == 2
    assert len(strict.invoke(STATEMENT, min_probability=0.0)) == len(DOCUMENTS)
    assert strict.invoke(STATEMENT, alpha=0.0)[0].metadata["logic"]["details"]["alpha"] == 0.0


def test_constants_of_the_users_own(store):
    """Another threshold that is not heard calls everything a conflict."""
    strict = SETTINGS.model_copy(update={"threshold": 0.99999})
    found = ContradictionRetriever(index=store.index, settings=strict).invoke(STATEMENT)
    assert not any(result.metadata["logic"]["details"]["conflict"] for result in found)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"candidates": True}, "whole number"),
        ({"top_k": 3}, "top_k"),
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


async def test_the_event_of_a_run(retriever, listener):
    """Traces and `astream_events` show why a document stands where it does."""
    found = retriever.invoke(STATEMENT, {"callbacks": [listener]})
    assert await retriever.ainvoke(STATEMENT, {"callbacks": [listener]}) == found
    like = RunnableLambda(lambda one: retriever.like(one))
    liked = like.invoke(SHUT, {"callbacks": [listener]})
    for event, documents in zip(listener.events, (found, found, liked), strict=True):
        name, data, _ = event
        assert name == RETRIEVAL
        assert (data["policy"], data["ranked_by"]) == ("contradiction", "contradiction")
        assert [hit["id"] for hit in data["hits"]] == ids(documents)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert listener.events[0][2]["run_id"] == listener.started[0]["run_id"]
    assert listener.ended == [found, found]
