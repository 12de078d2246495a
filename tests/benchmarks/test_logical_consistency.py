"""Measures of logical consistency by hand, and Boolean queries built from LIMIT."""

from __future__ import annotations

import math
import statistics

import pytest

from benchmarks.papers.limit_queries import limit_queries
from benchmarks.papers.logicol_measures import (
    complementary_pairs,
    group_coherence,
    score_correlation,
)
from logic_retrievers.evaluation import Dataset, Query
from logic_retrievers.queries import And, Atom, Expression, Not

A, B, C = Atom("a"), Atom("b"), Atom("c")
NAN, NEVER = math.nan, -math.inf


def test_coherence_by_hand() -> None:
    """A query must not be paired with itself, which would count as coherent."""
    vectors = [(1.0, 0.0), (0.0, 2.0), (3.0, 3.0), (5.0, 5.0)]
    mean = (0 + math.sqrt(0.5) + math.sqrt(0.5)) / 3
    assert group_coherence(vectors, ["x", "x", "x", "y"]) == pytest.approx({"x": mean})


def test_correlation_by_hand() -> None:
    """Using the first list only, or zeros for missing scores, changes the meaning of r."""
    first = [9.0, 8.0, 1.0, 7.0, NAN]
    second = [1.0, 3.0, 9.0, NEVER, 5.0]
    expected = statistics.correlation([9.0, 8.0, 1.0], [1.0, 3.0, 9.0])
    assert score_correlation(first, second, 2) == pytest.approx(expected)
    assert math.isnan(score_correlation([1.0, 1.0], [1.0, 2.0], 2))
    assert math.isnan(score_correlation([], [], 2))


def query(name: str, expression: Expression | None, group: str | None = None) -> Query:
    stated = {} if expression is None else {"expression": expression.to_dict()}
    return Query(name, name, {"d": 1}, extra=stated | ({"group": group} if group else {}))


def test_complementary_queries() -> None:
    """A AND B with A OR B, or with the NOT of a different group, correlate by construction."""
    expressions = {
        **{"a-b": A & ~B, "b+a": B & A, "b+a again": B & A, "b-a": And((Not(Not(B)), ~A))},
        **{"a+b-c": A & B & ~C, "a+b+c": And((C, And((A, B)))), "a or b": A | B, "a": A},
        **{"a-b-c": A & ~B & ~C, "c-b": C & ~B, "unknown": None},
    }
    queries = [query(name, expression) for name, expression in expressions.items()]
    results = [(both.id, without.id) for both, without in complementary_pairs(queries)]
    assert results == [("b+a", "a-b"), ("b+a", "b-a"), ("a+b+c", "a+b-c")]
    apart = [query("a+b", A & B, "one"), query("a-b", A & ~B, "two")]
    assert complementary_pairs(apart) == []
    assert complementary_pairs([apart[0], query("a-b", A & ~B, "one")])[0].both.id == "a+b"


LIKES = {"tea": {"ann", "bo"}, "owls": {"bo", "cy"}, "ink": {"di", "ed"}, "jam": {"bo", "cy"}}


def people(likes: dict[str, set[str]]) -> Dataset:
    queries = tuple(
        Query(f"q{n}", f"Who likes {what}?", dict.fromkeys(sorted(who), 1))
        for n, (what, who) in enumerate(likes.items())
    )
    return Dataset("toy", {name: name for who in likes.values() for name in who}, queries)


def test_truth_by_hand() -> None:
    """Owls and jam share two people and ink shares none: only tea goes with either."""
    dataset = limit_queries(people(LIKES), count=2)
    assert dataset.name == "toy/boolean"
    groups = {frozenset((query.group or "").split()) for query in dataset.queries}
    assert groups == {frozenset({"q0", "q1"}), frozenset({"q0", "q3"})}
    assert len(dataset.queries) == 4
    for both, without in zip(dataset.queries[::2], dataset.queries[1::2], strict=True):
        first, second = both.expression.atoms
        assert both.text == f"Who likes {first} and {second}?"
        assert without.text == f"Who likes {first} but not {second}?"
        assert (both.template, without.template) == ("a_and_b", "a_not_b")
        assert without.expression == Atom(first) & ~Atom(second)
        assert both.satisfying == without.violating == {"bo"}
        assert without.satisfying == LIKES[first] - {"bo"}
        assert both.violating == LIKES[first] ^ LIKES[second]
        assert both.group == without.group
        assert (both.is_negation, without.is_negation) == (False, True)
