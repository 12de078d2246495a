"""Policies that rank by one named vector: plain search, and the compatibility vector by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from logic_retrievers.policies.base import COMPATIBILITY, TOPICAL, Policy, Ranked
from logic_retrievers.scoring import ranking
from logic_retrievers.types import Leaf, Pool


class _SingleVectorPolicy(Policy):
    vector: ClassVar[str]

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        return (Leaf(self.vector, self.vector, query, k),)

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        scores = pool.scores[self.vector]
        return [
            Ranked(int(i), float(scores[i]), reason=f"{self.vector} cosine {scores[i]:.3f}")
            for i in ranking(scores)[:k]
        ]


@dataclass(frozen=True)
class TopicalPolicy(_SingleVectorPolicy):
    """Ordinary nearest-neighbour search on the topical vector."""

    name: ClassVar[str] = "topical"
    vector: ClassVar[str] = TOPICAL


@dataclass(frozen=True)
class CompatibilityPolicy(_SingleVectorPolicy):
    """The compatibility vector alone; for measuring an encoder."""

    name: ClassVar[str] = "compatibility"
    vector: ClassVar[str] = COMPATIBILITY
