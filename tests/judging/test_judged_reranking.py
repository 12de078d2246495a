"""The reranker with a judge: the same word as in a search."""

from __future__ import annotations

import pytest
from cakes import (
    CONSTRAINED,
    PASSAGES,
    PROPERTY,
    UNCONSTRAINED,
    ids,
    listed,
    margins,
)
from judges import MarginJudge, failing_judge, forbidden_judge
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import Engine, Passage, PassageIndex, Reranker
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning

ENCODER = HashedEncoder(dimension=128)


def reranker(judge, policy="auto"):
    return Reranker(ENCODER, policy, judge=judge)


@pytest.mark.parametrize("query", UNCONSTRAINED)
@pytest.mark.parametrize("policy", ["auto", "topical", "sequential", "union"])
def test_without_a_constraint_it_is_never_asked(query, policy):
    plain = reranker(None, policy).rerank(query, PASSAGES)
    assert reranker(forbidden_judge, policy).rerank(query, PASSAGES) == plain


@pytest.mark.parametrize("policy", ["auto", "judge"])
@pytest.mark.parametrize("query", CONSTRAINED)
def test_a_whole_collection_is_ordered_as_a_search_orders_it(query, policy):
    """A reranker with another idea of a judge would contradict the search before it."""
    known = margins(nutty=-0.5, hostel=0.75, iron=-1.0)
    with PassageIndex.open("same", ENCODER, lexical=False) as index:
        index.add(PASSAGES)
        searched = Engine(index, policy, judge=MarginJudge(known)).search(query, 7)
        stored = list(index.scroll())
        within = Reranker(policy=policy, index=index, judge=MarginJudge(known))
        for hits in (
            within.rerank(query, stored),
            reranker(MarginJudge(known), policy).rerank(query, stored),
        ):
            assert ids(hits) == ids(searched)
            assert [h.score for h in hits] == pytest.approx([h.score for h in searched], abs=3e-6)
            assert [h.evidence.details for h in hits] == [
                {**h.evidence.details, **_penalty_of(other)}
                for h, other in zip(searched, hits, strict=True)
            ]


def _penalty_of(hit):
    """Rounded scores of stored vectors may differ in the last digit."""
    names = ("penalty", "violation")
    return {name: hit.evidence.details[name] for name in names if name in hit.evidence.details}


def test_the_judge_alone():
    """Its margin orders; who was not judged follows, and passages without text come last."""
    judge = MarginJudge(margins(iron=0.5, plain=1.0, nutty=-1.0))
    given = [Passage("empty", " "), *PASSAGES]
    hits = reranker(judge, "judge").rerank("lemon cake", given)
    assert listed(hits)[:3] == [("plain", 1.0), ("iron", 0.5), ("nutty", -1.0)]
    assert ids(hits)[-1] == "empty"
    assert judge.passages == [
        hit.passage.text for hit in reranker(None, "topical").rerank("lemon cake", PASSAGES)
    ]
    assert listed(reranker(judge, "judge").rerank("lemon cake", given, 1)) == [("plain", 1.0)]


async def test_a_failure_leaves_the_order_and_is_told():
    for policy, plainly in (("auto", "auto"), ("judge", "topical")):
        plain = reranker(None, plainly).rerank(PROPERTY, PASSAGES, 4)
        with pytest.warns(PairJudgeWarning, match="it raised RuntimeError") as caught:
            failed = reranker(failing_judge, policy).rerank(PROPERTY, PASSAGES, 4)
        assert listed(failed) == listed(plain)
        assert [warning.filename for warning in caught] == [__file__]
        with pytest.warns(PairJudgeWarning):
            assert await reranker(failing_judge, policy).arerank(PROPERTY, PASSAGES, 4) == failed


def test_what_is_no_judge_is_refused():
    with pytest.raises(ConfigurationError, match="judge is 'auto'"):
        reranker("nli")
    with pytest.raises(ConfigurationError, match="'judge' ranks by a pair judge"):
        reranker(None, "judge").rerank(PROPERTY, PASSAGES)
