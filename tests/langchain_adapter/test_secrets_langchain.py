"""Keys and addresses stay out of everything logged, traced or stored."""

from __future__ import annotations

import pytest
from contradicting_documents import opposed_store
from fault_injection import WireDouble
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_core.runnables import ConfigurableField
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionFilter,
    ContradictionRetriever,
    LogicEmbeddings,
)
from pydantic import BaseModel, ValidationError

KEY = "very-secret-key"
LAW = Document("inn | shut | law")

# the double is on this machine; qdrant-client warns of keys sent unencrypted
pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")


class Judge:
    def opinion(self, pairs):
        return [None] * len(pairs)

    def __repr__(self):
        return KEY


def said_by(thing):
    yield from (repr(thing), str(thing), dumps(thing))
    if isinstance(thing, BaseModel):
        yield repr(thing.model_dump())
        yield thing.model_dump_json()


def test_no_secret_is_told(listener):
    """More people read a trace than a vault."""
    with (
        WireDouble(api_key=KEY) as double,
        opposed_store(location=double.url, api_key=KEY) as store,
    ):
        index, judge = store.index, Judge().opinion
        retriever = ConstraintRetriever(index=index, filter={"source": "inn"}, policy="topical")
        contradicting = ContradictionRetriever(index=index, judge=judge)
        ours = [
            *(retriever, contradicting, CompatibilityReranker(index=index)),
            ContradictionFilter(index=index, trusted=[LAW], judge=judge),
            LogicEmbeddings(encoder=index.encoder),
        ]
        configurable = retriever.configurable_fields(k=ConfigurableField(id="k"))
        theirs = [retriever | len, configurable, store, store.as_retriever()]
        said = [text for thing in ours for text in said_by(thing)]
        assert "resolution='annotate'" in "".join(said)
        told = [*said, *(text for thing in theirs for text in (repr(thing), dumps(thing)))]
        for kind, wrong in (
            (ConstraintRetriever, {"k": 0}),
            (ContradictionRetriever, {"k": 0}),
            (ContradictionFilter, {"threshold": 2.0}),
        ):
            with pytest.raises(ValidationError) as failure:
                kind(index=index, **wrong)
            told.append(str(failure.value))
        for made in (retriever, contradicting):
            made.invoke("inn | shut | c", {"callbacks": [listener]})
            told.append(repr(made._get_ls_params()))
        told += [repr(listener.started), repr(listener.events)]
    assert not [text for text in told if KEY in text]
    assert not [text for text in said if double.url in text]
    for thing in ours:
        shown = repr(thing) + str(thing) + dumps(thing)
        assert LAW.page_content not in shown
        assert "PlacedEncoder" not in shown
