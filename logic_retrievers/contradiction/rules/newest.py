"""The newer of two stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.contradiction.rules.base import (
    ConflictGraph,
    ConflictPolicy,
    Ruling,
    value_at,
)
from logic_retrievers.contradiction.rules.moments import is_later, moment_of


@dataclass(frozen=True)
class PreferNewest(ConflictPolicy):
    """The newer of two stays; abstains where that cannot be told.

    Args:
        key: of the date in the metadata (``a.b`` for a nested one), in any form that
            :func:`~logic_retrievers.contradiction.rules.moments.moment_of` reads.
    """

    key: str = "date"
    name: ClassVar[str] = "prefer_newest"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """The older one goes."""
        values, moments = [], []
        for place in (one, other):
            passage = graph.passages[place]
            value = value_at(passage.metadata, self.key)
            if value is None:
                return Ruling(f"{passage.id!r} has no {self.key!r}", abstained=True)
            if (moment := moment_of(value)) is None:
                return Ruling(f"the {self.key!r} of {passage.id!r} cannot be read", abstained=True)
            values.append(value)
            moments.append(moment)
        if is_later(moments[0], moments[1]):
            newer, older, drop = values[0], values[1], other
        elif is_later(moments[1], moments[0]):
            newer, older, drop = values[1], values[0], one
        else:
            return Ruling(
                f"neither is certainly newer: {values[0]} and {values[1]}", abstained=True
            )
        stays = graph.passages[one if drop == other else other].id
        return Ruling(f"{stays!r} is newer: {newer} after {older}", (drop,))
