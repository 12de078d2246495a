"""Callbacks, tags, metadata and custom events: what a tracer sees of a retrieval."""

from __future__ import annotations

import asyncio
import json

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableLambda
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from langchain_logic_retrievers.tracing import RERANKING, RETRIEVAL

from logic_retrievers.errors import EmptyTextError
from logic_retrievers.index import PassageIndex


def test_a_run_reaches_its_handlers(index, listener):
    """Traces without tags and metadata cannot be filtered; those without an end never close."""
    retriever = ConstraintRetriever(index=index, tags=["of the object"], metadata={"a": 1})
    config = {"callbacks": [listener], "tags": ["of the call"], "metadata": {"b": 2}}
    results = retriever.invoke(QUERY, {**config, "run_name": "harbour"})
    [start] = listener.started
    assert start["query"] == QUERY
    assert start["name"] == "harbour"
    assert set(start["tags"]) == {"of the object", "of the call"}
    assert start["metadata"].items() >= {"a": 1, "b": 2}.items()
    assert listener.ended == [results]


async def test_an_asynchronous_run_reaches_its_handlers(retriever, listener):
    """The asynchronous road has managers of its own."""
    results = await retriever.ainvoke(QUERY, {"callbacks": [listener], "tags": ["t"]})
    assert listener.started[0]["tags"] == ["t"]
    assert listener.ended == [results]


def test_a_failure_reaches_its_handlers(retriever, listener):
    """A failed run that never ends hides in the traces."""
    with pytest.raises(EmptyTextError):
        retriever.invoke(" ", {"callbacks": [listener]})
    assert [type(error) for error in listener.failed] == [EmptyTextError]
    assert not listener.ended


def check_event(event, name, results, run_id):
    assert event[0] == name
    assert event[2]["run_id"] == run_id
    said = json.dumps(event[1], allow_nan=False)
    assert [hit["id"] for hit in event[1]["hits"]] == ids(results)
    assert [hit["score"] for hit in event[1]["hits"]] == [
        result.metadata["relevance_score"] for result in results
    ]
    assert all({"id", "score", "passed_filter", "reason"} == hit.keys() for hit in event[1]["hits"])
    assert not any(document.page_content in said for document in DOCUMENTS)


def test_the_event_of_a_standalone_retrieval(retriever, listener):
    """A bare dispatch raises where no chain is around; without run id nobody can place it."""
    results = retriever.invoke(QUERY, {"callbacks": [listener]})
    [event] = listener.events
    check_event(event, RETRIEVAL, results, listener.started[0]["run_id"])
    assert (event[1]["policy"], event[1]["ranked_by"]) == ("auto", "exclusion")


async def test_the_event_of_an_asynchronous_retrieval(retriever, listener):
    """The asynchronous twin has a dispatcher of its own."""
    results = await retriever.ainvoke(QUERY, {"callbacks": [listener]}, policy="union")
    [event] = listener.events
    check_event(event, RETRIEVAL, results, listener.started[0]["run_id"])
    assert event[1]["policy"] == "union"


async def test_the_event_reaches_an_asynchronous_handler(retriever):
    """Its method is a coroutine, bound to the loop of its connections."""
    heard = []

    class Handler(AsyncCallbackHandler):
        async def on_custom_event(self, name, data, **kwargs):
            heard.append((name, asyncio.get_running_loop()))

    await retriever.ainvoke(QUERY, {"callbacks": [Handler()]})
    assert heard == [(RETRIEVAL, asyncio.get_running_loop())]


async def test_the_event_inside_a_chain(retriever, listener):
    """It must belong to the retriever's run, not to the chain's."""
    chain = RunnableLambda(lambda text: text.strip()) | retriever
    results = chain.invoke(f" {QUERY}", {"callbacks": [listener]})
    check_event(listener.events[0], RETRIEVAL, results, listener.started[0]["run_id"])
    assert listener.started[0]["parent_run_id"] is not None
    await chain.ainvoke(f" {QUERY}", {"callbacks": [listener]})
    check_event(listener.events[1], RETRIEVAL, results, listener.started[1]["run_id"])


async def test_the_event_in_a_stream_of_events(retriever):
    """`astream_events` is where an application shows why a document stands where it does."""
    seen = [event async for event in retriever.astream_events(QUERY, version="v2")]
    assert [event["event"] for event in seen] == [
        "on_retriever_start",
        "on_custom_event",
        "on_retriever_end",
    ]
    assert seen[1]["name"] == RETRIEVAL
    assert seen[1]["run_id"] == seen[0]["run_id"]


async def test_nobody_listens(retriever):
    """The usual case: no handlers, no error."""
    assert retriever.invoke(QUERY) == await retriever.ainvoke(QUERY)
    reranker = CompatibilityReranker()
    assert reranker.compress_documents(DOCUMENTS, QUERY) == await reranker.acompress_documents(
        DOCUMENTS, QUERY
    )


def test_no_hits_no_evidence(listener):
    """An empty collection must not break the event."""
    with PassageIndex.open() as index:
        assert ConstraintRetriever(index=index).invoke(QUERY, {"callbacks": [listener]}) == []
    assert listener.events[0][1] == {"policy": "auto", "ranked_by": None, "hits": []}


async def test_handlers_without_a_run_are_no_reason_to_fail(listener):
    """A reranker starts no run of its own; called by hand it has nothing to tell."""
    reranker = CompatibilityReranker()
    assert len(reranker.compress_documents(DOCUMENTS, QUERY, [listener])) == len(DOCUMENTS)
    assert len(await reranker.acompress_documents(DOCUMENTS, QUERY, [listener])) == len(DOCUMENTS)
    assert listener.events == []


async def test_the_reranking_event_takes_the_run_around_it(listener):
    """In a function of a chain nobody passes callbacks on; LangChain's context has them."""
    reranker = CompatibilityReranker(top_n=2)

    async def arerank(query):
        return await reranker.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: reranker.compress_documents(DOCUMENTS, query), arerank)
    results = chain.invoke(QUERY, {"callbacks": [listener]})
    assert await chain.ainvoke(QUERY, {"callbacks": [listener]}) == results
    for event in listener.events:
        check_event(event, RERANKING, results, event[2]["run_id"])
    assert len(listener.events) == 2
