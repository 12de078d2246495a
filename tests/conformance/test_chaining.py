"""A relevance reranker behind a retriever undoes its exclusions; inside, it keeps them.

What ``docs/judges.md`` says about chains, for the three frameworks.
"""

from __future__ import annotations

import haystack_logic_retrievers as haystack_adapter
import langchain_logic_retrievers as langchain_adapter
import llama_index_logic_retrievers as llama_index_adapter
import pytest
from framework_models import Compressor, Postprocessor, Ranker
from haystack import Pipeline
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from llama_index.core import set_global_tokenizer
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from suites.hashed_encoder import HashedEncoder
from suites.sample_passages import EXCLUDING, hotel_passages

from logic_retrievers import PassageIndex

K = 8
EXCLUDED = "The nightclub near the harbour opens at ten."


@pytest.fixture
def index():
    with PassageIndex.open("hotels", HashedEncoder()) as index:
        index.add(hotel_passages())
        yield index


def of_langchain(index, inside=False, behind=(), **settings):
    model = Compressor(calls=[], top_n=K)
    judge = langchain_adapter.as_judge(model)
    retriever = langchain_adapter.ConstraintRetriever(
        index=index, k=K, reranker=judge if inside else None, **settings
    )
    ours = langchain_adapter.CompatibilityReranker(encoder=index.encoder, reranker=judge)
    compressors = [{"theirs": model, "ours": ours}[name] for name in behind]
    if compressors:
        retriever = ContextualCompressionRetriever(
            base_compressor=DocumentCompressorPipeline(transformers=compressors),
            base_retriever=retriever,
        )
    return [document.page_content for document in retriever.invoke(EXCLUDING)]


def of_llama_index(index, inside=False, behind=(), **settings):
    set_global_tokenizer(str.split)
    model = Postprocessor(calls=[], top_n=K)
    judge = llama_index_adapter.as_judge(model)
    retriever = llama_index_adapter.ConstraintRetriever(
        index, similarity_top_k=K, reranker=judge if inside else None, **settings
    )
    ours = llama_index_adapter.CompatibilityReranker(encoder=index.encoder, reranker=judge)
    engine = RetrieverQueryEngine.from_args(
        retriever,
        llm=MockLLM(),
        node_postprocessors=[{"theirs": model, "ours": ours}[name] for name in behind],
    )
    return [node.text for node in engine.query(EXCLUDING).source_nodes]


def of_haystack(index, inside=False, behind=(), **settings):
    model = Ranker([])
    model.warm_up()
    judge = haystack_adapter.as_judge(Ranker([]))
    store = haystack_adapter.LogicDocumentStore(index=index)
    pipeline, inputs = Pipeline(), {"retriever": {"query": EXCLUDING}}
    pipeline.add_component(
        "retriever",
        haystack_adapter.ConstraintRetriever(
            store, top_k=K, reranker=judge if inside else None, **settings
        ),
    )
    last = "retriever"
    ours = haystack_adapter.CompatibilityRanker(encoder=index.encoder, reranker=judge)
    for name in behind:
        pipeline.add_component(name, {"theirs": model, "ours": ours}[name])
        pipeline.connect(f"{last}.documents", f"{name}.documents")
        inputs[name] = {"query": EXCLUDING, "top_k": K}
        last = name
    documents = pipeline.run(inputs)[last]["documents"]
    return [document.content for document in documents]


@pytest.mark.parametrize(
    "framework", [of_langchain, of_llama_index, of_haystack], ids=lambda made: made.__name__
)
def test_where_a_relevance_reranker_keeps_exclusions(index, framework):
    """The page tells users where to put their reranker; a framework may change the order."""
    plain = framework(index)
    assert EXCLUDED not in plain[:3]
    assert framework(index, behind=["theirs"])[0] == EXCLUDED
    # what is not in the list cannot come back
    assert EXCLUDED not in framework(index, behind=["theirs"], hard=True)
    inside = framework(index, inside=True)
    assert EXCLUDED not in inside[:3]
    assert inside != plain
    # over any retriever, the package's reranker has the last word
    for behind in (["ours"], ["theirs", "ours"]):
        assert EXCLUDED not in framework(index, behind=behind)[:3]
