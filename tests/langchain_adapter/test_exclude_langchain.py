"""``exclude`` and ``hard`` wherever LangChain lets a user say a setting."""

from __future__ import annotations

import json
import pickle

import pytest
from langchain_core.runnables import ConfigurableField
from langchain_corpus import DOCUMENTS, ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever, LogicVectorStore
from pydantic import ValidationError

from logic_retrievers import Engine
from logic_retrievers.errors import ConfigurationError, InputError

QUERY = "a place by the harbour"
NAMED = {"exclude": ["bars", "nightclub"], "hard": True}


async def test_the_setting_and_the_call(index):
    """A list of what somebody must not get, known to one of the two alone."""
    expected = [hit.passage.id for hit in Engine(index).search(QUERY, 4, **NAMED)]
    assert not {"doc 1", "doc 2"} & set(expected)
    retriever = ConstraintRetriever(index=index, **NAMED)
    assert ids(retriever.invoke(QUERY)) == expected
    assert ids(await retriever.ainvoke(QUERY)) == expected
    plain = ConstraintRetriever(index=index)
    assert ids(plain.invoke(QUERY, **NAMED)) == expected
    assert ids(await plain.ainvoke(QUERY, **NAMED)) == expected
    assert retriever.invoke(QUERY, exclude=[], hard=False) == plain.invoke(QUERY)
    soft = plain.invoke(QUERY, exclude=["bars"])
    assert soft[0].metadata["logic"]["policy"] == "exclusion"
    assert soft[0].metadata["logic"]["details"]["query"]["excluded"] == ["bars"]
    assert retriever.invoke(QUERY, k=6)[0].metadata["logic"]["details"]["left_out"] == 2


def test_a_store_and_its_retriever(store):
    expected = ids(ConstraintRetriever.over(store, **NAMED).invoke(QUERY))
    assert ids(store.similarity_search(QUERY, **NAMED)) == expected
    assert ids(store.as_retriever(search_kwargs=NAMED).invoke(QUERY)) == expected


async def test_a_reranker(index):
    reranker = CompatibilityReranker(policy="auto", index=index, **NAMED)
    results = reranker.compress_documents(DOCUMENTS, QUERY)
    assert set(ids(results)) == set(ids(DOCUMENTS)) - {"doc 1", "doc 2"}
    assert await reranker.acompress_documents(DOCUMENTS, QUERY) == results
    sequential = CompatibilityReranker(policy="sequential", index=index, **NAMED)
    assert set(ids(sequential.compress_documents(DOCUMENTS, QUERY))) == set(ids(results))


def test_configurable_fields(index):
    """A server names them for each user: what this one must not eat."""
    configurable = ConstraintRetriever(index=index).configurable_fields(
        exclude=ConfigurableField(id="without"), hard=ConfigurableField(id="hard")
    )
    chosen = {"without": NAMED["exclude"], "hard": True}
    results = configurable.with_config(configurable=chosen).invoke(QUERY)
    assert results == ConstraintRetriever(index=index, **NAMED).invoke(QUERY)
    schema = configurable.config_schema().model_json_schema()
    fields = schema["$defs"]["Configurable"]["properties"]
    assert fields["without"]["type"] == "array"
    assert fields["hard"]["type"] == "boolean"


def test_settings_are_told_and_travel(index):
    """A cache that cannot see the list gives one user's results to another."""
    retriever = ConstraintRetriever(index=index, **NAMED)
    dumped = json.loads(retriever.model_dump_json())
    assert (dumped["exclude"], dumped["hard"]) == (NAMED["exclude"], True)
    assert "'nightclub'" in repr(retriever)
    assert ConstraintRetriever(index=index, **{**dumped}) == retriever
    reranker = CompatibilityReranker(policy="auto", **NAMED)
    again = pickle.loads(pickle.dumps(reranker))
    assert (again.exclude, again.hard) == (("bars", "nightclub"), True)
    assert CompatibilityReranker(**json.loads(reranker.model_dump_json())).exclude == again.exclude


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"exclude": "bars"}, "list"),
        ({"exclude": [" "]}, "empty"),
        ({"exclude": ["bars"], "policy": "sequential"}, "hard=True"),
        ({"hard": "yes"}, "hard"),
    ],
)
def test_what_cannot_be_excluded_is_refused(index, settings, words):
    """Else the first query of a user's user finds it."""
    for kind in (ConstraintRetriever, CompatibilityReranker):
        with pytest.raises(ValidationError, match=words):
            kind(**{"index": index, "policy": "auto", **settings})
    with pytest.raises((InputError, ConfigurationError), match=words):
        ConstraintRetriever(index=index).invoke(QUERY, **settings)
    with pytest.raises((InputError, ConfigurationError), match=words):
        LogicVectorStore(index).similarity_search(QUERY, **settings)
