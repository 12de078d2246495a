"""The routing of queries, and the ranking of queries that exclude something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.policies import (
    AutoPolicy,
    ConstraintPolicy,
    ConstraintSettings,
    ExpressionPolicy,
    HybridPolicy,
    TopicalPolicy,
)
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.text import words_of
from logic_retrievers.types import CandidatePool

QUERY = ParsedQuery.excluding("hotels", ["bars", "clubs"])
FACT = ParsedQuery("metals that do not rust", "negated_fact")
UNSURE = ParsedQuery("Doctors Without Borders", constraint=0.25)

# sixteenths, with powers of two as weights: sums are exact and ties frequent
cosine = st.none() | st.integers(-4, 16).map(lambda n: n / 16)
rows = st.lists(st.lists(cosine, min_size=6, max_size=6), min_size=1, max_size=20)


def pool_of(rows, policy: ConstraintPolicy) -> CandidatePool:
    names = [leaf.name for leaf in policy.plan("q", 5)]
    columns = np.array(rows, dtype=float).T
    ids = tuple(f"{i:03}" for i in range(len(rows)))
    return CandidatePool(ids, dict(zip(names, columns, strict=False)))


@settings(max_examples=500)
@given(
    rows=rows,
    query=st.sampled_from([QUERY, FACT, UNSURE]),
    gate=st.sampled_from([0.125, 0.5, 1.0]),
    share=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    penalty=st.sampled_from([0.0, 0.5, 1.0]),
    trained=st.booleans(),
    k=st.integers(1, 25),
)
def test_it_is_the_references_ranking(rows, query, gate, share, penalty, trained, k):
    """A constant in the wrong place shifts scores too little to notice."""
    constants = ConstraintSettings(compatibility_weight=share, penalty=penalty)
    query = replace(query, constraint=gate)
    policy = ConstraintPolicy(query, constants, use_compatibility=trained)
    pool = pool_of(rows, policy)
    both = trained and share > 0
    columns = [dict(zip(pool.ids, column, strict=True)) for column in zip(*rows, strict=True)]
    count = 1 + len(query.excluded)
    beside = columns[count : 2 * count] if both else [None] * count
    whole, *excluded = zip(columns[:count], beside, strict=True)
    expected = reference.constraint(*whole, excluded, gate=gate, share=share, penalty=penalty)
    ranked = policy.rank(pool, k)
    assert [(pool.ids[r.index], r.score) for r in ranked] == [one[:2] for one in expected[:k]]
    losses = [loss for *_, loss in expected[:k]]
    assert [r.details["penalty"] for r in ranked] == pytest.approx(losses, abs=1e-6)
    assert all(r.passed_filter for r in ranked)


def asked_words(policy, query: ParsedQuery) -> set[str]:
    """Return the words of the question for a judge."""
    return set(words_of(policy.judge_request(query.text).query))


def test_what_a_judge_is_asked():
    """The whole query and the caller's exclusions; nothing if filters handle them."""
    cake = ParsedQuery("brownies").also_excluding(["nuts", "milk powder"])
    assert asked_words(ConstraintPolicy(cake), cake) >= {"brownies", "nuts", "milk", "powder"}
    # part of a word does not name the excluded text
    curry = ParsedQuery("eggplant curry").also_excluding(["egg"])
    assert asked_words(ConstraintPolicy(curry), curry) >= {"eggplant", "curry", "egg"}
    for query in (FACT, UNSURE):
        request = AutoPolicy().route(query).judge_request(query.text)
        assert request == JudgeRequest(query.text, query.constraint)
    auto = AutoPolicy(fields={"city": ["Paris"]})
    filtered = auto.route("hotels not in Paris")
    assert filtered.must_not == {"city": ["Paris"]}
    assert filtered.judge_request("hotels not in Paris") is None
    for policy, query in (
        (AutoPolicy(), "quiet hotels"),
        (AutoPolicy(base="hybrid"), "quiet hotels"),
        (AutoPolicy(), ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))),
    ):
        assert policy.route(query, ["lexical"]).judge_request("quiet hotels") is None


def test_in_other_languages_the_query_is_asked_in_its_own_words():
    """The question must not mix English into German, but must include a caller's texts."""
    auto = AutoPolicy()
    said = auto.parse("ein Kuchen ohne Nüsse")
    assert auto.route(said).judge_request(said.text) == JudgeRequest(said.text)
    more = said.also_excluding(["Zucker"])
    assert asked_words(auto.route(more), more) >= {*words_of(said.text), "zucker"}


def test_every_penalty_has_a_reason_that_names_all_it_is_for():
    """Users cannot check a deduction without a reason."""
    rows = [(0.6, 0.8, 0.7), (0.7, 0.62, 0.1), (0.5, 0.1, 0.6), *5 * [(0.65, 0.5, 0.1)]]
    policy = ConstraintPolicy(QUERY)
    pool = pool_of(rows, policy)
    both, bar, club, none, *_ = sorted(policy.rank(pool, 8), key=lambda r: r.index)
    assert both.details["excluded"] == ["bars", "clubs"]
    assert both.reason == "moved down: near to bars, clubs, which the query rules out"
    assert 0 < bar.details["violation"] < 0.2
    assert bar.reason == "moved down: near to bars, which the query rules out"
    assert club.details["excluded"] == ["clubs"]
    assert (none.details["excluded"], none.reason) == ([], "nothing ruled out stands out in it")
    assert none.details["query"] == QUERY.to_dict()
    fact = ConstraintPolicy(FACT)
    (first,) = fact.rank(pool_of([(0.5,)], fact), 1)
    assert first.reason == "topical cosine 0.500"


def test_a_text_that_is_excluded_twice_is_searched_once():
    """The index refuses two leaves of one name, and the user named none."""
    policy = ConstraintPolicy(ParsedQuery.excluding("hotels", ["bars", "bars"]))
    assert [leaf.name for leaf in policy.plan("q", 3)] == ["topical", "excluded: bars"]


def test_an_excluded_text_may_end_like_the_name_of_another():
    query = ParsedQuery.excluding("hotels", ["x", "x (compatibility)"])
    names = [leaf.name for leaf in ConstraintPolicy(query, use_compatibility=True).plan("q", 3)]
    assert len(set(names)) == len(names) == 6


def test_an_empty_pool():
    policy = ConstraintPolicy(QUERY)
    assert policy.rank(CandidatePool((), {"topical": np.array([])}), 3) == []


def test_what_is_searched_and_what_only_scores():
    """Searching for an excluded text would fill the pool with unwanted passages."""
    said = "hotels except hostels"
    policy = AutoPolicy(limit=7).route(said, ["topical", "compatibility"])
    assert isinstance(policy, ConstraintPolicy)
    plan = policy.plan(said, 3)
    # vectors trained to distinguish get the judge's text
    question = policy.judge_request(said).query
    assert {(leaf.vector, leaf.text): leaf.limit for leaf in plan} == {
        ("topical", said): 7,
        ("topical", "hostels"): 0,
        ("compatibility", question): 7,
        ("compatibility", "hostels"): 0,
    }
    assert len({leaf.name for leaf in plan}) == len(plan)
    assert {leaf.limit for leaf in policy.plan(said, 500)} == {500, 0}
    untrained = AutoPolicy(limit=7).route(said, ["topical", "lexical"])
    words = [leaf for leaf in untrained.plan(said, 3) if leaf.vector == "lexical"]
    assert [(leaf.text, leaf.limit) for leaf in words] == [(said, 7)]
    assert {leaf.vector for leaf in untrained.plan(said, 3)} == {"topical", "lexical"}
    unused = ConstraintPolicy(QUERY, ConstraintSettings(0), use_compatibility=True)
    assert unused.plan("q", 3) == ConstraintPolicy(QUERY).plan("q", 3)


def test_the_route():
    """A query ranked by the wrong kind's policy loses its exclusions."""
    auto = AutoPolicy(limit=5)
    for query in ("quiet hotels in Rome", "lemon cake", ParsedQuery("hotels")):
        assert auto.route(query, ["compatibility"]) == TopicalPolicy()
        assert AutoPolicy(base="topical").route(query, ["lexical"]) == TopicalPolicy()
        for base in ("auto", "hybrid"):
            assert replace(auto, base=base).route(query, ["lexical"]) == HybridPolicy(limit=5)
    for query in ("which metals do not rust", "hotels except hostels", QUERY, FACT, UNSURE):
        assert isinstance(auto.route(query), ConstraintPolicy)
    assert auto.route(QUERY).query is QUERY
    for query in (QUERY, FACT, UNSURE):
        assert [
            AutoPolicy(base=base).route(query, ["lexical"]).use_words
            for base in ("auto", "hybrid", "topical")
        ] == [True, True, False]
    stated = ParsedQuery.stating(Atom("hotels") & ~Atom("bars"))
    assert isinstance(auto.route(stated), ExpressionPolicy)


def test_a_parser_and_constants_of_ones_own():
    """An older bundle's obsolete constants are ignored."""

    class Always:
        def parse(self, text: str) -> ParsedQuery:
            return ParsedQuery.excluding(text, ["x"])

    chosen = AutoPolicy(parser=Always()).route("anything", (), {"penalty": 0.9})
    assert chosen.query.excluded == ("x",)
    assert chosen.constants.penalty == 0.9
    mine = AutoPolicy(parser=Always(), settings=ConstraintSettings(penalty=0.1))
    shipped = {"penalty": 0.9, "compatibility_weight": 0.3, "mention_share": 0.2}
    mixed = mine.route("anything", (), shipped).constants
    assert mixed == ConstraintSettings(penalty=0.1, compatibility_weight=0.3)


def test_excluded_texts_that_name_a_field_become_filters():
    auto = AutoPolicy(fields={"city": ["Oslo", "Bergen"], "kind": ["hostel"]})
    chosen = auto.route("places to stay except hostels and oslo")
    assert chosen.must_not == {"kind": ["hostel"], "city": ["Oslo"]}
    (ranked,) = chosen.rank(pool_of([(0.5,)], chosen), 1)
    assert ranked.reason.endswith("a filter keeps out kind hostel; a filter keeps out city Oslo")
    assert ranked.details["must_not"] == chosen.must_not
    assert [leaf.name for leaf in chosen.plan("q", 3)] == ["topical"]
    mixed = auto.route("places to stay except hostels and farms")
    assert [leaf.name for leaf in mixed.plan("q", 3)] == ["topical", "excluded: farms"]


@pytest.mark.parametrize(
    ("fields", "excluded", "must_not"),
    [
        ({"city": ["Oslo", "oslo"]}, "Oslo", {"city": ["Oslo", "oslo"]}),
        (
            {"city": ["Paris"], "person": ["Paris"]},
            "Paris",
            {"city": ["Paris"], "person": ["Paris"]},
        ),
        (
            {"kind": ["apartment", "apartments"]},
            "apartments",
            {"kind": ["apartments", "apartment"]},
        ),
    ],
)
def test_every_value_that_an_excluded_text_names_is_filtered(fields, excluded, must_not):
    """A filter on one value would let passages of the others stay."""
    auto = AutoPolicy(fields=fields)
    for query in (
        ParsedQuery.excluding("hotels", [excluded]),
        ParsedQuery.stating(Atom("hotels") & ~Atom(excluded)),
    ):
        assert auto.route(query).must_not == must_not
