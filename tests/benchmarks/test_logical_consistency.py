"""Measures of logical consistency, against plain definitions."""

from __future__ import annotations

import math
import statistics
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.logicol_measures import (
    complementary_pairs,
    group_coherence,
    score_correlation,
)
from logic_retrievers.evaluation import Query
from logic_retrievers.queries import And, Atom, Expression, Not

coordinate = st.integers(-9, 9).map(float)
A, B, C = Atom("a"), Atom("b"), Atom("c")


@given(st.lists(st.tuples(st.tuples(*[coordinate] * 3), st.sampled_from("xyz")), min_size=1))
def test_coherence_against_the_definition(
    rows: list[tuple[tuple[float, float, float], str]],
) -> None:
    """A query paired with itself would count as coherent."""

    def cosine(u: tuple[float, ...], v: tuple[float, ...]) -> float:
        lengths = math.hypot(*u) * math.hypot(*v)
        return sum(p * q for p, q in zip(u, v, strict=True)) / lengths if lengths else 0.0

    expected = {}
    for group in {group for _, group in rows}:
        members = [vector for vector, row in rows if row == group]
        if len(members) > 1:
            expected[group] = statistics.fmean(cosine(u, v) for u, v in combinations(members, 2))
    result = group_coherence([vector for vector, _ in rows], [group for _, group in rows])
    assert result == pytest.approx(expected, abs=1e-9)


score = st.one_of(st.just(math.nan), st.just(-math.inf), coordinate)


@given(st.lists(st.tuples(score, score), max_size=12), st.integers(1, 5))
def test_correlation_against_the_definition(pairs: list[tuple[float, float]], k: int) -> None:
    """Over the first's list alone, or with missing scores as zeros, r tells something else."""

    def best(side: int) -> set[int]:
        scored = [i for i, pair in enumerate(pairs) if math.isfinite(pair[side])]
        return set(sorted(scored, key=lambda i: (-pairs[i][side], i))[:k])

    chosen = [pairs[i] for i in best(0) | best(1) if all(map(math.isfinite, pairs[i]))]
    first, second = zip(*chosen, strict=True) if chosen else ((), ())
    result = score_correlation([a for a, _ in pairs], [b for _, b in pairs], k)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert math.isnan(result)
    else:
        assert result == pytest.approx(statistics.correlation(first, second), abs=1e-9)


def query(name: str, expression: Expression | None, group: str | None = None) -> Query:
    stated = {} if expression is None else {"expression": expression.to_dict()}
    return Query(name, name, {"d": 1}, extra=stated | ({"group": group} if group else {}))


def test_complementary_queries() -> None:
    """A AND B beside A OR B, or beside the NOT of another group, correlate for good reasons."""
    queries = [
        query("a-b", A & ~B),
        query("b+a", B & A),
        query("b+a again", B & A),
        query("b-a", And((Not(Not(B)), ~A))),
        query("a+b-c", A & B & ~C),
        query("a+b+c", And((C, And((A, B))))),
        query("a or b", A | B),
        query("a", A),
        query("a-b-c", A & ~B & ~C),
        query("c-b", C & ~B),
        query("unknown", None),
    ]
    results = [(both.id, without.id) for both, without in complementary_pairs(queries)]
    assert results == [("b+a", "a-b"), ("b+a", "b-a"), ("a+b+c", "a+b-c")]
    apart = [query("a+b", A & B, "one"), query("a-b", A & ~B, "two")]
    assert complementary_pairs(apart) == []
    assert complementary_pairs([apart[0], query("a-b", A & ~B, "one")])[0].both.id == "a+b"
