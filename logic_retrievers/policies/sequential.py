"""CoDeR-Seq: search by topic, then filter and order by compatibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    TOPICAL,
    Policy,
    Ranked,
    check_depth,
    check_share,
    kept_first,
)
from logic_retrievers.scoring import ranking, weighted_sum
from logic_retrievers.types import Leaf, Pool


@dataclass(frozen=True)
class SequentialPolicy(Policy):
    """The topical pool, filtered by ``s_C >= tau`` (CoDeR, eq. 7), ranked by eq. 8.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``. Where nothing in the pool reaches
    tau, the topical order stands. A passage without a compatibility vector counts as ``s_C = -1``.

    Args:
        alpha: weight of the topical cosine, in [0, 1].
        tau: least compatibility cosine of a passage that is kept, in [-1, 1].
        depth: size of the topical pool (at least k is taken).
        cut: leave out what did not pass, as the paper does; otherwise it follows behind.

    Raises:
        ConfigurationError: a setting out of its range.
    """

    alpha: float = 0.2
    tau: float = 0.3
    depth: int = 100
    cut: bool = False
    name: ClassVar[str] = "sequential"

    def __post_init__(self) -> None:
        check_share("alpha", self.alpha)
        check_depth(self.depth)
        if not -1 <= self.tau <= 1:
            raise ConfigurationError(f"tau must lie between -1 and 1, not {self.tau}")

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """One search by topic; the pool is scored on compatibility too."""
        return (
            Leaf(TOPICAL, TOPICAL, query, max(self.depth, k)),
            Leaf(COMPATIBILITY, COMPATIBILITY, query, 0),
        )

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """Kept passages by fused score, then the others by fused score."""
        topical = pool.scores[TOPICAL]
        compatibility = np.nan_to_num(pool.scores[COMPATIBILITY], nan=-1.0)
        kept = compatibility >= self.tau
        if not kept.any():
            return [
                Ranked(
                    int(i), float(topical[i]), reason=f"nothing reaches tau {self.tau}: by topic"
                )
                for i in ranking(topical)[:k]
            ]
        fused = weighted_sum([topical, compatibility], [self.alpha, 1 - self.alpha])
        order = kept_first(ranking(fused), kept, cut=self.cut)[:k]
        return [
            Ranked(int(i), float(fused[i]), bool(kept[i]), self._reason(compatibility[i]))
            for i in order
        ]

    def _reason(self, compatibility: float) -> str:
        side = "reaches" if compatibility >= self.tau else "stays under"
        return f"compatibility {compatibility:.3f} {side} tau {self.tau}"
