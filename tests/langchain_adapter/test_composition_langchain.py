"""Use with other parts of LangChain."""

from __future__ import annotations

import pytest
from langchain_classic.retrievers import (
    ContextualCompressionRetriever,
)
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from langchain_logic_retrievers.tracing import RERANKING, RETRIEVAL

ANSWER = "The inn by the harbour is quiet."


def joined(documents):
    return "\n".join(document.page_content for document in documents)


@pytest.fixture
def chain(retriever):
    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    model = GenericFakeChatModel(messages=iter([AIMessage(ANSWER)] * 9))
    inputs = {"context": retriever | joined, "question": RunnablePassthrough()}
    return inputs | prompt | model | StrOutputParser()


async def test_a_chain_tells_what_happened(chain):
    """The model's tokens and our events come through one stream."""
    seen = [event async for event in chain.astream_events(QUERY, version="v2")]
    assert [event["name"] for event in seen if event["event"] == "on_custom_event"] == [RETRIEVAL]
    assert sum(event["event"] == "on_chat_model_stream" for event in seen) > 5
    [end] = [event for event in seen if event["event"] == "on_retriever_end"]
    assert end["data"]["output"][0].metadata["logic"]["policy"] == "exclusion"


async def test_as_a_compressor(store, listener):
    """The place for a reranker; kwargs go to the retriever before it, callbacks to both."""
    reranker = CompatibilityReranker(top_n=2, policy="auto")
    compressing = ContextualCompressionRetriever(
        base_compressor=reranker, base_retriever=ConstraintRetriever.over(store, k=6)
    )
    results = compressing.invoke(QUERY, {"callbacks": [listener]})
    assert results == list(reranker.compress_documents(DOCUMENTS, QUERY))
    assert [event[0] for event in listener.events] == [RETRIEVAL, RERANKING]
    assert [hit["id"] for hit in listener.events[1][1]["hits"]] == ids(results)
    listener.events.clear()
    assert await compressing.ainvoke(QUERY, {"callbacks": [listener]}) == results
    assert [event[0] for event in listener.events] == [RETRIEVAL, RERANKING]
    assert len(compressing.invoke(QUERY, k=1)) == 1
    outer, middle = listener.events[1][2]["run_id"], listener.started[-2]["run_id"]
    assert outer == middle


async def test_in_a_pipeline_of_compressors():
    """It looks at the signature of each part to find out whether callbacks are wanted."""
    pipeline = DocumentCompressorPipeline(
        transformers=[CompatibilityReranker(top_n=4), CompatibilityReranker(top_n=2)]
    )
    results = pipeline.compress_documents(DOCUMENTS, QUERY)
    assert len(results) == 2
    assert await pipeline.acompress_documents(DOCUMENTS, QUERY) == results
