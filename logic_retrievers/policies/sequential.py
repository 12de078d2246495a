"""CoDeR-Seq: search by topic, then filter and rank by compatibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from logic_retrievers.policies.base import COMPATIBILITY, TOPICAL, Policy, Ranked, order_by_filter
from logic_retrievers.scoring import ranking
from logic_retrievers.settings import check_count, check_number, check_type
from logic_retrievers.types import CandidatePool, VectorQuery


@dataclass(frozen=True)
class SequentialPolicy(Policy):
    """The topical pool, filtered by ``s_C >= tau`` (CoDeR, eq. 7), ranked by eq. 8.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``. Where nothing in the pool reaches
    tau, the topical order stands. A passage without a compatibility vector counts as ``s_C = -1``.

    Args:
        alpha: weight of the topical cosine, in [0, 1].
        tau: least compatibility cosine of a passage that passes the filter, in [-1, 1].
        limit: size of the topical pool (at least k).
        backfill: passages that do not pass follow behind; False leaves them out, as the paper does.

    Raises:
        ConfigurationError: a setting out of its range.
    """

    alpha: float = 0.2
    tau: float = 0.3
    limit: int = 100
    backfill: bool = True
    name: ClassVar[str] = "sequential"

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, 0, 1)
        check_number("tau", self.tau, -1, 1)
        check_count("limit", self.limit)
        check_type("backfill", self.backfill, bool)

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """One search by topic; the pool is scored on compatibility too."""
        return (
            VectorQuery(TOPICAL, TOPICAL, query, max(self.limit, k)),
            VectorQuery(COMPATIBILITY, COMPATIBILITY, query, 0),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        """Passages that pass the filter by fused score, then the others by fused score."""
        topical = pool.scores[TOPICAL]
        compatibility = np.nan_to_num(pool.scores[COMPATIBILITY], nan=-1.0)
        passed = compatibility >= self.tau
        if not passed.any():
            return [
                Ranked(
                    int(i), float(topical[i]), reason=f"nothing reaches tau {self.tau}: by topic"
                )
                for i in ranking(topical)[:k]
            ]
        fused = self.alpha * topical + (1 - self.alpha) * compatibility
        order = order_by_filter(ranking(fused), passed, backfill=self.backfill)[:k]
        return [
            Ranked(int(i), float(fused[i]), bool(passed[i]), self._reason(compatibility[i]))
            for i in order
        ]

    def _reason(self, compatibility: float) -> str:
        verb = "reaches" if compatibility >= self.tau else "stays under"
        return f"compatibility {compatibility:.3f} {verb} tau {self.tau}"
