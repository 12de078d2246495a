"""The asynchronous road: the same results, and an event loop that goes on."""

from __future__ import annotations

import asyncio
import time

import pytest
from langchain_core.documents import Document
from langchain_corpus import DOCUMENTS, QUERY
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.encoders import default_encoder

LONG = "The town has a harbour, inns, loud bars, a museum of ships and a bakery. " * 8
MANY = [Document(id=str(n), page_content=f"{n}. {LONG}") for n in range(24)]


async def longest_gap(work):
    """(the longest time between two ticks, seconds of the work)."""
    gaps, done = [], asyncio.Event()

    async def tick():
        last = time.perf_counter()
        while not done.is_set():
            await asyncio.sleep(0.002)
            now = time.perf_counter()
            gaps.append(now - last)
            last = now

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(0.01)
    began = time.perf_counter()
    await work
    seconds = time.perf_counter() - began
    done.set()
    await ticking
    return max(gaps), seconds


async def check_goes_on(work):
    gap, seconds = await longest_gap(work)
    assert seconds > 0.2, f"{seconds:.3f} s are too short to tell"
    assert gap < seconds / 3, f"the loop stood still for {gap:.3f} s of {seconds:.3f} s"


async def test_retrieval_leaves_the_event_loop_alone(retriever):
    """A web server that encodes on its loop answers nobody else meanwhile."""
    queries = [f"{QUERY}, number {n}, and {LONG}" for n in range(12)]
    await check_goes_on(retriever.abatch(queries))


class SlowEncoder:
    """The real one, again and again."""

    def __init__(self) -> None:
        self._encoder = default_encoder()
        self.specs = self._encoder.specs
        self.token_spans = self._encoder.token_spans
        self.encode_documents = self._encoder.encode_documents

    def encode_queries(self, texts, names=None):
        until = time.perf_counter() + 0.4
        while time.perf_counter() < until:
            vectors = self._encoder.encode_queries(texts, names)
        return vectors


async def test_one_long_retrieval_leaves_the_event_loop_alone():
    """A batch has pauses between its queries; one query that takes long has none."""
    with PassageIndex.open(encoder=SlowEncoder()) as index:
        await index.aadd([Passage("inn", "A quiet inn.")])
        await check_goes_on(ConstraintRetriever(index=index).ainvoke(QUERY))


async def test_reranking_leaves_the_event_loop_alone():
    """The same for the reranker, which has no index whose threads it could use."""
    await check_goes_on(CompatibilityReranker().acompress_documents(MANY, QUERY))


async def test_embedding_leaves_the_event_loop_alone():
    """The same for embeddings, of which LangChain's default uses threads without a limit."""
    texts = [document.page_content for document in MANY]
    await check_goes_on(LogicEmbeddings().aembed_documents(texts))


async def test_storing_leaves_the_event_loop_alone(store):
    """The same for ingestion."""
    await check_goes_on(store.aadd_documents(MANY))


@pytest.mark.parametrize("where", ["memory", "server"])
@pytest.mark.parametrize("policy", ["auto", "topical", "union", "sequential"])
async def test_both_roads_give_the_same(request, where, policy):
    """Two copies of the logic drift apart unseen."""
    location = request.getfixturevalue("wire_double").url if where == "server" else None
    store = await LogicVectorStore.afrom_documents(DOCUMENTS, location=location)
    async with store.index:
        retriever = ConstraintRetriever(index=store.index, policy=policy, k=5)
        reranker = CompatibilityReranker(policy=policy, index=store.index)
        for settings in ({}, {"k": 2}, {"filter": {"city": "Oslo"}}, {"min_score": 0.3}):
            found = await retriever.ainvoke(QUERY, **settings)
            assert found == await asyncio.to_thread(retriever.invoke, QUERY, **settings)
        assert await reranker.acompress_documents(DOCUMENTS, QUERY) == await asyncio.to_thread(
            reranker.compress_documents, DOCUMENTS, QUERY
        )


async def test_requests_to_a_server_overlap(wire_double):
    """A synchronous client behind the asynchronous method serves a few queries at a time."""
    store = await LogicVectorStore.afrom_documents(DOCUMENTS, location=wire_double.url)
    async with store.index:
        retriever = ConstraintRetriever(index=store.index)
        wire_double.latency = 0.4
        await asyncio.gather(*(retriever.ainvoke(f"{QUERY} {n}") for n in range(16)))
    assert wire_double.peak_overlap > 4  # the threads that a client without async gets
