"""Measurement of contradiction retrieval, compared with a plain search query by query."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.contradiction_retrieval import (
    ScoredCandidates,
    build_pool,
    find_alpha,
    ndcg,
    nearest_candidates,
)
from logic_export.data.contradictions.groups import ContradictionGroup

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import MEASURES, normalise, sparsity


def test_every_text_asks_for_the_other_side_of_its_question():
    """A query must not count its own paraphrases as right (the paper's protocol)."""
    asked = [ContradictionGroup(("a", "b"), ("c",)), ContradictionGroup(("d",), ("e", "a"))]
    pool = build_pool(asked, [ContradictionGroup(("f",), ("c",))])
    assert pool.texts == ("a", "b", "c", "d", "e", "f")
    assert pool.queries == (
        (0, (2,)),
        (1, (2,)),
        (2, (0, 1)),
        (3, (4, 0)),
        (4, (3,)),
        (0, (3,)),
    )
    assert pool.agreeing == ((1,), (0,), (), (), (0,), (4,))


def rows(count: int, seed: int, dimension: int = 12) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, dimension))
    return normalise(found).astype(np.float32)


@pytest.mark.parametrize("measure", sorted(MEASURES))
@pytest.mark.parametrize("depth", [1, 9, 1000])
def test_candidates_are_the_nearest_but_the_query_and_its_copies(measure: str, depth: int):
    """A query must not find itself or a copy: rounding makes them the sparsest differences."""
    groups = [(("a", "b"), ("c", "d")), (("e", "f"), ("g", "h", "i"))]
    pool = build_pool([ContradictionGroup(*sides) for sides in groups])
    topical, contradiction = rows(9, 1), rows(9, 2)
    contradiction[3] = contradiction[0]  # d says what a says
    found = nearest_candidates(pool, topical, contradiction, measure, depth)
    for (row, right), one in zip(pool.queries, found, strict=True):
        others = [n for n in range(9) if n != row]
        near = sorted(others, key=lambda n: -float(topical[n] @ topical[row]))[:depth]
        near = [n for n in near if {row, n} != {0, 3}]
        assert one.right.tolist() == [n in right for n in near]
        assert one.cosines == pytest.approx([topical[n] @ topical[row] for n in near], abs=1e-6)
        expected = [sparsity(contradiction[row], contradiction[[n]], measure)[0] for n in near]
        assert one.sparsities == pytest.approx(expected, abs=1e-6)
        assert one.total == len(right)
        assert np.isfinite(one.sparsities).all()


def plain_ndcg(right, scores, total):
    """Compute nDCG@10 with gains of 1, relative to the best possible ranking."""
    order = sorted(range(len(scores)), key=lambda n: (-scores[n], n))[:10]
    gained = sum(1 / math.log2(rank + 2) for rank, n in enumerate(order) if right[n])
    return gained / sum(1 / math.log2(rank + 2) for rank in range(min(10, total)))


@given(st.integers(0, 2**31), st.integers(0, 30), st.integers(1, 15), st.floats(0, 10))
def test_ndcg_is_that_of_the_formula(seed: int, count: int, missing: int, alpha: float):
    """Contradictions beyond the depth must still count as not found."""
    rng = np.random.default_rng(seed)
    right = rng.random(count) < 0.3
    cosines, sparsities = rng.normal(size=count), rng.random(count)
    one = ScoredCandidates(right, cosines, sparsities, int(right.sum()) + missing)
    expected = plain_ndcg(right, cosines + alpha * sparsities, one.total)
    assert ndcg([one], alpha) == pytest.approx([expected], abs=1e-12)
    assert ndcg([one, one], alpha).shape == (2,)
    # a query without contradicting texts scores 0
    assert ndcg([ScoredCandidates(right[:0], cosines[:0], sparsities[:0], 0)], 1).tolist() == [0]
    assert ndcg([], 1).shape == (0,)


@pytest.mark.parametrize("wanted", [0.3, 4.44])
def test_alpha_is_found_from_coarse_to_fine(wanted: float):
    """The search must refine the best part, down to the last step, or lose nDCG silently."""
    rng = np.random.default_rng(0)
    # the second text, which is right, beats the first text if alpha > low, and the third text,
    # which is only sparse, if alpha < high
    sides = [np.array([False, True, False]), np.array([0.0, 0.2, 0.5])]
    found = [
        ScoredCandidates(sides[0], np.array([0.2 * low, 0.0, -0.3 * high]), sides[1], 1)
        for low, high in zip(rng.uniform(0, wanted, 50), rng.uniform(wanted, 10, 50), strict=True)
    ]
    alpha = find_alpha(found)
    assert alpha == pytest.approx(wanted, abs=0.5)
    best = max(ndcg(found, tried).mean() for tried in np.linspace(0, 10, 101))
    assert ndcg(found, alpha).mean() >= best - 0.01


def test_alpha_is_zero_where_sparsity_says_nothing():
    """Ties take the first part, so alpha is the middle of the lowest part, nearly zero."""
    one = ScoredCandidates(np.array([True]), np.array([0.5]), np.array([0.3]), 1)
    assert 0 < find_alpha([one]) < 0.01
    assert 0 < find_alpha([one], highest=200) < 0.01
    with pytest.raises(ConfigurationError, match="there are none"):
        find_alpha([])
