"""The one that more of the others agree with stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.contradiction.rules.base import (
    ConflictGraph,
    ConflictPolicy,
    Ruling,
    source_of,
)

CLEARLY = 0.2
"""How much likelier a passage contradicts the one than the other, to be a voice."""


@dataclass(frozen=True)
class PreferMajority(ConflictPolicy):
    """The one with more voices stays; abstains where they are equal.

    A passage that is in conflict with the one and not with the other is a voice for the other, and
    each of the two is a voice for itself. Where the graph knows how likely pairs contradict that
    are no conflict, a voice is who contradicts the one clearly more than the other. Copies of one
    text, and passages of one source, are one voice together: what is said again is not said by
    more.

    Args:
        key: of the source in the metadata; a passage without it is known by its ``source``, and
            speaks for itself where it has none.
    """

    key: str = "source"
    name: ClassVar[str] = "prefer_majority"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """The one with fewer voices goes."""
        against_one, against_other = _opposed(one, other, graph)
        for_one = self._voices({one} | (against_other - {one}), graph)
        for_other = self._voices({other} | (against_one - {other}), graph)
        if for_one == for_other:
            return Ruling(f"each has {for_one} of the passages on its side", abstained=True)
        stays, drop = (one, other) if for_one > for_other else (other, one)
        more, fewer = sorted((for_one, for_other), reverse=True)
        return Ruling(
            f"{graph.passages[stays].id!r} has {more} voices (itself and those that agree with it)"
            f" against {fewer}",
            (drop,),
        )

    def _voices(self, places: set[int], graph: ConflictGraph) -> int:
        """Parts that are left when copies, and those of one source, are joined."""
        left, voices = set(places), 0
        sources = {place: source_of(graph.passages[place], self.key) for place in places}
        while left:
            voices += 1
            joined = [left.pop()]
            while joined:
                place = joined.pop()
                same = {
                    another
                    for another in left
                    if another in graph.copies[place]
                    or sources[place] == sources[another] is not None
                }
                left -= same
                joined.extend(same)
        return voices


def _opposed(one: int, other: int, graph: ConflictGraph) -> tuple[set[int], set[int]]:
    """Who is against the one and not against the other, and the reverse."""
    if not graph.probabilities:
        of_one, of_other = graph.rivals[one], graph.rivals[other]
        return set(of_one - of_other), set(of_other - of_one)
    against_one: set[int] = set()
    against_other: set[int] = set()
    to_one = graph.probabilities.get(one, {})
    to_other = graph.probabilities.get(other, {})
    for voter in to_one.keys() & to_other.keys():
        leaning = to_one[voter] - to_other[voter]
        if leaning >= CLEARLY:
            against_one.add(voter)
        elif -leaning >= CLEARLY:
            against_other.add(voter)
    return against_one, against_other
