"""Keys and addresses stay out of everything that gets logged, traced or stored."""

from __future__ import annotations

import pytest
from contradicting_documents import opposed_store
from fault_injection import WireDouble
from langchain_core.load import dumps
from langchain_core.runnables import ConfigurableField
from langchain_corpus import DOCUMENTS, QUERY
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)
from pydantic import ValidationError

KEY = "very-secret-key"
OURS = (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicEmbeddings,
)

# the double is on this machine; qdrant-client warns of keys that travel in the clear
pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")


def said_by(thing):
    yield repr(thing)
    yield str(thing)
    yield dumps(thing)
    if hasattr(thing, "model_dump"):
        yield repr(thing.model_dump())
    if isinstance(thing, OURS):
        yield thing.model_dump_json()


def test_no_secret_is_told(listener):
    """A trace is read by more people than a vault."""
    with WireDouble(api_key=KEY) as double:
        store = LogicVectorStore.from_documents(DOCUMENTS, location=double.url, api_key=KEY)
        with store.index as index:
            retriever = ConstraintRetriever(index=index, filter={"city": "Oslo"})
            reranker = CompatibilityReranker(index=index, encoder=index.encoder)
            chain = retriever | (lambda documents: len(documents))
            configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
            things = [
                *(retriever, reranker, chain, configurable, store, store.embeddings),
                *(store.as_retriever(), LogicEmbeddings(encoder=index.encoder)),
            ]
            told = [text for thing in things for text in said_by(thing)]
            with pytest.raises(ValidationError) as failure:
                ConstraintRetriever(index=index, k=0)
            told.append(str(failure.value))
            retriever.invoke(QUERY, {"callbacks": [listener]})
            told += [
                repr(listener.started),
                repr(listener.events),
                repr(retriever._get_ls_params()),
            ]
    assert not [text for text in told if KEY in text]
    ours = [text for thing in (retriever, reranker) for text in said_by(thing)]
    assert not [text for text in ours if double.url in text or "OnnxEncoder" in text]


def test_no_secret_is_told_of_contradictions(listener):
    """Both hold an index, whose address and key are nobody's business."""
    with (
        WireDouble(api_key=KEY) as double,
        opposed_store(location=double.url, api_key=KEY) as store,
    ):
        retriever = ContradictionRetriever(index=store.index, filter={"source": "inn"})
        kept = ContradictionFilter(index=store.index, trusted_filter={"source": "law"})
        configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
        told = [text for thing in (retriever, kept, configurable) for text in said_by(thing)]
        with pytest.raises(ValidationError) as failure:
            ContradictionRetriever(index=store.index, k=0)
        told.append(str(failure.value))
        with pytest.raises(ValidationError) as failure:
            ContradictionFilter(index=store.index, threshold=2.0)
        told.append(str(failure.value))
        retriever.invoke("inn | shut | c", {"callbacks": [listener]})
        told += [repr(listener.started), repr(listener.events), repr(retriever._get_ls_params())]
    assert not [text for text in told if KEY in text or double.url in text]
    ours = [text for thing in (retriever, kept) for text in said_by(thing)]
    assert not [text for text in ours if "PlacedEncoder" in text]
