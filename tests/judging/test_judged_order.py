"""The order after a judge's word, against a plain reference, on pools full of ties."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judges import MarginJudge, failing_judge
from ranked_pools import Candidate, GivenPolicy, passages_of, pool_of, reference_order, text_of

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.errors import PairJudgeWarning
from logic_retrievers.judging.settings import JudgeSettings, WeightedJudge
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.ranking.order import judge_candidates, rank_candidates

# eighths: sums are exact, and ties are the rule
eighths = st.integers(-8, 8).map(lambda n: n / 8)
candidates = st.builds(
    Candidate,
    score=eighths,
    penalty=st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.75]),
    passed=st.sampled_from([True, True, False]),
    margin=st.none() | eighths,
)
pools = st.lists(candidates, max_size=14)
constraints = st.sampled_from([None, "thing", "property", "negated_fact"])
weights = st.builds(
    JudgeSettings,
    candidates=st.integers(1, 8),
    thing_weight=st.sampled_from([0.0, 0.25, 1.0]),
    property_weight=st.sampled_from([0.0, 0.125, 0.5]),
    negated_fact_weight=st.sampled_from([0.25, 2.0]),
    thing_penalty_share=st.sampled_from([0.0, 0.5, 1.0]),
    property_penalty_share=st.sampled_from([0.0, 0.25]),
)
depths = st.integers(1, 12)


def judge_of(*pools):
    return MarginJudge(
        {
            text_of(number, i): candidate.margin
            for number, pool in enumerate(pools)
            for i, candidate in enumerate(pool)
            if candidate.margin is not None
        }
    )


def judged(judge, constants, *queries):
    """The rankings of some queries: (candidates, depth, constraint or "none")."""
    weighted = None if judge is None else WeightedJudge(judge, constants)
    rankings, passages = [], {}
    for number, (pool, depth, constraint) in enumerate(queries):
        request = None if constraint == "none" else JudgeRequest(f"query {number}", constraint)
        given_pool = pool_of(number, len(pool))
        passages |= passages_of(given_pool)
        rankings.append(rank_candidates(GivenPolicy(pool), given_pool, depth, request, weighted))
    ids = {each.pool.ids[ranked.index] for each in rankings for ranked in each.ranking}
    fetched = {passage_id: passages[passage_id] for passage_id in ids}
    return run(judge_candidates(rankings, fetched), encoder_threads)


def expected(pool, depth, constraint, constants):
    weight = None if constraint is None else constants.weight(constraint)
    share = 1.0 if constraint is None else constants.penalty_share(constraint)
    return reference_order(pool, depth, weight, share, constants.candidates)


def listed(ranking):
    return [(ranked.index, ranked.score) for ranked in ranking]


@given(pools, depths, constraints, weights)
def test_it_is_the_references_order(pool, depth, constraint, constants):
    """Only some candidates are fetched; the others must not have belonged in the list."""
    judge = judge_of(pool)
    (ranking,) = judged(judge, constants, (pool, depth, constraint))
    order, read = expected(pool, depth, constraint, constants)
    assert listed(ranking) == order
    assert judge.asked == ([[(text_of(0, i), "query 0") for i in read]] if read else [])


@given(st.lists(st.tuples(pools, depths, constraints | st.just("none")), max_size=4), weights)
def test_one_question_for_all_queries(queries, constants):
    """A model that is asked query by query costs as many calls, and a batch less."""
    judge = judge_of(*(pool for pool, *_ in queries))
    rankings = judged(judge, constants, *queries)
    pairs = []
    for number, ((pool, depth, constraint), ranking) in enumerate(
        zip(queries, rankings, strict=True)
    ):
        if constraint == "none":
            assert ranking == GivenPolicy(pool).rank(None, depth)
            continue
        order, read = expected(pool, depth, constraint, constants)
        assert listed(ranking) == order
        pairs += [(text_of(number, i), f"query {number}") for i in read]
    assert judge.asked == ([pairs] if pairs else [])


def test_the_reason_and_the_verdict():
    """What was read and the verdict, behind the policy's own reason as long as that holds."""
    pool = [
        Candidate(0.5, penalty, True, margin) for penalty, margin in ((0, 1), (0.5, -1), (0, 0))
    ]
    (ranking,) = judged(judge_of(pool), JudgeSettings(), (pool, 3, "thing"))
    satisfies, violates, neutral = ranking
    assert satisfies.reason == "own reason 0; the judge reads that it satisfies the query (1.00)"
    assert violates.reason == "the judge reads that it violates the query (1.00)"
    assert violates.details["penalty"] == 0.25
    assert neutral.reason.endswith("the judge reads neither match nor violation in it (1.00)")
    assert satisfies.details["judge"] == {
        "verdict": "satisfies",
        "satisfies": 1.0,
        "neutral": 0.0,
        "violates": 0.0,
        "text": text_of(0, 0),
        "added": 0.2,
    }
    (alone,) = judged(judge_of(pool), JudgeSettings(), (pool, 1, None))
    assert alone[0].reason == "the judge reads that it satisfies the query (1.00)"


@given(pools, depths, constraints, weights)
def test_a_failure_leaves_the_policys_own_order(pool, depth, constraint, constants):
    """To the last bit: a penalty taken off and put on again moves equals."""
    assume(pool)
    with pytest.warns(PairJudgeWarning, match="it raised RuntimeError") as caught:
        (ranking,) = judged(failing_judge, constants, (pool, depth, constraint))
    assert ranking == GivenPolicy(pool).rank(None, depth)
    assert len(caught) == 1
    assert "key-12345" not in str(caught[0].message)


@given(pools, constraints, weights)
def test_a_passage_deleted_meanwhile_is_not_read(pool, constraint, constants):
    """There is no text to read, and its place is left to the hits to close."""
    assume(pool)
    judge, ids = judge_of(pool), pool_of(0, len(pool))
    request = JudgeRequest("query 0", constraint)
    ranking = rank_candidates(
        GivenPolicy(pool), ids, len(pool), request, WeightedJudge(judge, constants)
    )
    passages = passages_of(ids)
    gone = ids.ids[ranking.ranking[0].index]
    del passages[gone]
    (order,) = run(judge_candidates([ranking], passages), encoder_threads)
    assert gone not in judge.passages
    assert len(order) == len(pool)
    assert "judge" not in next(r for r in order if ids.ids[r.index] == gone).details


def test_only_the_nearest_sentences_of_a_long_passage_are_read():
    """A judge reads 110 tokens, and evidence says which."""
    from dataclasses import replace

    filler = "Our rooms look over the harbour and were painted last year. " * 10
    pool, judge = [Candidate(0.5, 0.0, True, None)], MarginJudge({})
    request = JudgeRequest("a hotel without a deposit", "property")
    ids = pool_of(0, 1)
    ranking = rank_candidates(
        GivenPolicy(pool), ids, 1, request, WeightedJudge(judge, JudgeSettings())
    )
    (passage,) = passages_of(ids).values()
    embedded = f"The hotel. {filler}No deposit is taken. {filler}"
    passages = {passage.id: replace(passage, text="shown", embed_text=embedded)}
    run(judge_candidates([ranking], passages), encoder_threads)
    (read,) = judge.passages
    assert read.startswith("The hotel. ")
    assert "No deposit is taken." in read
    assert len(read.split()) <= 80
