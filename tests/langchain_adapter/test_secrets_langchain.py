"""Keys and addresses stay out of everything that gets logged, traced or stored."""

from __future__ import annotations

import pytest
from doubles import WireDouble
from langchain_core.load import dumps
from langchain_core.runnables import ConfigurableField
from langchain_corpus import DOCUMENTS, QUERY
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicEmbeddings,
    LogicVectorStore,
)
from pydantic import ValidationError

KEY = "very-secret-key"
OURS = (ConstraintRetriever, CompatibilityReranker, LogicEmbeddings)

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


def test_settings_are_told(index):
    """What changes the result must be seen, or two different traces look alike."""
    retriever = ConstraintRetriever(index=index, policy="union", k=7, min_score=0.5)
    assert "'union'" in repr(retriever)
    assert retriever.model_dump() == {
        "name": None,
        "tags": None,
        "metadata": None,
        "policy": "union",
        "k": 7,
        "filter": None,
        "min_score": 0.5,
    }
