"""CompatibilityReranker: the policies over documents from anywhere."""

from __future__ import annotations

import json

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import CompatibilityReranker
from langchain_logic_retrievers.tracing import RERANKING
from pydantic import ValidationError

from logic_retrievers import AutoPolicy, ExclusionSettings, SequentialPolicy


def test_documents_without_id_stay_without():
    """Ids made up on the way would be taken for the store's."""
    documents = [
        Document(document.page_content, metadata=document.metadata) for document in DOCUMENTS
    ]
    found = CompatibilityReranker().compress_documents(documents, QUERY)
    with_ids = CompatibilityReranker().compress_documents(DOCUMENTS, QUERY)
    assert ids(found) == [None] * 6
    assert [document.page_content for document in found] == [
        document.page_content for document in with_ids
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"encoder": "all-minilm"}, "Encoder"),
        ({"k": 3}, "k"),
    ],
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match=words):
        CompatibilityReranker(**settings)


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold gives stale results."""
    reranker = CompatibilityReranker(policy=SequentialPolicy(tau=0.4), top_n=3)
    dumped = json.loads(reranker.model_dump_json())
    assert dumped["top_n"] == 3
    assert dumped["policy"]["name"] == "sequential"
    assert dumped["policy"]["tau"] == 0.4
    mine = AutoPolicy(settings=ExclusionSettings(penalty=0.5), fields={"city": ["Oslo"]})
    for policy in (SequentialPolicy(tau=0.4), mine, "boolean"):
        told = CompatibilityReranker(policy=policy).model_dump_json()
        assert CompatibilityReranker(**json.loads(told)).policy == policy
    assert CompatibilityReranker().model_dump() == {
        "policy": "auto", "top_n": None, "query_syntax": "words",
        "exclude": (), "hard": False, "judge": "auto",
    }  # fmt: skip


async def test_handlers_without_a_run_are_no_reason_to_fail(listener):
    """A reranker starts no run of its own; called by hand it has nothing to tell."""
    reranker = CompatibilityReranker()
    assert len(reranker.compress_documents(DOCUMENTS, QUERY, [listener])) == len(DOCUMENTS)
    assert len(await reranker.acompress_documents(DOCUMENTS, QUERY, [listener])) == len(DOCUMENTS)
    assert listener.events == []


async def test_the_reranking_event_takes_the_run_around_it(listener):
    """In a function of a chain nobody passes callbacks on; LangChain's context has them."""
    reranker = CompatibilityReranker(top_n=2)

    async def arerank(query):
        return await reranker.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: reranker.compress_documents(DOCUMENTS, query), arerank)
    results = chain.invoke(QUERY, {"callbacks": [listener]})
    assert await chain.ainvoke(QUERY, {"callbacks": [listener]}) == results
    for event in listener.events:
        assert event[0] == RERANKING
        assert [hit["id"] for hit in event[1]["hits"]] == ids(results)
    assert len(listener.events) == 2
