"""The gate, and the ranking of queries that rule something out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logic_retrievers.policies import (
    AutoPolicy,
    ExclusionPolicy,
    ExclusionSettings,
)
from logic_retrievers.policies.base import JudgedTopicalPolicy, JudgeRequest
from logic_retrievers.policies.coder import NegatedFactPolicy
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.types import CandidatePool

cosine = st.integers(-8, 20).map(lambda n: n / 20)
pools = st.lists(st.tuples(cosine, cosine, cosine, cosine), min_size=1, max_size=20)
constants = st.builds(
    ExclusionSettings,
    penalty=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    standout_share=st.sampled_from([0.0, 0.4, 1.0]),
    mention_share=st.sampled_from([0.0, 0.2, 1.0]),
    whole_query_weight=st.sampled_from([0.0, 0.3, 1.0]),
    standout_threshold=st.sampled_from([0.0, 0.7]),
)
QUERY = ParsedQuery.excluding("hotels", ["bars", "clubs"])
CONTENT_WORDS = (3, 1, 1, 1)  # of the whole query, of what it wants, of each excluded text


def pool_of(rows, policy: ExclusionPolicy) -> CandidatePool:
    names = [leaf.name for leaf in policy.plan("q", 5)]
    columns = np.array(rows, dtype=float).T
    ids = tuple(f"{i:03}" for i in range(len(rows)))
    return CandidatePool(ids, dict(zip(names, columns, strict=False)))


@settings(max_examples=300)
@given(pools, constants, st.integers(1, 25), st.sampled_from(["thing", "property"]))
def test_exclusion_equals_the_reference(rows, constants, k, reading):
    policy = ExclusionPolicy(replace(QUERY, reading=reading), constants)
    pool = pool_of(rows, policy)
    whole, wanted, *excluded = (
        dict(zip(pool.ids, c.tolist(), strict=True)) for c in pool.scores.values()
    )
    named = dict(policy.constants)
    del named["compatibility_weight"], named["lexical_weight"]
    named["is_property"] = reading == "property"
    expected = reference.exclusion(whole, wanted, excluded, **named)
    order = sorted(expected, key=lambda i: (-round(expected[i][0], 9), i))
    if reading == "property":
        first = min(whole, key=lambda i: (-whole[i], i))
        third, fourth = (expected[i][0] if i else None for i in [*order, None, None, None][2:4])
        assume(fourth is None or abs(third - fourth) > 1e-9)  # a tie is anybody's
        score, violation = expected[first]
        base = score + policy.constants.penalty * violation
        if order.index(first) > 2:
            others = [i for i in order if i != first]
            expected[first] = (min(base, expected[others[1]][0]), violation)
            order = sorted(expected, key=lambda i: (-round(expected[i][0], 9), i))
    ranked = policy.rank(pool, k)
    assert len(ranked) == min(k, len(rows))
    for r in ranked:
        score, violation = expected[pool.ids[r.index]]
        assert r.score == pytest.approx(score, abs=1e-9)
        assert r.details["violation"] == pytest.approx(violation, abs=1e-6)
    assert [round(expected[pool.ids[r.index]][0], 9) for r in ranked] == [
        round(expected[i][0], 9) for i in order[:k]
    ]


def test_a_property_never_buries_what_plain_search_has_first():
    """A cosine cannot tell the account that waives the proof from one that demands it."""
    rows = [(0.9, 0.2, 0.9, 0.1), *[(0.6 - n / 100, 0.6 - n / 100, 0.1, 0.1) for n in range(6)]]
    loan = ExclusionPolicy(replace(QUERY, reading="property"))
    ranked = loan.rank(pool_of(rows, loan), 7)
    assert [r.index for r in ranked] == [1, 2, 0, 3, 4, 5, 6]
    scores = [r.score for r in ranked]
    assert scores == sorted(scores, reverse=True)
    free = ExclusionPolicy(loan.query, ExclusionSettings(penalty=0.0))
    base = {r.index: r.score for r in free.rank(pool_of(rows, free), 7)}
    assert all(
        r.details["penalty"] == pytest.approx(base[r.index] - r.score, abs=1e-6) for r in ranked
    )
    thing = ExclusionPolicy(QUERY)
    assert [r.index for r in thing.rank(pool_of(rows, thing), 7)][-1] == 0


def test_what_a_judge_is_asked():
    """What is excluded beside the query's words; nothing where filters see to it."""
    named = ParsedQuery("eggplant curry", "exclusion", "eggplant curry", ("egg", "Curry"))
    assert ExclusionPolicy(named).judge_request(named.text).query == "eggplant curry, except egg"
    auto = AutoPolicy(fields={"city": ["Paris"]})
    filtered = auto.route("hotels not in Paris")
    assert filtered.must_not == {"city": ["Paris"]}
    assert filtered.judge_request("hotels not in Paris") is None
    fact = "metals that do not rust"
    for query, trained, has_constraint in (
        (fact, [], False),
        (fact, ["compatibility"], True),
        ("hotels except hostels", [], True),
        ("quiet hotels", ["compatibility"], False),
    ):
        request = auto.route(query, trained).judge_request(query)
        assert request == JudgeRequest(query, has_constraint=has_constraint)
    for policy, query in (
        (AutoPolicy(base="hybrid"), "quiet hotels"),
        (AutoPolicy(), ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))),
    ):
        assert policy.route(query, ["lexical"]).judge_request("quiet hotels") is None


def test_every_penalty_has_a_reason_that_names_all_it_is_for():
    """A passage that loses a little without a word cannot be argued with."""
    rows = [
        (0.6, 0.3, 0.8, 0.7),
        (0.7, 0.7, 0.62, 0.1),
        (0.5, 0.5, 0.1, 0.6),
        *5 * [(0.6, 0.65, 0.5, 0.1)],
    ]
    policy = ExclusionPolicy(QUERY)
    ranked = sorted(policy.rank(pool_of(rows, policy), 8), key=lambda r: r.index)
    both, bar, club, none, *_ = ranked
    assert both.details["excluded"] == ["bars", "clubs"]
    assert both.reason == "moved down: near to bars, clubs, which the query rules out"
    assert 0 < bar.details["violation"] < 0.2
    assert bar.reason == "moved down a little: near to bars, which the query rules out"
    assert club.details["excluded"] == ["clubs"]
    assert (none.details["excluded"], none.reason) == ([], "nothing ruled out stands out in it")


def test_a_text_that_is_excluded_twice_is_searched_once():
    """The index refuses two leaves of one name, and the user has named none."""
    policy = ExclusionPolicy(ParsedQuery.excluding("hotels", ["bars", "bars"]))
    assert [leaf.name for leaf in policy.plan("q", 3)] == ["topical", "wanted", "excluded: bars"]


def test_missing_vectors_and_empty_pools():
    policy = ExclusionPolicy(QUERY)
    empty = CandidatePool(
        (), {name: np.array([]) for name in ("topical", "wanted", "excluded: bars")}
    )
    assert policy.rank(empty, 3) == []
    rows = [(np.nan, np.nan, np.nan, np.nan), (0.5, 0.5, 0.1, 0.1)]
    assert [r.index for r in policy.rank(pool_of(rows, policy), 2)] == [1, 0]


def test_compatibility_joins_in_where_it_is_trained():
    policy = AutoPolicy().route("hotels except hostels", ["topical", "compatibility"])
    assert isinstance(policy, ExclusionPolicy)
    plan = policy.plan("q", 3)
    topical, beside = plan[: len(plan) // 2], plan[len(plan) // 2 :]
    assert {leaf.vector for leaf in beside} == {"compatibility"}
    assert [leaf.text for leaf in beside] == [leaf.text for leaf in topical]
    assert not any(leaf.limit for leaf in beside)
    assert len({leaf.name for leaf in plan}) == len(plan)
    assert beside[0].name == "compatibility"
    rows = [(0.5, 0.5, 0.1, 0.0, 0.5, 0.1), (0.5, 0.5, 0.1, 1.0, 0.5, 0.1)]
    assert [r.index for r in policy.rank(pool_of(rows, policy), 2)] == [1, 0]


def test_words_join_in_where_the_collection_has_them():
    """And they search: a name that the encoder does not know is found by its letters."""
    policy = AutoPolicy().route("hotels except hostels", ["topical", "lexical"])
    assert isinstance(policy, ExclusionPolicy)
    plan = policy.plan("q", 3)
    dense, words = plan[: len(plan) // 2], plan[len(plan) // 2 :]
    assert {leaf.vector for leaf in words} == {"lexical"}
    assert [(leaf.text, leaf.limit) for leaf in words] == [(one.text, one.limit) for one in dense]
    assert len({leaf.name for leaf in plan}) == len(plan)
    without = ExclusionPolicy(QUERY, ExclusionSettings(lexical_weight=0.0), use_lexical=True)
    assert without.plan("q", 3) == ExclusionPolicy(QUERY).plan("q", 3)
    loan = replace(QUERY, reading="property")  # who waives it names it as often as who demands it
    with_words = ExclusionPolicy(loan, use_lexical=True)
    assert with_words.plan("q", 3) == ExclusionPolicy(loan).plan("q", 3)


@settings(max_examples=200)
@given(pools, st.data(), constants, st.sampled_from([0.1, 0.3, 1.0]))
def test_words_count_as_a_share_of_the_pool_s_best(rows, data, constants, weight):
    """Lexical scores have no bound; a share of the best compares with a cosine.

    The best counts as 2.5 for each content word of the text at least.
    """
    score = st.one_of(st.just(np.nan), st.integers(1, 40).map(float))
    words = data.draw(st.lists(st.tuples(*[score] * 4), min_size=len(rows), max_size=len(rows)))
    hybrid = ExclusionPolicy(
        QUERY, constants.model_copy(update={"lexical_weight": weight}), use_lexical=True
    )
    found = [[0.0 if np.isnan(one) else one for one in row] for row in words]
    columns = zip(zip(*found, strict=True), CONTENT_WORDS, strict=True)
    best = [max(*column, 2.5 * count) for column, count in columns]
    mixed = [
        tuple((1 - weight) * c + weight * w / b for c, w, b in zip(row, line, best, strict=True))
        for row, line in zip(rows, found, strict=True)
    ]
    dense = ExclusionPolicy(QUERY, constants)
    expected = {r.index: r for r in dense.rank(pool_of(mixed, dense), 99)}
    pool = pool_of([(*row, *line) for row, line in zip(rows, words, strict=True)], hybrid)
    for ranked in hybrid.rank(pool, 99):
        assert ranked.score == pytest.approx(expected[ranked.index].score, abs=1e-9)


@settings(max_examples=200)
@given(pools, pools, constants, st.sampled_from([0.1, 0.3, 1.0]), st.randoms())
def test_with_compatibility_every_cosine_is_a_mean_of_two(rows, others, constants, weight, random):
    """And a passage that has no such vector keeps its topical cosines."""
    both = ExclusionPolicy(
        QUERY, constants.model_copy(update={"compatibility_weight": weight}), use_compatibility=True
    )
    others = [random.choice([*others, (np.nan,) * 4]) for _ in rows]
    pool = pool_of([(*row, *other) for row, other in zip(rows, others, strict=True)], both)
    means = [
        row
        if np.isnan(other[0])
        else tuple((1 - weight) * np.array(row) + weight * np.array(other))
        for row, other in zip(rows, others, strict=True)
    ]
    single = ExclusionPolicy(QUERY, constants)
    expected = {r.index: r for r in single.rank(pool_of(means, single), 99)}
    for ranked in both.rank(pool, 99):
        assert ranked.score == pytest.approx(expected[ranked.index].score, abs=1e-9)
        assert ranked.details["violation"] == expected[ranked.index].details["violation"]


def test_the_gate():
    auto = AutoPolicy()
    for query in ("quiet hotels in Rome", "Doctors Without Borders", "which metals do not rust"):
        assert auto.route(query) == JudgedTopicalPolicy()
    assert auto.route("which metals do not rust", ["compatibility"]) == NegatedFactPolicy()
    assert isinstance(auto.route("hotels except hostels"), ExclusionPolicy)
    assert auto.route(QUERY).query is QUERY


def test_a_parser_and_constants_of_ones_own():
    class Always:
        def parse(self, text: str) -> ParsedQuery:
            return ParsedQuery.excluding(text, ["x"])

    chosen = AutoPolicy(parser=Always()).route("anything", (), {"penalty": 0.9})
    assert chosen.query.excluded == ("x",)
    assert chosen.constants.penalty == 0.9
    mine = AutoPolicy(parser=Always(), settings=ExclusionSettings(penalty=0.1))
    shipped = {"penalty": 0.9, "mention_share": 0.3}
    mixed = mine.route("anything", (), shipped).constants
    assert (mixed.penalty, mixed.mention_share, mixed.standout_share) == (0.1, 0.3, 0.8)


def test_excluded_texts_that_name_a_field_become_filters():
    auto = AutoPolicy(fields={"city": ["Oslo", "Bergen"], "kind": ["hostel"]})
    chosen = auto.route("places to stay except hostels and oslo")
    assert chosen.must_not == {"kind": ["hostel"], "city": ["Oslo"]}
    (ranked,) = chosen.rank(pool_of([(0.5,) * len(chosen.plan("q", 1))], chosen), 1)
    assert "a filter keeps out kind hostel; a filter keeps out city Oslo" in ranked.reason
    assert [leaf.name for leaf in chosen.plan("q", 3)] == ["topical", "wanted"]
    mixed = auto.route("places to stay except hostels and farms")
    assert [leaf.name for leaf in mixed.plan("q", 3)] == ["topical", "wanted", "excluded: farms"]
