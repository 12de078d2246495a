"""What words of a text state that can be compared: a number, a date, a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from logic_retrievers.cleaning.differences.dates import When
from logic_retrievers.cleaning.differences.numbers import Quantity
from logic_retrievers.cleaning.differences.versions import Version
from logic_retrievers.cleaning.findings import Type

Value: TypeAlias = Quantity | When | Version | str


@dataclass(frozen=True, slots=True)
class Fact:
    """A value and the words that state it.

    Args:
        type: of a difference in it.
        first, last: the words, the last outside.
        value: compared with the values of the same type.
    """

    type: Type
    first: int
    last: int
    value: Value

    def equals(self, other: Fact) -> bool:
        """Whether the two state the same: ``twelve`` and ``12``, ``Paul Guérin`` and ``Guérin``."""
        here, there = self.value, other.value
        if isinstance(here, Quantity) and isinstance(there, Quantity):
            return here.equals(there)
        if isinstance(here, When) and isinstance(there, When):
            return here.agrees(there)
        if isinstance(here, str) and isinstance(there, str) and self.type == "entity":
            mine, theirs = here.split(), there.split()
            return set(mine) <= set(theirs) or set(theirs) <= set(mine)
        return here == there

    def comparable(self, other: Fact) -> bool:
        """Whether the two, where they differ, may be answers to one question."""
        here, there = self.value, other.value
        if isinstance(here, Quantity) and isinstance(there, Quantity):
            return here.comparable(there)
        return type(here) is type(there) and self.type == other.type
