"""The one that more of the others agree with stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from logic_retrievers.contradiction.rules.base import (
    ConflictGraph,
    ConflictPolicy,
    Group,
    Ruling,
    source_of,
)
from logic_retrievers.contradiction.sides import partings

LIKELY = 0.7
"""How likely one of the two has to stand with the fewer voices; found on ConflictQA's dev part."""


@dataclass(frozen=True)
class PreferMajority(ConflictPolicy):
    """The one with more voices stays; abstains where they are equal.

    A passage that is in conflict with the one and not with the other is a voice for the other, and
    each of the two is a voice for itself. Where the graph knows how likely any two of the passages
    around them contradict each other, all ways to part these in two sides are weighed, and the one
    goes that stands on the side with fewer voices with a probability of at least .7.

    Copies of one text, and passages of one source, are one voice together: what is said again is
    not said by more.

    Args:
        key: of the source in the metadata; a passage without it is known by its ``source``, and
            speaks for itself where it has none.
    """

    key: str = "source"
    name: ClassVar[str] = "prefer_majority"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """The one with fewer voices goes."""
        group = graph.groups.get((one, other)) or graph.groups.get((other, one))
        if group is not None:
            return self._by_sides(one, other, group, graph)
        of_one, of_other = graph.rivals[one], graph.rivals[other]
        for_one = len(self._voices([one, *(of_other - of_one - {one})], graph))
        for_other = len(self._voices([other, *(of_one - of_other - {other})], graph))
        if for_one == for_other:
            return Ruling(f"each has {for_one} of the passages on its side", abstained=True)
        stays, drop = (one, other) if for_one > for_other else (other, one)
        more, fewer = sorted((for_one, for_other), reverse=True)
        return Ruling(
            f"{graph.passages[stays].id!r} has {more} voices (itself and those that agree with it)"
            f" against {fewer}",
            (drop,),
        )

    def _by_sides(self, one: int, other: int, group: Group, graph: ConflictGraph) -> Ruling:
        """The one goes that probably stands with fewer voices."""
        sides, weights = partings(group.probabilities)
        voice = np.zeros((len(group.members), len(group.members)), dtype=np.int64)
        for number, members in enumerate(self._voices(group.members, graph)):
            voice[[group.members.index(member) for member in members], number] = 1
        voices = [((sides == side) @ voice > 0).sum(axis=1) for side in (0, 1)]
        here, there = (sides[:, group.members.index(place)] for place in (one, other))
        of_one = np.where(here == 0, voices[0], voices[1])
        of_other = np.where(there == 0, voices[0], voices[1])
        apart = here != there
        fewer = [
            float(weights[apart & less].sum()) for less in (of_one < of_other, of_other < of_one)
        ]
        if max(fewer) < LIKELY:
            return Ruling("neither probably has more voices on its side", abstained=True)
        stays, drop = (other, one) if fewer[0] > fewer[1] else (one, other)
        return Ruling(
            f"{graph.passages[stays].id!r} probably ({max(fewer):.2f}) has more voices on its side",
            (drop,),
        )

    def _voices(self, places: Sequence[int], graph: ConflictGraph) -> list[set[int]]:
        """Parts that are left when copies, and those of one source, are joined."""
        left, voices = set(places), list[set[int]]()
        sources = {place: source_of(graph.passages[place], self.key) for place in places}
        while left:
            voices.append(set())
            joined = [left.pop()]
            while joined:
                place = joined.pop()
                voices[-1].add(place)
                same = {
                    another
                    for another in left
                    if another in graph.copies[place]
                    or sources[place] == sources[another] is not None
                }
                left -= same
                joined.extend(same)
        return voices
