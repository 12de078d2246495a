"""CoDeR-Union: candidates of two searches, fused and filtered by compatibility."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from logic_retrievers.policies.base import (
    COMPATIBILITY,
    TOPICAL,
    Policy,
    Ranked,
    ReadsNegatedFacts,
    order_by_filter,
)
from logic_retrievers.scoring import mixed_cosines, ordinal_ranks, ranking, reciprocal_ranks
from logic_retrievers.settings import check_choice, check_count, check_number, check_type
from logic_retrievers.types import CandidatePool, VectorQuery

Fusion: TypeAlias = Literal["reciprocal_rank", "cosine"]
"""How the two scores of a passage become one."""


@dataclass(frozen=True)
class UnionPolicy(Policy):
    """Both pools joined (CoDeR, eq. 9), fused, and filtered by compatibility.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``, one of them alone where the other
    vector is missing. With ``fusion="reciprocal_rank"`` it is ``alpha / rank_T + (1 - alpha) /
    rank_C`` (eq. 10 and 11), ranks inside the joint pool: a passage without one of the vectors has
    no rank there, adds nothing for it, and passes no filter. Ranks know no distance: two passages
    that are equally near to the topic lie as far apart as two that are not. So cosines keep more of
    what plain search finds, and ranks keep more violations out. :class:`CoderUnionPolicy` has the
    paper's settings.

    Args:
        alpha: weight of the topical score, in [0, 1].
        keep: the share of the pool that passes the filter, in [0, 1], best compatibility first (a
            reading of the paper's "relative filter percentile", which it does not define); 1
            filters nothing.
        limit: candidates of each of the two searches (at least k).
        backfill: passages that do not pass follow behind; False leaves them out, as the paper does.
        fusion: of cosines, or of ranks, as in the paper.

    Raises:
        ConfigurationError: a setting out of its range.
    """

    alpha: float = 0.5
    keep: float = 1.0
    limit: int = 100
    backfill: bool = True
    fusion: Fusion = "cosine"
    name: ClassVar[str] = "union"

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, 0, 1)
        check_number("keep", self.keep, 0, 1)
        check_count("limit", self.limit)
        check_type("backfill", self.backfill, bool)
        check_choice("fusion", self.fusion, get_args(Fusion))

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """One search on each vector, equally deep."""
        limit = max(self.limit, k)
        return (
            VectorQuery(TOPICAL, TOPICAL, query, limit),
            VectorQuery(COMPATIBILITY, COMPATIBILITY, query, limit),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        """Passages that pass the filter by fused score, then the others by fused score."""
        topical = ordinal_ranks(pool.scores[TOPICAL])
        compatibility = ordinal_ranks(pool.scores[COMPATIBILITY])
        if self.fusion == "cosine":
            fused = mixed_cosines(pool.scores[COMPATIBILITY], pool.scores[TOPICAL], self.alpha)
        else:
            fused = self.alpha * reciprocal_ranks(topical)
            fused = fused + (1 - self.alpha) * reciprocal_ranks(compatibility)
        size = len(fused)
        last = math.ceil(self.keep * size - 1e-9)  # .1 * 30 is a little more than 3
        passed = (compatibility > 0) & (compatibility <= last)
        nothing_passed = self.keep < 1 and not passed.any()
        if nothing_passed or self.keep == 1:
            passed = np.ones(size, dtype=bool)
        order = order_by_filter(ranking(fused), passed, backfill=self.backfill)[:k]
        return [
            Ranked(
                int(i),
                float(fused[i]),
                bool(passed[i]),
                "nothing passed the filter: by fused rank"
                if nothing_passed
                else self._reason(int(topical[i]), int(compatibility[i]), size, last),
            )
            for i in order
        ]

    def _reason(self, topical: int, compatibility: int, size: int, last: int) -> str:
        ranks = (
            f"topical rank {topical or '-'}, compatibility rank {compatibility or '-'} of {size}"
        )
        if self.keep == 1:
            return ranks
        passed = 0 < compatibility <= last
        return f"{ranks}: {'within' if passed else 'outside'} the first {last}"


@dataclass(frozen=True)
class NegatedFactPolicy(ReadsNegatedFacts, UnionPolicy):
    """The union for queries that ask for a negative fact; a judge reads its first candidates.

    ``alpha`` costs nothing on SciFact's train part.
    """

    alpha: float = 0.7


@dataclass(frozen=True)
class CoderUnionPolicy(UnionPolicy):
    """The union with the settings of the paper (CoDeR-Union, eq. 9 to 11)."""

    alpha: float = 0.3
    keep: float = 0.1
    fusion: Fusion = "reciprocal_rank"
    name: ClassVar[str] = "coder-union"
