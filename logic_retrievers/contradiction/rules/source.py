"""The one from the better source stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.contradiction.rules.base import (
    ConflictGraph,
    ConflictPolicy,
    Ruling,
    source_of,
)
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True)
class PreferSource(ConflictPolicy):
    """The one from the better source stays; abstains where a source is unknown or both are equal.

    Args:
        order: sources, the best first.
        key: of the source in the metadata; a passage without it is known by its ``source``.

    Raises:
        ConfigurationError: no order, or a bare string in its place.
    """

    order: tuple[str, ...]
    key: str = "source"
    name: ClassVar[str] = "prefer_source"

    def __post_init__(self) -> None:
        if isinstance(self.order, str) or not self.order:
            raise ConfigurationError(
                "prefer_source needs source_order: a list of sources, the best first"
            )

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """The one from the worse source goes."""
        places = []
        for passage in (graph.passages[one], graph.passages[other]):
            source = source_of(passage, self.key)
            if source is None:
                return Ruling(f"{passage.id!r} has no {self.key!r}", abstained=True)
            if source not in self.order:
                return Ruling(
                    f"the {self.key!r} of {passage.id!r} does not stand in the order",
                    abstained=True,
                )
            places.append(self.order.index(source))
        if places[0] == places[1]:
            return Ruling(f"both come from {self.order[places[0]]!r}", abstained=True)
        drop = other if places[0] < places[1] else one
        better, worse = sorted(places)
        return Ruling(f"{self.order[better]!r} stands before {self.order[worse]!r}", (drop,))
