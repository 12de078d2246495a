"""ContradictionRetriever: its own calls, settings and events."""

from __future__ import annotations

import json

import pytest
from contradicting_documents import AGAIN, DOCUMENTS, OPEN, SHUT, opposed_store
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import ContradictionRetriever
from langchain_logic_retrievers.tracing import RETRIEVAL

from logic_retrievers import ContradictionSearch
from logic_retrievers.errors import InputError

STATEMENT = "inn | shut | c"


@pytest.fixture
def index():
    with opposed_store() as store:
        yield store.index


@pytest.fixture
def retriever(index):
    return ContradictionRetriever(index=index)


def test_like_a_stored_document(index, retriever):
    """Otherwise the document heads the list of what contradicts it."""
    found = retriever.like(SHUT)
    for result, hit in zip(found, ContradictionSearch(index).search_like(SHUT, 4), strict=True):
        evidence = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        more = {"logic": evidence, "relevance_score": hit.score}
        assert result.metadata == {**hit.passage.metadata, **more}
    assert set(ids(found[:2])) == {OPEN, AGAIN}
    assert SHUT not in ids(retriever.like(SHUT, k=99))
    for settings in ({"k": 1}, {"filter": {"source": "blog"}}, {"min_probability": 0.5}):
        expected = ContradictionRetriever(index=index, **settings).like(SHUT)
        assert retriever.like(SHUT, **settings) == expected != found
    with pytest.raises(InputError, match="no passage 'nobody'"):
        retriever.like("nobody")
    with pytest.raises(TypeError, match="top_k"):
        retriever.like(SHUT, top_k=1)


def test_settings_of_a_single_call(index):
    """Zero must not count as 'not given' and keep the object's setting."""
    strict = ContradictionRetriever(index=index, min_probability=0.9, alpha=9.0, k=99)
    assert len(strict.invoke(STATEMENT)) == 2
    assert len(strict.invoke(STATEMENT, min_probability=0.0)) == len(DOCUMENTS)
    assert strict.invoke(STATEMENT, alpha=0.0)[0].metadata["logic"]["details"]["alpha"] == 0.0
    configurable = strict.configurable_fields(filter=ConfigurableField(id="where"))
    chosen = configurable.with_config(configurable={"where": {"source": "blog"}})
    assert ids(chosen.invoke(STATEMENT)) == [OPEN]


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"top_k": 3}, "top_k"), ({"candidates": True}, "whole number"), ({"index": None}, "Index")],
    ids=str,
)
def test_bad_settings_are_refused_when_they_are_set(index, settings, words):
    """Otherwise an end user's first query finds them."""
    with pytest.raises(ValueError, match=words):
        ContradictionRetriever(**{"index": index, **settings})


def test_the_event_of_a_run(retriever, listener):
    """Traces and `astream_events` show why a document has its position."""
    callbacks = {"callbacks": [listener]}
    found = retriever.invoke(STATEMENT, callbacks)
    liked = RunnableLambda(lambda one: retriever.like(one)).invoke(SHUT, callbacks)
    for event, documents in zip(listener.events, (found, liked), strict=True):
        name, data, _ = event
        assert name == RETRIEVAL
        assert (data["policy"], data["ranked_by"]) == ("contradiction", "contradiction")
        assert [hit["id"] for hit in data["hits"]] == ids(documents)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
