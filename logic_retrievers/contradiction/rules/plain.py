"""The rules that look at no metadata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from logic_retrievers.contradiction.rules.base import ConflictGraph, ConflictPolicy, Ruling
from logic_retrievers.errors import InputError
from logic_retrievers.types import Passage

Chosen: TypeAlias = Callable[[Passage, Passage], Passage | None]
"""Two passages in conflict -> the one that stays, or None where it cannot be decided."""


@dataclass(frozen=True)
class Annotate(ConflictPolicy):
    """Both stay, and each tells of the other."""

    name: ClassVar[str] = "annotate"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:  # noqa: ARG002
        """Nobody goes."""
        return Ruling("nothing is dropped under 'annotate'")


@dataclass(frozen=True)
class DropBoth(ConflictPolicy):
    """Where two contradict each other, neither is to be believed."""

    name: ClassVar[str] = "drop_both"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:  # noqa: ARG002
        """Both go."""
        return Ruling("of two that contradict each other neither stays", (one, other))


@dataclass(frozen=True)
class ByFunction(ConflictPolicy):
    """A function of the user's decides.

    Args:
        choose: gets both passages, that which stood first in the list first, and gives back the one
            that stays, or None to keep both.

    Raises:
        InputError: when filtering, where the function gives back anything else.
    """

    choose: Chosen
    name: ClassVar[str] = "function"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """As the function has it."""
        first, second = graph.passages[one], graph.passages[other]
        stays = self.choose(first, second)
        if stays is None:
            return Ruling("the given function did not decide", abstained=True)
        if stays is not first and stays is not second:
            raise InputError(
                "a policy function gives back one of its two passages (the one that stays), or"
                f" None; it gave a {type(stays).__name__}"
            )
        drop = other if stays is first else one
        return Ruling(f"the given function prefers {stays.id!r}", (drop,))
