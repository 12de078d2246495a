"""Policies that rank by one named vector: plain search, and the compatibility vector by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.policies.base import COMPATIBILITY, TOPICAL, Policy, Ranked
from logic_retrievers.scoring import ranking
from logic_retrievers.types import Leaf, Pool


class SingleVectorPolicy(Policy):
    """Ranks by the score of one search of the whole query."""

    vector: ClassVar[str]
    measure: ClassVar[str] = "cosine"

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """One search."""
        return (Leaf(self.vector, self.vector, query, k),)

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """By its score."""
        scores = pool.scores[self.vector]
        return [
            Ranked(int(i), float(scores[i]), reason=f"{self.vector} {self.measure} {scores[i]:.3f}")
            for i in ranking(scores)[:k]
        ]


@dataclass(frozen=True)
class TopicalPolicy(SingleVectorPolicy):
    """Ordinary nearest-neighbour search on the topical vector."""

    name: ClassVar[str] = "topical"
    vector: ClassVar[str] = TOPICAL


@dataclass(frozen=True)
class CompatibilityPolicy(SingleVectorPolicy):
    """The compatibility vector alone; for measuring an encoder."""

    name: ClassVar[str] = "compatibility"
    vector: ClassVar[str] = COMPATIBILITY
