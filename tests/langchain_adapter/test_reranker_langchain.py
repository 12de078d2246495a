"""CompatibilityReranker: settings, events, and its place in a compression retriever."""

from __future__ import annotations

import json
import pickle

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.runnables import RunnableLambda
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from langchain_logic_retrievers.tracing import RERANKING, RETRIEVAL
from pydantic import ValidationError

from logic_retrievers import AutoPolicy, ConstraintSettings, SequentialPolicy
from logic_retrievers.judging.settings import JudgeSettings


@pytest.mark.parametrize(
    ("settings", "words"), [({"encoder": "all-minilm"}, "Encoder"), ({"k": 3}, "k")]
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Otherwise an end user's first query finds them."""
    with pytest.raises(ValidationError, match=words):
        CompatibilityReranker(**settings)


def test_settings_are_public_and_travel():
    """A cache that cannot see a threshold returns stale results."""
    mine = AutoPolicy(settings=ConstraintSettings(penalty=0.5), fields={"city": ["Oslo"]})
    named = {"exclude": ("bars", "nightclub"), "hard": True}
    for settings in (
        {"policy": SequentialPolicy(tau=0.4), "top_n": 3},
        {"policy": mine, **named},
        {"policy": "boolean", "query_syntax": "expression"},
        {"judge": None},
    ):
        reranker = CompatibilityReranker(**settings)
        for again in (
            CompatibilityReranker(**json.loads(reranker.model_dump_json())),
            pickle.loads(pickle.dumps(reranker)),
        ):
            assert again == reranker
            assert {name: getattr(again, name) for name in settings} == settings
    judged = CompatibilityReranker(judge=JudgeSettings(satisfies_weight=0.5))
    assert pickle.loads(pickle.dumps(judged)).judge == judged.judge
    dumped = CompatibilityReranker(policy=SequentialPolicy(tau=0.4)).model_dump(mode="json")
    assert (dumped["policy"]["name"], dumped["policy"]["tau"]) == ("sequential", 0.4)
    assert CompatibilityReranker().model_dump() == {
        "policy": "auto", "top_n": None, "query_syntax": "words",
        "exclude": (), "hard": False, "judge": "auto", "reranker": None,
        "fields": None, "now": None,
    }  # fmt: skip


async def test_the_event_takes_the_run_around_it(listener):
    """A function in a chain passes no callbacks; LangChain's context has them."""
    reranker = CompatibilityReranker(top_n=2)

    async def arerank(query):
        return await reranker.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: reranker.compress_documents(DOCUMENTS, query), arerank)
    results = chain.invoke(QUERY, {"callbacks": [listener]})
    assert await chain.ainvoke(QUERY, {"callbacks": [listener]}) == results
    for name, data, _ in listener.events:
        assert name == RERANKING
        assert [hit["id"] for hit in data["hits"]] == ids(results)
    assert len(listener.events) == 2
    # called directly it starts no run and has nothing to send
    reranker.compress_documents(DOCUMENTS, QUERY, [listener])
    await reranker.acompress_documents(DOCUMENTS, QUERY, [listener])
    assert len(listener.events) == 2


async def test_as_a_compressor(store, listener):
    """A reranker's usual place; kwargs go to the retriever before it, callbacks to both."""
    reranker = CompatibilityReranker(top_n=2)
    compressing = ContextualCompressionRetriever(
        base_compressor=reranker, base_retriever=ConstraintRetriever.over(store, k=6)
    )
    results = compressing.invoke(QUERY, {"callbacks": [listener]})
    assert results == list(reranker.compress_documents(DOCUMENTS, QUERY))
    assert await compressing.ainvoke(QUERY, {"callbacks": [listener]}) == results
    assert [event[0] for event in listener.events] == [RETRIEVAL, RERANKING] * 2
    assert len(compressing.invoke(QUERY, k=1)) == 1
