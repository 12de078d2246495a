"""A judge wherever LangChain lets a user set one."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence

import pytest
from langchain_corpus import DOCUMENTS
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from pydantic import ValidationError

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging.settings import JudgeSettings

QUERY = "a hotel without a pool"

PLAIN = "a hotel"


class Judge:
    """For museums, against hotels; it remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float, float]]:
        self.asked += pairs
        shares = {"museum": (0.98, 0.01, 0.01), "hotel": (0.01, 0.01, 0.98)}
        return [
            next((share for word, share in shares.items() if word in text), (0.1, 0.8, 0.1))
            for text, _ in pairs
        ]


def told(pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float, float]]:
    """A judge that pickles, for it has a name."""
    return [(0.1, 0.8, 0.1)] * len(pairs)


@pytest.fixture
def judge() -> Judge:
    return Judge()


async def test_a_call_replaces_it(index, judge):
    """None is a value of its own here: no judge for this call."""
    retriever = ConstraintRetriever(index=index, judge=judge)
    without = ConstraintRetriever(index=index, judge=None)
    expected = without.invoke(QUERY)
    assert retriever.invoke(QUERY, judge=None) == expected
    assert await retriever.ainvoke(QUERY, judge=None) == expected
    assert not judge.asked
    assert "judge" not in expected[0].metadata["logic"]["details"]
    asked = without.invoke(QUERY, judge=judge)
    assert judge.asked
    assert asked == retriever.invoke(QUERY)
    assert asked != expected


async def test_a_reranker(judge):
    reranker = CompatibilityReranker(policy="auto", judge=judge)
    reranker.compress_documents(DOCUMENTS, PLAIN)
    assert not judge.asked
    results = reranker.compress_documents(DOCUMENTS, QUERY)
    assert {query for _, query in judge.asked} == {QUERY}
    assert await reranker.acompress_documents(DOCUMENTS, QUERY) == results
    alone = CompatibilityReranker(policy="judge", judge=judge)
    results = alone.compress_documents(DOCUMENTS, PLAIN)
    assert results[0].id == "doc 4"  # the museum
    assert results[-1].id == "doc 2"  # the hotel
    assert results[0].metadata["relevance_score"] == pytest.approx(0.97)


def test_settings_are_told_and_travel(index, judge):
    """A cache that cannot see the judge gives judged results for unjudged ones."""
    settings = JudgeSettings(told, candidates=5)
    for given, said in (
        ("auto", "auto"),
        (None, None),
        (told, "test_judge_langchain.told"),
        (settings, {"judge": "test_judge_langchain.told", "candidates": 5}),
        (JudgeSettings(thing_weight=0.5), {"thing_weight": 0.5}),
    ):
        retriever = ConstraintRetriever(index=index, judge=given)
        reranker = CompatibilityReranker(judge=given)
        for thing in (retriever, reranker):
            assert json.loads(thing.model_dump_json())["judge"] == said
        assert pickle.loads(pickle.dumps(reranker)).judge == given
    unnamed = ConstraintRetriever(index=index, judge=judge)
    assert "Judge" in json.loads(unnamed.model_dump_json())["judge"]


@pytest.mark.parametrize("wrong", [3, "always", ["auto"], False])
def test_what_is_no_judge_is_refused(index, wrong):
    """Else the first query with a constraint of a user's user finds it."""
    words = "judge is 'auto', None, a callable"
    for kind in (ConstraintRetriever, CompatibilityReranker):
        with pytest.raises(ValidationError, match=words):
            kind(index=index, judge=wrong)
    with pytest.raises(ConfigurationError, match=words):
        ConstraintRetriever(index=index).invoke(PLAIN, judge=wrong)
