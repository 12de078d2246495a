"""Who stands on which of two sides: against a plain enumeration, and what it must never do."""

from __future__ import annotations

from itertools import combinations, product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.neighbour_groups import opposition_probabilities
from logic_retrievers.contradiction.resolution_strategies import stance_partitions


@st.composite
def groups(draw, least=2, most=6):
    count = draw(st.integers(least, most))
    matrix = np.zeros((count, count))
    for a, b in combinations(range(count), 2):
        matrix[a, b] = matrix[b, a] = draw(st.floats(0, 1))
    return matrix


def plainly(probabilities, leaning):
    """The posterior by the definition, parting by parting."""
    count = len(probabilities)
    likely = {}
    for sides in product((0, 1), repeat=count):
        if sides[0] == 1:
            continue  # the same parting with the sides' names exchanged
        prior = 0.5 if not any(sides) else 0.5 / (2 ** (count - 1) - 1)
        weight = prior
        for a, b in combinations(range(count), 2):
            p = min(max(probabilities[a, b], 1e-3), 1 - 1e-3)
            odds = np.exp(log(p / (1 - p)) + leaning)
            weight *= (odds if sides[a] != sides[b] else 1) / (1 + odds)
        likely[sides] = weight
    total = sum(likely.values())
    return {sides: weight / total for sides, weight in likely.items()}


@given(groups(), st.sampled_from([0.0, 1.0, -0.5]))
def test_partings_are_the_posterior(probabilities, leaning):
    """Every decision against a passage near a trusted one rests on these numbers."""
    sides, weights = stance_partitions(probabilities, leaning)
    expected = plainly(probabilities, leaning)
    found = {tuple(int(one) for one in row): w for row, w in zip(sides, weights, strict=True)}
    assert found == pytest.approx(expected, abs=1e-9)


@given(groups(), st.sampled_from([0.0, 1.0]))
def test_opposite_sums_the_partings(probabilities, leaning):
    """Symmetric, nobody is opposite to itself, and every value is a probability."""
    found = opposition_probabilities(probabilities, leaning)
    expected = np.zeros_like(found)
    for sides, weight in plainly(probabilities, leaning).items():
        for a, b in combinations(range(len(sides)), 2):
            expected[a, b] += weight * (sides[a] != sides[b])
            expected[b, a] = expected[a, b]
    assert found == pytest.approx(expected, abs=1e-9)
    assert np.all(np.diag(found) == 0)


def test_a_third_passage_speaks_for_a_conflict():
    """An even chance becomes a likely one where somebody agrees with the one and not the other."""
    two = np.array([[0, 0.5], [0.5, 0]])
    three = np.array([[0, 0.5, 0.02], [0.5, 0, 0.95], [0.02, 0.95, 0]])
    assert opposition_probabilities(two)[0, 1] == pytest.approx(0.5)
    assert opposition_probabilities(three)[0, 1] > 0.75


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_stands_against_nobody(count):
    """A trusted passage without neighbours must not stop a cleaning."""
    assert opposition_probabilities(np.zeros((count, count))).shape == (count, count)
