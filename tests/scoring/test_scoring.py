"""The kernels against plain Python, including ties and gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from logic_retrievers.scoring import (
    cosine,
    mixed_cosines,
    normalise,
    ordinal_ranks,
    ranking,
    reciprocal_ranks,
)
from logic_retrievers.scoring.fusion import maximal_marginal_relevance

score = st.integers(-3, 3).map(float) | st.just(math.nan)
scores = st.lists(score, max_size=30)


@given(scores)
def test_ranking_is_stable_and_puts_missing_scores_last(values):
    """An unstable sort orders ties at random, and a NaN at the top would hide a bug."""

    def place(i: int) -> tuple[bool, float]:
        return (True, 0) if math.isnan(values[i]) else (False, -values[i])

    expected = sorted(range(len(values)), key=place)
    assert ranking(np.array(values)).tolist() == expected


@given(scores)
def test_ranks_count_from_one_and_skip_missing_scores(values):
    ranks = ordinal_ranks(np.array(values, dtype=float))
    order = [i for i in ranking(np.array(values, dtype=float)) if not math.isnan(values[i])]
    assert {int(i): int(ranks[i]) for i in order} == {int(i): r for r, i in enumerate(order, 1)}
    assert all(ranks[i] == 0 for i in range(len(values)) if math.isnan(values[i]))


@given(st.lists(st.integers(0, 50), max_size=30))
def test_reciprocal_ranks(ranks):
    expected = [1 / r if r else 0.0 for r in ranks]
    assert reciprocal_ranks(np.array(ranks, dtype=np.int64)).tolist() == expected


def test_a_missing_cosine_leaves_the_other_alone():
    """In a partly filled collection no passage may silently sink to the bottom."""
    nan = np.nan
    first, second = np.array([0.5, 0.5, nan, nan]), np.array([0.1, nan, 0.3, nan])
    assert mixed_cosines(first, second, 0.25).tolist() == pytest.approx([0.4, 0.5, 0.3, -1])


@given(st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=1, max_size=5))
def test_cosine_against_the_definition(rows):
    matrix = np.array(rows, dtype=float)
    for i, row in enumerate(rows):
        for j, other in enumerate(rows):
            length = math.hypot(*row) * math.hypot(*other)
            expected = sum(a * b for a, b in zip(row, other, strict=True)) / length if length else 0
            assert cosine(matrix, matrix)[i, j] == pytest.approx(expected, abs=1e-12)
    assert np.isfinite(normalise(matrix)).all()


vectors = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=st.integers(-3, 3).map(float)
)


@given(vectors, st.integers(0, 10), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_every_choice_of_mmr_is_the_formulas(rows, k, weight):
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
