"""What a policy is: a pure rule that says what to look up (plan) and how to order it (rank)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from logic_retrievers.types import Leaf, Pool


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate in its place: an index into the pool, the policy's score, and why."""

    index: int
    score: float
    kept: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class Policy(Protocol):
    """Pure and exact: no I/O, no clock, no randomness."""

    name: ClassVar[str]

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """The leaf searches that fill the pool for a list of k."""

    def rank(self, pool: Pool, k: int) -> Sequence[Ranked]:
        """At most k candidates, best first."""
