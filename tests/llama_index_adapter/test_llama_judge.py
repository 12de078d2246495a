"""A judge wherever LlamaIndex lets a user set one."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from llama_index.core.schema import NodeWithScore
from llama_index_logic_retrievers import CompatibilityReranker, ConstraintRetriever

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging.settings import JudgeSettings

QUERY = "a hotel without a pool"

PLAIN = "a hotel"


class Judge:
    """For motels, against pools; it remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float, float]]:
        self.asked += pairs
        shares = {"motel": (0.98, 0.01, 0.01), "pools": (0.01, 0.01, 0.98)}
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


@pytest.fixture
def found(nodes) -> list[NodeWithScore]:
    return [NodeWithScore(node=node) for node in nodes]


def ids(results):
    return [result.node.node_id for result in results]


async def test_a_call_and_an_attribute_replace_it(index, judge):
    """A retriever that many requests share is changed by none of them."""
    without = ConstraintRetriever(index, judge=None)
    expected = without.retrieve(QUERY)
    judged = without.retrieve(QUERY, judge=judge)
    assert judge.asked
    assert await without.aretrieve(QUERY, judge=judge) == judged
    assert "judge" in judged[0].metadata["logic"]["details"]
    assert without.judge is None
    assert without.retrieve(QUERY) == expected
    without.judge = judge
    assert without.retrieve(QUERY) == judged


async def test_a_reranker(found, judge):
    reranker = CompatibilityReranker("auto", judge=judge)
    reranker.postprocess_nodes(found, query_str=PLAIN)
    assert not judge.asked
    results = reranker.postprocess_nodes(found, query_str=QUERY)
    assert {query for _, query in judge.asked} == {QUERY}
    assert await reranker.apostprocess_nodes(found, query_str=QUERY) == results
    alone = CompatibilityReranker("judge", judge=judge)
    results = alone.postprocess_nodes(found, query_str=PLAIN)
    assert (ids(results)[0], ids(results)[-1]) == ("motel", "spa")
    assert results[0].score == pytest.approx(0.97)


def test_settings_are_told_and_travel(found):
    """A pipeline's cache that cannot see the judge gives judged results for unjudged ones."""
    described = set()
    for given in ("auto", None, told, JudgeSettings(told, candidates=5), JudgeSettings(None, 3)):
        reranker = CompatibilityReranker("auto", judge=given)
        described.add(reranker.to_json())
        again = pickle.loads(pickle.dumps(reranker))
        assert again.judge == given
        assert again.to_dict() == reranker.to_dict()
    assert len(described) == 5
    named = CompatibilityReranker(judge=JudgeSettings(told, candidates=5)).to_dict()["judge"]
    assert named == {"judge": "test_llama_judge.told", "candidates": 5}


def test_settings_make_the_same_reranker_or_say_that_they_cannot():
    """A pipeline restored from a file would judge by another model, or by none."""
    for given in ("auto", None):
        settings = CompatibilityReranker("auto", judge=given).to_dict()
        assert CompatibilityReranker.from_dict(settings).judge == given
    settings = CompatibilityReranker("auto", judge=told).to_dict()
    with pytest.raises(ConfigurationError, match="judge is 'auto', None, a callable"):
        CompatibilityReranker.from_dict(settings)


@pytest.mark.parametrize("wrong", [3, "always", ["auto"], False])
def test_what_is_no_judge_is_refused(index, wrong):
    """Else it fails in production, at the first query that comes."""
    words = "judge is 'auto', None, a callable"
    with pytest.raises(ConfigurationError, match=words):
        ConstraintRetriever(index, judge=wrong)
    with pytest.raises(ConfigurationError, match=words):
        CompatibilityReranker(judge=wrong)
    with pytest.raises(ConfigurationError, match=words):
        ConstraintRetriever(index).retrieve(PLAIN, judge=wrong)
