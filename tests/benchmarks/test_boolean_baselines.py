"""The literature's combinations against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.common.boolean_baselines import EnsemblePolicy, SetsPolicy
from logic_retrievers.queries import Atom, ParsedQuery
from logic_retrievers.types import CandidatePool

TREE = (Atom("a") & (Atom("b") | Atom("c"))) & ~Atom("d")
score = st.integers(-20, 20).map(lambda n: n / 20)
rows = st.lists(st.tuples(score, score, score, score), min_size=1, max_size=12)


def pool_of(policy, rows) -> CandidatePool:
    columns = dict(zip("abcd", np.array(rows).T, strict=True))
    plan = policy.plan("", 3)
    names = [query.name for query in plan]
    assert [query.name for query in plan if query.limit] == [*"abc"], "what is excluded only scores"
    return CandidatePool(
        tuple(f"{i:03}" for i in range(len(rows))), {name: columns[name] for name in names}
    )


@given(rows)
def test_ensemble(rows):
    """Min, max and difference of cosines."""
    policy = EnsemblePolicy(ParsedQuery.stating(TREE))
    ranked = {r.index: r.score for r in policy.rank(pool_of(policy, rows), len(rows))}
    expected = {i: min(a, max(b, c)) - d for i, (a, b, c, d) in enumerate(rows)}
    assert ranked == pytest.approx(expected)


@given(rows, st.integers(1, 4))
def test_sets(rows, k):
    """Intersection adds, union takes the greater score, NOT removes; lists of 2k."""
    policy = SetsPolicy(ParsedQuery.stating(TREE))
    lists = [
        set(sorted(range(len(rows)), key=lambda i, c=column: (-rows[i][c], i))[: 2 * k])
        for column in range(4)
    ]
    expected = {}
    for i, (a, b, c, _) in enumerate(rows):
        either = [value for value, column in ((b, 1), (c, 2)) if i in lists[column]]
        if i in lists[0] and either and i not in lists[3]:
            expected[i] = a + max(either)
    best = sorted(expected, key=lambda i: (-expected[i], i))[:k]
    ranked = policy.rank(pool_of(policy, rows), k)
    assert {r.index: r.score for r in ranked} == pytest.approx({i: expected[i] for i in best})
