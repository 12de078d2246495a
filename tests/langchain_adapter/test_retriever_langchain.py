"""ConstraintRetriever: settings, results, errors, events, and a judge."""

from __future__ import annotations

import asyncio
import json
import pickle

import pytest
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)
from langchain_logic_retrievers.tracing import RETRIEVAL
from pydantic import ValidationError

from logic_retrievers import (
    Expression,
    Passage,
    PassageIndex,
)
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    ExpressionError,
    InputError,
    UnknownPolicyError,
)

NAMED = {"exclude": ["bars", "nightclub"], "hard": True}

TEXT = '"a place by the harbour" AND NOT ("a loud bar" OR nightclub)'

EXPRESSION = Expression.parse(TEXT)


@pytest.fixture
def reader(index):
    return ConstraintRetriever(index=index, query_syntax="expression", k=3)


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


def test_a_dict_is_never_taken_for_a_qdrant_filter(index):
    """Pydantic would build a Filter from a dict whose keys happen to fit, and admit everything."""
    index.add([Passage("odd", "A quiet cave.", {"should": "see"})])
    without = {"should": None}
    assert "odd" not in ids(ConstraintRetriever(index=index, filter=without, k=9).invoke(QUERY))
    assert "odd" not in ids(ConstraintRetriever(index=index, k=9).invoke(QUERY, filter=without))


def test_a_misspelt_setting_is_refused(index):
    """`top_k=3` that is ignored looks like a retriever that cannot count."""
    with pytest.raises(TypeError, match="top_k"):
        ConstraintRetriever(index=index).invoke(QUERY, top_k=3)
    with pytest.raises(ValidationError, match="top_k"):
        ConstraintRetriever(index=index, top_k=3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": True}, "whole number"),
        ({"k": "3"}, "whole number"),
        ({"filter": {"city": []}}, "empty list"),
        ({"filter": "city"}, "filter"),
        ({"index": None}, "PassageIndex"),
    ],
)
def test_bad_settings_are_refused_when_they_are_set(index, settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValueError, match=words):
        ConstraintRetriever(**{"index": index, **settings})


def test_errors_of_a_call_are_the_packages_own(retriever):
    """A caller who catches LogicRetrieversError must catch these."""
    with pytest.raises(ConfigurationError):
        retriever.invoke(QUERY, k=0)
    with pytest.raises(UnknownPolicyError):
        retriever.invoke(QUERY, policy="unknown")
    with pytest.raises(EmptyTextError):
        retriever.invoke("  ")


def test_configurable_fields(index):
    """LangChain builds the object anew from its public fields; a private one is lost there."""
    configurable = ConstraintRetriever(index=index, k=6, min_score=-1.0).configurable_fields(
        k=ConfigurableField(id="k"),
        policy=ConfigurableField(id="how"),
        filter=ConfigurableField(id="where"),
    )
    assert len(configurable.invoke(QUERY)) == 6
    chosen = {"k": 2, "how": "union", "where": {"city": "Bergen"}}
    results = configurable.with_config(configurable=chosen).invoke(QUERY)
    assert results == ConstraintRetriever(
        index=index, k=2, policy="union", filter={"city": "Bergen"}
    ).invoke(QUERY)
    assert len(configurable.invoke(QUERY, config={"configurable": {"k": 3}})) == 3
    assert len(configurable.with_config(configurable={"k": 3}).invoke(QUERY, k=1)) == 1
    with pytest.raises(ValueError, match="at least 1"):
        configurable.with_config(configurable={"k": 0}).invoke(QUERY)


def test_configurable_fields_have_a_schema(index):
    """A server that shows the settings asks for their JSON schema, and fails as a whole."""
    configurable = ConstraintRetriever(index=index).configurable_fields(
        policy=ConfigurableField(id="how"), filter=ConfigurableField(id="where")
    )
    schema = configurable.config_schema().model_json_schema()
    fields = schema["$defs"]["Configurable"]["properties"]
    assert fields["how"]["type"] == "string"
    assert "object" in json.dumps(fields["where"])


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


async def test_errors_are_the_packages_own_and_reach_the_tracer(reader, listener):
    """A chain that repairs what a model wrote needs the position."""
    config = {"callbacks": [listener]}
    for text, position in (("harbour AND", 11), ("(harbour", 0)):
        with pytest.raises(ExpressionError) as error:
            reader.invoke(text, config)
        assert error.value.position == position
        assert "\n" in str(error.value)
        with pytest.raises(ExpressionError):
            await reader.ainvoke(text, config)
    assert [type(error) for error in listener.failed] == [ExpressionError] * 4
    with pytest.raises(ExpressionError, match="which are wanted"):
        reader.invoke("NOT harbour")


def test_only_texts_are_taken(retriever, reader):
    """LangSmith writes an object down without its operators, and tools refuse it."""
    for made in (retriever, reader):
        with pytest.raises(InputError, match=r"str\(expression\)"):
            made.invoke(EXPRESSION)


def test_the_event_of_a_standalone_retrieval(retriever, listener):
    """A bare dispatch raises where no chain is around; without run id nobody can place it."""
    results = retriever.invoke(QUERY, {"callbacks": [listener]})
    [event] = listener.events
    check_event(event, RETRIEVAL, results, listener.started[0]["run_id"])
    assert (event[1]["policy"], event[1]["ranked_by"]) == ("auto", "exclusion")


async def test_the_event_inside_a_chain(retriever, listener):
    """It must belong to the retriever's run, not to the chain's."""
    chain = RunnableLambda(lambda text: text.strip()) | retriever
    results = chain.invoke(f" {QUERY}", {"callbacks": [listener]})
    check_event(listener.events[0], RETRIEVAL, results, listener.started[0]["run_id"])
    assert listener.started[0]["parent_run_id"] is not None
    await chain.ainvoke(f" {QUERY}", {"callbacks": [listener]})
    check_event(listener.events[1], RETRIEVAL, results, listener.started[1]["run_id"])


def test_no_hits_no_evidence(listener):
    """An empty collection must not break the event."""
    with PassageIndex.open() as index:
        assert ConstraintRetriever(index=index).invoke(QUERY, {"callbacks": [listener]}) == []
    assert listener.events[0][1] == {"policy": "auto", "ranked_by": None, "hits": []}


async def test_requests_to_a_server_overlap(wire_double):
    """A synchronous client behind the asynchronous method serves a few queries at a time."""
    store = await LogicVectorStore.afrom_documents(DOCUMENTS, location=wire_double.url)
    async with store.index:
        retriever = ConstraintRetriever(index=store.index)
        wire_double.latency = 0.4
        await asyncio.gather(*(retriever.ainvoke(f"{QUERY} {n}") for n in range(16)))
    assert wire_double.peak_overlap > 4  # the threads that a client without async gets
