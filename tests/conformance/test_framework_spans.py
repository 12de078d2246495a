"""Our spans in each framework's own traces, synchronous and asynchronous.

The tracers here are as small as they can be and open their spans as those of OpenInference
(LangChain, LlamaIndex) and of Haystack's own integration do.
"""

from __future__ import annotations

import contextlib

import pytest
from haystack import Document as HaystackDocument
from haystack import Pipeline, tracing
from haystack_logic_retrievers import ConstraintRetriever as HaystackRetriever
from haystack_logic_retrievers import LogicDocumentStore
from hotel_town import QUERY, TEXTS
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda
from langchain_logic_retrievers import CompatibilityReranker, ContradictionFilter
from langchain_logic_retrievers import ConstraintRetriever as LangChainRetriever
from langchain_logic_retrievers import LogicVectorStore as LangChainStore
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import ConstraintRetriever as LlamaIndexRetriever
from llama_index_logic_retrievers import LogicVectorStore as LlamaIndexStore
from opentelemetry import context, trace
from pydantic import PrivateAttr
from recorded_spans import recorded  # noqa: F401 - a fixture

TRACER = trace.get_tracer("framework")
OURS = ["logic_retrievers.judge", "logic_retrievers.read_query", "logic_retrievers.search"]


def judge(pairs):
    return [(0.5, 0.25, 0.25)] * len(pairs)


def ways(spans):
    """The names of each of our spans and all its ancestors, outermost last."""
    by_id = {span.context.span_id: span for span in spans}

    def way(span):
        above = way(by_id[span.parent.span_id]) if span.parent else []
        return [span.name, *above]

    return sorted(way(span) for span in spans if span.name.startswith("logic_retrievers."))


class LangChainTracer(BaseCallbackHandler):
    """Finds a run's parent by its id, and makes no span the current one."""

    def __init__(self):
        self.spans = {}

    def get_span(self, run_id):
        return self.spans.get(run_id)

    def on_chain_start(self, serialized, inputs, *, run_id, parent_run_id=None, name="", **_):
        above = self.spans.get(parent_run_id)
        within = None if above is None else trace.set_span_in_context(above)
        self.spans[run_id] = TRACER.start_span(name, within)

    on_retriever_start = on_chain_start

    def on_chain_end(self, outputs, *, run_id, **_):
        self.spans.pop(run_id).end()

    on_retriever_end = on_chain_end


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_langchain(recorded, asynchronous):  # noqa: F811
    store = LangChainStore.from_texts(list(TEXTS.values()), ids=list(TEXTS))
    retriever = LangChainRetriever(index=store.index, judge=judge)
    chain = RunnableLambda(lambda query: query).with_config(run_name="first") | retriever
    config = {"callbacks": [LangChainTracer()], "run_name": "chain"}
    await chain.ainvoke(QUERY, config) if asynchronous else chain.invoke(QUERY, config)
    spans = recorded()
    store.index.close()
    above = ["logic_retrievers.search", "ConstraintRetriever", "chain"]
    assert ways(spans) == [[OURS[0], *above], [OURS[1], *above], above]
    assert len({span.context.trace_id for span in spans}) == 1


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_langchain_compressors(recorded, asynchronous):  # noqa: F811
    store = LangChainStore.from_texts(list(TEXTS.values()), ids=list(TEXTS))
    base = LangChainRetriever(index=store.index, policy="topical")
    for compressor in (CompatibilityReranker(judge=None), ContradictionFilter(judge=None)):
        both = ContextualCompressionRetriever(base_compressor=compressor, base_retriever=base)
        config = {"callbacks": [LangChainTracer()], "run_name": "both"}
        await both.ainvoke(QUERY, config) if asynchronous else both.invoke(QUERY, config)
    store.index.close()
    found = ways(recorded())
    assert ["logic_retrievers.rerank", "both"] in found
    assert ["logic_retrievers.contradiction_filter", "both"] in found
    assert {way[-1] for way in found} == {"both"}


class LlamaIndexTracer(BaseSpanHandler[BaseSpan]):
    """Makes each span the current one until it ends."""

    _open: dict = PrivateAttr(default_factory=dict)

    def new_span(self, id_, bound_args, instance=None, parent_span_id=None, tags=None, **_):
        span = TRACER.start_span(id_.partition("-")[0])
        self._open[id_] = span, context.attach(trace.set_span_in_context(span))
        return BaseSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(self, id_, bound_args, instance=None, result=None, **_):
        span, token = self._open.pop(id_)
        context.detach(token)
        span.end()
        return self.open_spans.get(id_)

    prepare_to_drop_span = prepare_to_exit_span


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_llama_index(recorded, monkeypatch, asynchronous):  # noqa: F811
    root = get_dispatcher()
    store = LlamaIndexStore.open()
    store.add([TextNode(id_=name, text=text) for name, text in TEXTS.items()])
    retriever = LlamaIndexRetriever(store.index, judge=judge)
    monkeypatch.setattr(root, "span_handlers", [*root.span_handlers, LlamaIndexTracer()])
    await retriever.aretrieve(QUERY) if asynchronous else retriever.retrieve(QUERY)
    store.index.close()
    found = ways(recorded())
    assert sorted(way[0] for way in found) == OURS
    outermost = "BaseRetriever.aretrieve" if asynchronous else "BaseRetriever.retrieve"
    assert {way[-1].replace("ConstraintR", "BaseR") for way in found} == {outermost}


class HaystackTracer(tracing.Tracer):
    """Opens each span as the current one."""

    @contextlib.contextmanager
    def trace(self, operation_name, tags=None, parent_span=None):
        with TRACER.start_as_current_span(operation_name):
            yield tracing.tracer.actual_tracer.current_span()

    def current_span(self):
        return HaystackSpan()


class HaystackSpan(tracing.Span):
    def set_tag(self, key, value):
        """Keep nothing."""


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_haystack(recorded, asynchronous):  # noqa: F811
    store = LogicDocumentStore()
    store.write_documents([HaystackDocument(id=n, content=t) for n, t in TEXTS.items()])
    pipeline = Pipeline()
    pipeline.add_component("retriever", HaystackRetriever(document_store=store, judge=judge))
    tracing.enable_tracing(HaystackTracer())
    try:
        data = {"retriever": {"query": QUERY}}
        await pipeline.run_async(data) if asynchronous else pipeline.run(data)
    finally:
        tracing.disable_tracing()
        store.close()
    above = ["logic_retrievers.search", "haystack.component.run", "haystack.pipeline.run"]
    assert ways(recorded()) == [[OURS[0], *above], [OURS[1], *above], above]
