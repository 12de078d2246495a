"""Pairs judged together with what lies near to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TypeVar

import numpy as np

from logic_retrievers.cleaning.comparing import Neighbourhood
from logic_retrievers.cleaning.gathering import Gathered
from logic_retrievers.contradiction.conflicts import Pair
from logic_retrievers.contradiction.rules import Group
from logic_retrievers.contradiction.sides import MOST, opposite
from logic_retrievers.procedures import Procedure

LEANING = 1.0
"""Added to the log-odds beside a trusted passage; found on ConflictQA's dev part, with the
probability from which on a passage counts as being on the other side."""

K = TypeVar("K")
Places = tuple[int, int]


def opponents(room: Neighbourhood, gathered: Gathered) -> Procedure[dict[Places, float]]:
    """How likely each passage near to a trusted one is on the other side; see ``sides``.

    Args:
        room: scores the pairs.
        gathered: with the trusted passages.

    Returns:
        Places of a pair as ``gathered`` has them -> probability.
    """
    near = _near(gathered)
    wanted = {
        place: (place, *[one for one in near[place] if one not in gathered.trusted][: MOST - 1])
        for place in sorted(gathered.trusted & near.keys())
    }
    found: dict[Places, float] = {}
    for trusted, group in (yield from _groups(room, gathered, wanted)).items():
        sides = opposite(group.probabilities, LEANING)[0]
        for at, place in enumerate(group.members[1:], start=1):
            pair = (trusted, place) if (trusted, place) in gathered.cosines else (place, trusted)
            found[pair] = float(sides[at])
    return found


def surroundings(
    room: Neighbourhood, gathered: Gathered, disputes: Iterable[Pair]
) -> Procedure[dict[Places, Group]]:
    """What lies near to each pair in conflict: who may speak for the one or for the other.

    Passages that form no pair worth a look with either are left out: they say nothing about it.

    Args:
        room: scores the pairs.
        gathered: with the pairs that are known.
        disputes: the pairs in conflict.
    """
    near = _near(gathered)
    wanted: dict[Places, tuple[int, ...]] = {}
    for pair in disputes:
        both = [near.get(pair.one, {}), near.get(pair.other, {})]
        others = {
            place: max(some.get(place, 0.0) for some in both)
            for place in {*both[0], *both[1]} - {pair.one, pair.other}
        }
        nearest = sorted(others, key=lambda place: (-others[place], place))[: MOST - 2]
        wanted[pair.one, pair.other] = (pair.one, pair.other, *nearest)
    return (yield from _groups(room, gathered, wanted))


def _near(gathered: Gathered) -> dict[int, dict[int, float]]:
    """Place -> places that it forms a pair with -> cosine, the nearest first."""
    near: dict[int, dict[int, float]] = {}
    for (one, other), cosine in sorted(gathered.cosines.items(), key=lambda pair: (-pair[1], pair)):
        near.setdefault(one, {})[other] = cosine
        near.setdefault(other, {})[one] = cosine
    return near


def _groups(
    room: Neighbourhood, gathered: Gathered, wanted: Mapping[K, tuple[int, ...]]
) -> Procedure[dict[K, Group]]:
    """The groups of these places, all their pairs judged, each pair once."""
    places = sorted({place for members in wanted.values() for place in members})
    if not places:
        return {}
    row = {place: number for number, place in enumerate(places)}
    given = yield from room.encoded([gathered.passages[place] for place in places])
    pairs = {
        (row[one], row[other])
        for members in wanted.values()
        for one, other in combinations(sorted(members), 2)
    }
    judged = yield from room.pairs(given, sorted(pairs))
    found = {}
    for key, members in wanted.items():
        matrix = np.zeros((len(members), len(members)))
        for (a, one), (b, other) in combinations(enumerate(members), 2):
            pair = (row[min(one, other)], row[max(one, other)])
            matrix[a, b] = matrix[b, a] = judged[pair]
        found[key] = Group(members, matrix)
    return found
