"""Which passage is on which of two sides, against a plain enumeration."""

from __future__ import annotations

from itertools import combinations, product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers import Passage
from logic_retrievers.conflicts.cleaning.neighbour_groups import opposition_to_first
from logic_retrievers.conflicts.resolution_strategies import ConflictGraph, PreferMajority
from logic_retrievers.conflicts.stances import Group, stance_partitions


@st.composite
def groups(draw, least=2, most=6):
    count = draw(st.integers(least, most))
    matrix = np.zeros((count, count))
    for a, b in combinations(range(count), 2):
        matrix[a, b] = matrix[b, a] = draw(st.floats(0, 1))
    return matrix


def plainly(probabilities, leaning):
    """The posterior by definition, split by split."""
    count = len(probabilities)
    likely = {}
    for sides in product((0, 1), repeat=count):
        if sides[0] == 1:
            continue  # the same split with the sides exchanged
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
    """Every decision against a passage near a trusted one uses these numbers."""
    sides, weights = stance_partitions(probabilities, leaning)
    expected = plainly(probabilities, leaning)
    found = {tuple(int(one) for one in row): w for row, w in zip(sides, weights, strict=True)}
    assert found == pytest.approx(expected, abs=1e-9)


@given(groups(), st.sampled_from([0.0, 1.0]))
def test_opposite_sums_the_partings(probabilities, leaning):
    expected = np.zeros(len(probabilities))
    for sides, weight in plainly(probabilities, leaning).items():
        expected += weight * np.array(sides)
    assert opposition_to_first(probabilities, leaning) == pytest.approx(expected, abs=1e-9)


def test_a_third_passage_speaks_for_a_conflict():
    """A passage that agrees with only one of the two makes an even chance a likely one."""
    two = np.array([[0, 0.5], [0.5, 0]])
    three = np.array([[0, 0.5, 0.02], [0.5, 0, 0.95], [0.02, 0.95, 0]])
    assert opposition_to_first(two)[1] == pytest.approx(0.5)
    assert opposition_to_first(three)[1] > 0.75


# --- the majority by the sides of a group

AGREE, CLASH = 0.02, 0.97


def graph(sides, *, copies=(), unsure=()):
    """Passages p0, p1, ... on these sides; ``unsure`` pairs have an even chance."""
    count = len(sides)
    matrix = np.zeros((count, count))
    for a, b in combinations(range(count), 2):
        likely = CLASH if sides[a] != sides[b] else AGREE
        matrix[a, b] = matrix[b, a] = 0.5 if (a, b) in unsure else likely

    def others(pairs, at):
        return frozenset({*(b for a, b in pairs if a == at), *(a for a, b in pairs if b == at)})

    passages = [Passage(f"p{at}", f"text {at}") for at in range(count)]
    group = Group(tuple(range(count)), matrix)
    return ConflictGraph(
        passages,
        [others([(0, 1)], at) for at in range(count)],
        [others(copies, at) for at in range(count)],
        {(0, 1): group},
    )


def ruling(made):
    """The ruling on (0, 1), checked to equal that on (1, 0)."""
    found, back = PreferMajority().decide(0, 1, made), PreferMajority().decide(1, 0, made)
    assert (found.drop, found.abstained) == (back.drop, back.abstained)
    return found


@pytest.mark.parametrize(
    ("sides", "drop"),
    [("ab", ()), ("abb", (0,)), ("aba", (1,)), ("abab", ()), ("abbba", (0,)), ("abaab", (1,))],
)
def test_the_side_with_more_passages_stays(sides, drop):
    """With equal sides the rule abstains and both stay."""
    found = ruling(graph(sides))
    assert found.drop == drop
    assert found.abstained is not bool(drop)


def test_what_is_said_again_counts_once():
    """A lie copied a hundred times must not become the truth."""
    assert ruling(graph("abbb")).drop == (0,)
    assert ruling(graph("abbb", copies=[(1, 2), (2, 3)])).abstained


def test_whoever_might_stand_on_either_side_decides_nothing():
    """Neighbours about something else are near both sides and have no vote."""
    assert ruling(graph("abb", unsure=[(0, 2), (1, 2)])).abstained
    assert ruling(graph("aba", unsure=[(0, 2), (1, 2)])).abstained
