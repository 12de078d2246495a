"""The order after judging, against a plain reference, on pools full of ties."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st
from judges import MarginJudge
from ranked_pools import (
    ALONE,
    Candidate,
    GivenPolicy,
    id_of,
    passages_of,
    pool_of,
    reference_order,
)

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.judging.settings import JudgeSettings, WeightedJudge
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.ranking.order import judge_candidates, rank_candidates

# eighths: sums are exact and ties frequent
eighths = st.integers(-8, 8).map(lambda n: n / 8)
candidates = st.builds(
    Candidate,
    score=eighths,
    passed=st.sampled_from([True, True, False]),
    margin=st.none() | eighths,
)
pools = st.lists(candidates, max_size=14)
# the gate, or the judge alone
questions = st.sampled_from([0.125, 0.5, 1.0, ALONE])
weights = st.builds(
    JudgeSettings,
    candidates=st.integers(1, 8),
    satisfies_weight=st.sampled_from([0.0, 0.25, 2.0]),
    violates_weight=st.sampled_from([0.0, 0.125, 1.0]),
)
depths = st.integers(1, 12)


def judge_of(*pools):
    return MarginJudge(
        {
            id_of(number, i): candidate.margin
            for number, pool in enumerate(pools)
            for i, candidate in enumerate(pool)
            if candidate.margin is not None
        }
    )


def request_of(number, question):
    if question is None:
        return None
    if question == ALONE:
        return JudgeRequest(f"query {number}", gate=1.0, alone=True)
    return JudgeRequest(f"query {number}", question)


def judged(judge, constants, *queries):
    """Return the rankings of some queries: (candidates, depth, question)."""
    weighted = WeightedJudge(judge, constants)
    rankings, passages = [], {}
    for number, (pool, depth, question) in enumerate(queries):
        passages |= passages_of(number, pool)
        rankings.append(
            rank_candidates(
                GivenPolicy(pool),
                pool_of(number, len(pool)),
                depth,
                request_of(number, question),
                weighted,
            )
        )
    ids = {each.pool.ids[ranked.index] for each in rankings for ranked in each.ranking}
    fetched = {passage_id: passages[passage_id] for passage_id in ids}
    return run(judge_candidates(rankings, fetched, weighted), encoder_threads)


def listed(ranking):
    return [(ranked.index, ranked.score) for ranked in ranking]


@given(st.lists(st.tuples(pools, depths, questions | st.none()), max_size=4), weights)
def test_it_is_the_references_order(queries, constants):
    """Asks once for all queries; unfetched candidates do not enter the lists."""
    judge = judge_of(*(pool for pool, *_ in queries))
    rankings = judged(judge, constants, *queries)
    pairs = []
    for number, (query, ranking) in enumerate(zip(queries, rankings, strict=True)):
        order, read = reference_order(*query, constants)
        assert listed(ranking) == order
        pairs += [(id_of(number, i), f"query {number}") for i in read]
    assert judge.asked == ([pairs] if pairs else [])


def test_the_reason_and_the_verdict():
    """The text read, the gate and the verdict follow the policy's own reason."""
    pool = [Candidate(0.5, True, 1), Candidate(0.5, True, -1), Candidate(0.5, True, 0)]
    weights = JudgeSettings(satisfies_weight=0.4, violates_weight=0.2)
    (ranking,) = judged(judge_of(pool), weights, (pool, 3, 0.5))
    satisfies, neutral, violates = ranking
    assert satisfies.reason == "own reason 0; the judge reads that it satisfies the query (1.00)"
    assert neutral.reason.endswith("the judge reads neither match nor violation in it (1.00)")
    assert violates.reason == "own reason 1; the judge reads that it violates the query (1.00)"
    assert satisfies.details == {
        "own": 0,
        "judge": {
            "verdict": "satisfies",
            "satisfies": 1.0,
            "neutral": 0.0,
            "violates": 0.0,
            "text": id_of(0, 0),
            "gate": 0.5,
            "added": 0.2,
        },
    }
    assert violates.details["judge"]["added"] == -0.1
    (alone,) = judged(judge_of(pool), weights, (pool, 1, ALONE))
    assert alone[0].reason == "the judge reads that it satisfies the query (1.00)"


@given(pools, questions, weights)
def test_a_passage_deleted_meanwhile_is_not_read(pool, question, constants):
    """It has no text to read; the following hits move up."""
    assume(pool)
    judge, ids = judge_of(pool), pool_of(0, len(pool))
    weighted = WeightedJudge(judge, constants)
    ranking = rank_candidates(GivenPolicy(pool), ids, len(pool), request_of(0, question), weighted)
    passages = passages_of(0, pool)
    gone = ranking.ranking[0].index
    del passages[id_of(0, gone)]
    (order,) = run(judge_candidates([ranking], passages, weighted), encoder_threads)
    assert id_of(0, gone) not in judge.passages
    assert len(order) == len(pool)
    assert "judge" not in next(ranked for ranked in order if ranked.index == gone).details


def test_only_the_nearest_sentences_of_a_long_passage_are_read():
    """A judge reads 110 tokens, and evidence says which."""
    filler = "Our rooms look over the harbour and were painted last year. " * 10
    pool, judge = [Candidate(0.5, True, None)], MarginJudge({})
    request = JudgeRequest("a hotel without a deposit", gate=1.0)
    weighted = WeightedJudge(judge, JudgeSettings())
    ranking = rank_candidates(GivenPolicy(pool), pool_of(0, 1), 1, request, weighted)
    (passage,) = passages_of(0, pool).values()
    embedded = f"The hotel. {filler}No deposit is taken. {filler}"
    passages = {passage.id: replace(passage, text="shown", embed_text=embedded)}
    run(judge_candidates([ranking], passages, weighted), encoder_threads)
    (read,) = judge.passages
    assert read.startswith("The hotel. ")
    assert "No deposit is taken." in read
    assert 69 < len(read.split()) <= 80
