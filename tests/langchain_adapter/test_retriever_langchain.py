"""ConstraintRetriever: settings, errors, and events."""

from __future__ import annotations

import asyncio
import json

import pytest
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import ConstraintRetriever, LogicVectorStore
from langchain_logic_retrievers.tracing import RETRIEVAL

from logic_retrievers import ChatJudge, Expression, Passage, PassageIndex
from logic_retrievers.errors import ConfigurationError, InputError, UnknownPolicyError
from logic_retrievers.judging.settings import JudgeSettings


def museums(pairs):
    """A judge in favour of museums."""
    return [(0.98, 0.01, 0.01) if "museum" in text else (0.1, 0.8, 0.1) for text, _ in pairs]


def chat(**settings):
    return ChatJudge("http://127.0.0.1:9/v1", "small", **settings)


def check_event(event, results, run_id):
    name, data, more = event
    assert (name, more["run_id"]) == (RETRIEVAL, run_id)
    assert (data["policy"], data["ranked_by"]) == ("auto", "constraint")
    assert [hit["id"] for hit in data["hits"]] == ids(results)
    assert all({"id", "score", "passed_filter", "reason"} == hit.keys() for hit in data["hits"])
    said = json.dumps(data, allow_nan=False)
    assert not any(document.page_content in said for document in DOCUMENTS)


def test_a_dict_is_never_taken_for_a_qdrant_filter(index):
    """Pydantic would build a Filter from a dict whose keys happen to fit and admit everything."""
    index.add([Passage("odd", "A quiet cave.", {"should": "see"})])
    without = {"should": None}
    assert "odd" not in ids(ConstraintRetriever(index=index, filter=without, k=9).invoke(QUERY))
    assert "odd" not in ids(ConstraintRetriever(index=index, k=9).invoke(QUERY, filter=without))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"top_k": 3}, "top_k"),
        ({"k": True}, "whole number"),
        ({"filter": "city"}, "filter"),
    ],
)
def test_bad_settings_are_refused_when_they_are_set(index, settings, words):
    """Otherwise an end user's first query finds them."""
    with pytest.raises(ValueError, match=words):
        ConstraintRetriever(**{"index": index, **settings})


def test_errors_of_a_call_are_the_packages_own(retriever):
    """A caller who catches LogicRetrieversError must catch these."""
    with pytest.raises(ConfigurationError, match="at least 1"):
        retriever.invoke(QUERY, k=0)
    with pytest.raises(UnknownPolicyError):
        retriever.invoke(QUERY, policy="unknown")
    with pytest.raises(ConfigurationError, match="top_k"):
        retriever.invoke(QUERY, top_k=3)
    with pytest.raises(InputError, match=r"str\(expression\)"):  # tracers and tools expect texts
        retriever.invoke(Expression.parse("inn AND NOT bar"))


def test_configurable_fields(index):
    """LangChain rebuilds the object from its public fields and loses private ones."""
    configurable = ConstraintRetriever(index=index, k=6, min_score=-1.0).configurable_fields(
        k=ConfigurableField(id="k"),
        policy=ConfigurableField(id="how"),
        filter=ConfigurableField(id="where"),
    )
    assert len(configurable.invoke(QUERY)) == 6
    chosen = {"k": 2, "how": "union", "where": {"city": "Bergen"}}
    assert configurable.with_config(configurable=chosen).invoke(QUERY) == ConstraintRetriever(
        index=index, k=2, policy="union", filter={"city": "Bergen"}
    ).invoke(QUERY)
    assert len(configurable.with_config(configurable={"k": 3}).invoke(QUERY, k=1)) == 1
    with pytest.raises(ValueError, match="at least 1"):
        configurable.with_config(configurable={"k": 0}).invoke(QUERY)
    schema = configurable.config_schema().model_json_schema()  # as a server shows it
    fields = schema["$defs"]["Configurable"]["properties"]
    assert fields["how"]["type"] == "string"
    assert "object" in json.dumps(fields["where"])


def test_settings_are_told_and_make_the_same_retriever(index):
    """A cache that cannot see a setting gives one user's results to a different user."""
    retriever = ConstraintRetriever(index=index, exclude=["bars", "nightclub"], hard=True)
    dumped = json.loads(retriever.model_dump_json())
    assert (dumped["exclude"], dumped["hard"]) == (["bars", "nightclub"], True)
    assert "'nightclub'" in repr(retriever)
    assert ConstraintRetriever(index=index, **dumped) == retriever
    name = f"{museums.__module__}.museums"
    for judge, told in (
        ("auto", "auto"),
        (None, None),
        (museums, name),
        (JudgeSettings(museums, candidates=5), {"judge": name, "candidates": 5}),
        (named := chat(budget=9), named.describe()),
        (JudgeSettings(named), {"judge": named.describe()}),
        (chat(api_key="key-12345"), "logic_retrievers.judging.chat_judge.ChatJudge"),
    ):
        for setting in ("judge", "reranker"):
            judged = ConstraintRetriever(index=index, **{setting: judge})
            assert json.loads(judged.model_dump_json())[setting] == told
            assert "key-12345" not in repr(judged)


async def test_a_call_without_a_reranker(index):
    """None means no reranker here, not the retriever's own; a call may bring its own."""

    def longest(pairs):
        return [len(text) for text, _ in pairs]

    retriever = ConstraintRetriever(index=index, reranker=longest)
    without = ConstraintRetriever(index=index)
    expected = without.invoke(QUERY)
    assert retriever.invoke(QUERY, reranker=None) == expected
    assert await retriever.ainvoke(QUERY, reranker=None) == expected
    assert without.invoke(QUERY, reranker=longest) == retriever.invoke(QUERY) != expected


async def test_a_call_without_a_judge(index):
    """None means no judge here, not the retriever's own judge."""
    retriever = ConstraintRetriever(index=index, judge=museums)
    without = ConstraintRetriever(index=index, judge=None)
    expected = without.invoke(QUERY)
    assert retriever.invoke(QUERY, judge=None) == expected
    assert await retriever.ainvoke(QUERY, judge=None) == expected
    assert without.invoke(QUERY, judge=museums) == retriever.invoke(QUERY) != expected


async def test_the_event_of_a_run(retriever, listener):
    """A tracer shows why a document has its rank; the event belongs to the retriever's run."""
    callbacks = {"callbacks": [listener]}
    chain = RunnableLambda(lambda text: text.strip()) | retriever
    results = retriever.invoke(QUERY, callbacks)
    assert chain.invoke(f" {QUERY}", callbacks) == results
    assert await chain.ainvoke(f" {QUERY}", callbacks) == results
    for event, run in zip(listener.events, listener.started, strict=True):
        check_event(event, results, run["run_id"])
    with PassageIndex.open() as empty:
        assert ConstraintRetriever(index=empty).invoke(QUERY, callbacks) == []
    assert listener.events[-1][1] == {"policy": "auto", "ranked_by": None, "hits": []}


async def test_requests_to_a_server_overlap(wire_double):
    """A synchronous client behind the asynchronous method would serve few queries at a time."""
    store = await LogicVectorStore.afrom_documents(DOCUMENTS, location=wire_double.url)
    async with store.index:
        retriever = ConstraintRetriever(index=store.index)
        wire_double.latency = 0.4
        await asyncio.gather(*(retriever.ainvoke(f"{QUERY} {n}") for n in range(16)))
    assert wire_double.peak_overlap > 4  # the threads for a client without async
