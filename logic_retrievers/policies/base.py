"""What a policy is: a pure rule that says what to look up (plan) and how to order it (rank)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.types import Leaf, Pool

TOPICAL = "topical"
COMPATIBILITY = "compatibility"
LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate in its place: an index into the pool, the policy's score, and why."""

    index: int
    score: float
    kept: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


class Policy(ABC):
    """Pure and exact: no I/O, no clock, no randomness. Subclass it to write your own."""

    name: ClassVar[str]

    @abstractmethod
    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """The leaf searches that fill the pool for a list of k."""

    @abstractmethod
    def rank(self, pool: Pool, k: int) -> Sequence[Ranked]:
        """At most k candidates, best first."""

    @property
    def server_weights(self) -> tuple[float, ...] | None:
        """Weights of the plan's leaves where the server shall fuse them alone (``weight / rank``).

        None, as a rule: the engine scores the pool and asks :meth:`rank`.
        """
        return None

    @property
    def must_not(self) -> Mapping[str, Any]:
        """Metadata values that no hit may have: ``{field: [values]}``."""
        return {}


class Chooser(ABC):
    """Takes a policy for each query. As pure as a policy."""

    name: ClassVar[str]

    @abstractmethod
    def choose(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The policy for one query.

        Args:
            query: as the caller gave it.
            trained: the named vectors that the collection has and the encoder was trained for.
            constants: of the exclusion, from the encoder's bundle.
        """


def kept_first(
    order: npt.NDArray[np.intp], kept: npt.NDArray[np.bool_], *, cut: bool
) -> npt.NDArray[np.intp]:
    """The kept candidates in their order; behind them the others in theirs, unless ``cut``.

    Args:
        order: candidate indices, best first.
        kept: one flag a candidate.
        cut: leave the others out, as the papers' lists do; the list may then be shorter than k.
    """
    passed = kept[order]
    return order[passed] if cut else np.concatenate([order[passed], order[~passed]])


def values_by_field(filtered: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    """``{field: [values]}`` of pairs, as :attr:`Policy.must_not` has it."""
    found: dict[str, list[Any]] = {}
    for key, value in filtered:
        found.setdefault(key, []).append(value)
    return found


def check_share(name: str, value: float) -> None:
    """Refuses a setting outside [0, 1]."""
    if not 0 <= value <= 1:
        raise ConfigurationError(f"{name} must lie between 0 and 1, not {value}")


def check_depth(depth: int) -> None:
    """Refuses a pool without candidates."""
    if depth < 1:
        raise ConfigurationError(f"depth must be at least 1, not {depth}")
