"""The majority where it is known how likely any two of the passages around contradict."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from logic_retrievers import Passage
from logic_retrievers.contradiction.resolution_strategies import (
    ConflictGraph,
    Group,
    PreferMajority,
)

AGREE, CLASH = 0.02, 0.97


def graph(sides, *, copies=(), sources=(), unsure=()):
    """Passages p0, p1, ... that stand on these sides; ``unsure`` pairs have an even chance."""
    count = len(sides)
    matrix = np.zeros((count, count))
    for a, b in combinations(range(count), 2):
        likely = CLASH if sides[a] != sides[b] else AGREE
        matrix[a, b] = matrix[b, a] = 0.5 if (a, b) in unsure else likely

    def others(pairs, at):
        return frozenset({*(b for a, b in pairs if a == at), *(a for a, b in pairs if b == at)})

    named = [{"source": one} if one else {} for one in sources] or [{}] * count
    passages = [Passage(f"p{at}", f"text {at}", about) for at, about in enumerate(named)]
    group = Group(tuple(range(count)), matrix)
    return ConflictGraph(
        passages,
        [others([(0, 1)], at) for at in range(count)],
        [others(copies, at) for at in range(count)],
        {(0, 1): group},
    )


def ruling(made):
    """The ruling on 0 and 1, which must be that on 1 and 0."""
    found, back = PreferMajority().decide(0, 1, made), PreferMajority().decide(1, 0, made)
    assert (found.drop, found.abstained) == (back.drop, back.abstained)
    return found


@pytest.mark.parametrize(
    ("sides", "drop"),
    [("ab", ()), ("abb", (0,)), ("aba", (1,)), ("abab", ()), ("abbba", (0,)), ("abaab", (1,))],
)
def test_the_side_with_more_passages_stays(sides, drop):
    """Where both sides have as many nobody can tell, and both stay."""
    found = ruling(graph(sides))
    assert found.drop == drop
    assert found.abstained is not bool(drop)


def test_what_is_said_again_counts_once():
    """A lie that was copied a hundred times would be the truth."""
    assert ruling(graph("abbb")).drop == (0,)
    assert ruling(graph("abbb", copies=[(1, 2), (2, 3)])).abstained
    assert ruling(graph("abbb", sources=["x", "y", "y", "y"])).abstained
    assert ruling(graph("abbb", sources=["x", "y", "y", "z"])).drop == (0,)


def test_whoever_might_stand_on_either_side_decides_nothing():
    """Neighbours about something else are near to both, and have no voice."""
    assert ruling(graph("abb", unsure=[(0, 2), (1, 2)])).abstained
    assert ruling(graph("aba", unsure=[(0, 2), (1, 2)])).abstained
