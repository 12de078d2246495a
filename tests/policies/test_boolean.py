"""Boolean combination against plain Python."""

from __future__ import annotations

import json

import boolean_reference as reference
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.policies import (
    AutoPolicy,
    BooleanPolicy,
    BooleanSettings,
    ConstraintPolicy,
    ExpressionPolicy,
    TopicalPolicy,
    describe_policy,
)
from logic_retrievers.queries import And, Atom, Expression, Not, Or, ParsedQuery
from logic_retrievers.types import CandidatePool

A, B, C = Atom("a"), Atom("b"), Atom("c")
BESIDE = ("compatibility", "lexical")
atoms = st.sampled_from([A, B, C, Atom("d")])
wanted = st.recursive(
    atoms, lambda inner: st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or), max_leaves=3
)
flat = st.builds(
    lambda parts, denied: And((*parts, *map(Not, denied))) if parts[1:] or denied else parts[0],
    st.lists(atoms, min_size=1, max_size=3),
    st.lists(wanted, max_size=2),
)
BACKGROUND = {"topical": (0.08, 0.09), "compatibility": (0.18, 0.1), "lexical": (0, 0)}
cosine = st.integers(-8, 20).map(lambda n: n / 20)


def policy_of(tree, *, vectors=(), **constants):
    return ExpressionPolicy(
        ParsedQuery.stating(tree), BooleanSettings(**constants), vectors=vectors
    )


def pool_of(policy, data, size, k=5, missing=False):
    """A pool with drawn scores for every leaf of the plan."""
    score = st.one_of(st.none(), cosine) if missing else cosine
    columns = {
        leaf.name: np.array(
            data.draw(st.lists(score, min_size=size, max_size=size)), dtype=np.float64
        )
        for leaf in policy.plan("", k)
    }
    return CandidatePool(tuple(f"{i:03}" for i in range(size)), columns)


def by_id(pool, vector, texts):
    return {
        text: {
            i: None if np.isnan(score) else float(score)
            for i, score in zip(pool.ids, pool.scores[f"{vector}: {text}"], strict=True)
        }
        for text in texts
    }


def in_order(scores):
    return sorted(scores, key=lambda i: (-scores[i], i))


@settings(max_examples=200)
@given(flat, st.data(), st.integers(1, 24), st.sampled_from([(), BESIDE[:1], BESIDE]))
def test_ours_equals_the_reference(tree, data, size, beside):
    """With one vector, two or three; a candidate may lack some."""
    policy = policy_of(tree, vectors=beside)
    pool = pool_of(policy, data, size, missing=True)
    s = policy.constants
    words = s.lexical_weight if "lexical" in beside else 0
    near = s.compatibility_weight if beside else 0
    weights = {
        "topical": (1 - words) * (1 - near), "compatibility": (1 - words) * near, "lexical": words
    }  # fmt: skip
    texts = {leaf.text for leaf in policy.plan("", 5)}
    u = {text: dict.fromkeys(pool.ids, 0.0) for text in texts}
    for vector in ("topical", *beside):
        for text, scores in by_id(pool, vector, texts).items():
            if vector == "lexical":
                scores = {i: score or 0.0 for i, score in scores.items()}
            for i, value in reference.standard(scores, BACKGROUND[vector]).items():
                u[text][i] += weights[vector] * value
    expected = reference.calibrated(tree.simplified(), u, s)
    ranked = policy.rank(pool, size)
    assert len(ranked) == size
    for one in ranked:
        assert one.score == pytest.approx(expected[pool.ids[one.index]], abs=1e-9)
        for atom in one.details["atoms"]:
            assert atom["score"] == pytest.approx(u[atom["text"]][pool.ids[one.index]], abs=1e-4)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)


def test_what_is_searched_and_what_only_scores():
    """Searching for an excluded atom would fill the pool with unwanted passages."""
    policy = policy_of((A & B & ~C) | Atom("d"), vectors=("lexical",))
    depths = {(leaf.vector, leaf.text): leaf.limit for leaf in policy.plan("", 7)}
    texts = {"a": 100, "b": 100, "c": 0, "d": 100, "a and b": 100}
    assert depths == {(v, t): n for v in ("topical", "lexical") for t, n in texts.items()}
    assert {leaf.limit for leaf in policy.plan("", 500)} == {500, 0}
    names = [leaf.name for leaf in policy.plan("", 7)]
    assert len(set(names)) == len(names)
    both = policy_of((A & ~B) | (B & C))
    assert {leaf.text: leaf.limit for leaf in both.plan("", 7)}["b"] == 100
    under = policy_of(A & ~(B & C))
    assert {leaf.text: leaf.limit for leaf in under.plan("", 7)} == {
        "a": 100, "b": 0, "c": 0, "b and c": 0
    }  # fmt: skip


def test_the_words_of_the_query_stand_for_all_that_is_wanted():
    """A sentence says more than its parts; exclusions are removed from it."""
    said = ParsedQuery(
        "war films set in Tunisia but no comedies",
        "expression",
        "war films set in Tunisia",
        expression=And((Atom("war films"), Atom("films set in Tunisia"), Not(Atom("comedies")))),
    )
    assert "war films set in Tunisia" in {leaf.text for leaf in ExpressionPolicy(said).plan("", 5)}


def test_double_denial_and_nested_operators_are_one():
    """NOT NOT a is a; an atom under two NOTs is wanted again."""
    policy = policy_of(And((A, Not(Not(And((B, C)))))))
    assert {leaf.text: leaf.limit for leaf in policy.plan("", 5)} == {
        "a": 100, "b": 100, "c": 100, "a and b and c": 100
    }  # fmt: skip
    assert Not(Not(Not(A))).simplified() == Not(A)
    assert And((A, And((B, Or((C, Or((A, B)))))))).simplified() == And((A, B, Or((C, A, B))))


@pytest.mark.parametrize(
    ("text", "as_if"),
    [
        ('NOT (NOT "a" OR "b")', A & ~B),
        ('"a" AND NOT (NOT "b" AND NOT "c")', A & (B | C)),
        ('"a" AND (NOT "b" OR "c")', A & ~(B & ~C)),
    ],
)
def test_not_around_not_counts(text, as_if):
    """Every passage scored 0, or an atom wanted under two NOTs did not count."""
    policies = policy_of(Expression.parse(text)), policy_of(as_if)
    assert policies[0].plan("", 5) == policies[1].plan("", 5)
    rng = np.random.default_rng(0)
    columns = {leaf.name: rng.random(4) for leaf in policies[0].plan("", 5)}
    pool = CandidatePool(("1", "2", "3", "4"), columns)
    first, second = ([(r.index, r.score, r.details) for r in p.rank(pool, 4)] for p in policies)
    assert first == second
    assert len({score for _, score, _ in first}) == 4


def test_what_is_under_two_nots_is_satisfied_and_not_violated():
    policy = policy_of(A & ~(B & ~C))
    pool = CandidatePool(("1",), {leaf.name: np.array([0.5]) for leaf in policy.plan("", 1)})
    verdicts = {atom["text"]: atom["verdict"] for atom in policy.rank(pool, 1)[0].details["atoms"]}
    assert verdicts == {"a": "satisfied", "b": "violated", "c": "satisfied"}


def test_the_evidence_tells_every_atom():
    """Evidence is JSON-safe, with a verdict for each atom."""
    policy = policy_of(A & ~B)
    pool = CandidatePool(
        ("1", "2", "3"),
        {"topical: a": np.array([0.9, 0.8, 0.1]), "topical: b": np.array([0.1, 0.9, 0.1])},
    )
    by_index = {one.index: one for one in policy.rank(pool, 3)}
    first, second, last = (by_index[i] for i in range(3))
    assert first.reason == "satisfied: a; avoided: b"
    assert second.reason == "satisfied: a; violated: b"
    assert last.reason == "unsatisfied: a; avoided: b"
    assert json.loads(json.dumps(second.details)) == {
        "expression": '"a" AND NOT "b"',
        "atoms": [
            {"text": "a", "score": pytest.approx(2.6131, abs=1e-3), "verdict": "satisfied"},
            {"text": "b", "score": pytest.approx(3.9499, abs=1e-3), "verdict": "violated"},
        ],
    }
    assert policy.rank(CandidatePool((), {}), 3) == []


def test_chosen():
    """``boolean`` ranks expressions, ``auto`` what the caller excludes."""
    stated = ParsedQuery.stating(A & ~B)
    for chooser in (BooleanPolicy(), AutoPolicy()):
        chosen = chooser.route(stated, ["compatibility", "lexical", "topical"])
        assert isinstance(chosen, ExpressionPolicy)
        searched = {leaf.vector for leaf in chosen.plan("", 5)}
        assert searched == {"topical", "compatibility", "lexical"}
        assert {leaf.vector for leaf in chooser.route(stated).plan("", 5)} == {"topical"}
    said = "hotels, but not hostels"
    assert isinstance(AutoPolicy().route(said), ConstraintPolicy)
    assert BooleanPolicy().route(said).query.expression == Atom("hotels") & ~Atom("hostels")
    assert BooleanPolicy().route("hotels") == TopicalPolicy()
    mine = BooleanSettings(penalty=1)
    assert BooleanPolicy(settings=mine, limit=7).route(stated).settings == mine
    assert describe_policy(BooleanPolicy(settings=mine))["settings"] == {"penalty": 1}


def test_what_names_a_value_of_a_field_is_filtered():
    """As with exclusions, the rest of the expression stays."""
    said = "inns in Oslo or inns in Bergen, but not in Voss"
    chosen = AutoPolicy(fields={"city": ["Voss", "Oslo"]}, limit=7).route(said)
    assert isinstance(chosen, ExpressionPolicy), chosen
    assert chosen.must_not == {"city": ["Voss"]}
    assert chosen.limit == 7
    assert ExpressionPolicy(ParsedQuery.stating(A)).must_not == {}
