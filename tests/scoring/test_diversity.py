"""Maximal marginal relevance against the formula, item by item."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from logic_retrievers.scoring.diversity import maximal_marginal_relevance

vectors = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=st.integers(-3, 3).map(float)
)


@given(vectors, st.integers(0, 10), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_every_choice_is_the_formulas(rows, k, weight):
    relevance, similarities = rows[:, 0], rows @ rows.T
    chosen = maximal_marginal_relevance(relevance, similarities, k, weight)
    assert len(chosen) == len(set(chosen)) == min(k, len(rows))
    for place, item in enumerate(chosen):
        before = chosen[:place]

        def value(one: int, before: list[int] = before) -> float:
            likeness = max((similarities[one, other] for other in before), default=0.0)
            return weight * relevance[one] - (1 - weight) * likeness

        left = [one for one in range(len(rows)) if one not in before]
        best = max(map(value, left))
        assert value(item) == best
        assert item == min(one for one in left if value(one) == best)
