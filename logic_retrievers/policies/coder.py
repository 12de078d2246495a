"""CoDeR: sequential and union retrieval, filtered by compatibility."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from logic_retrievers.checks import check_choice, check_count, check_number, check_type
from logic_retrievers.policies.base import COMPATIBILITY, TOPICAL, Policy, Ranked
from logic_retrievers.scoring import mixed_cosines, ordinal_ranks, ranking, reciprocal_ranks
from logic_retrievers.types import CandidatePool, VectorQuery

Fusion: TypeAlias = Literal["reciprocal_rank", "cosine"]


@dataclass(frozen=True)
class SequentialPolicy(Policy):
    """Filters the topical pool by ``s_C >= tau`` (CoDeR, eq. 7) and ranks it by eq. 8.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``, from its topical and compatibility
    cosines. If no passage reaches tau, the topical order stands. A passage without a
    compatibility vector has ``s_C = -1``.

    Args:
        alpha: weight of the topical cosine, in [0, 1].
        tau: least compatibility cosine of a passage that passes the filter, in [-1, 1].
        limit: size of the topical pool; k if larger.
        backfill: True puts passages that fail the filter last; False drops them, as in the paper.

    Raises:
        ConfigurationError: a setting is out of its range.
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
        return (
            VectorQuery(TOPICAL, TOPICAL, query, max(self.limit, k)),
            VectorQuery(COMPATIBILITY, COMPATIBILITY, query, 0),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        topical = pool.scores[TOPICAL]
        compatibility = np.nan_to_num(pool.scores[COMPATIBILITY], nan=-1.0)
        passed = compatibility >= self.tau
        if not passed.any():
            reason = f"nothing reaches tau {self.tau}: by topic"
            order = ranking(topical)[:k]
            return [Ranked(int(i), float(topical[i]), reason=reason) for i in order]
        fused = self.alpha * topical + (1 - self.alpha) * compatibility
        ranked = []
        for i in _order_by_filter(ranking(fused), passed, backfill=self.backfill)[:k]:
            verb = "reaches" if passed[i] else "stays under"
            reason = f"compatibility {compatibility[i]:.3f} {verb} tau {self.tau}"
            ranked.append(Ranked(int(i), float(fused[i]), bool(passed[i]), reason))
        return ranked


@dataclass(frozen=True)
class UnionPolicy(Policy):
    """Joins both pools (CoDeR, eq. 9), fuses the scores, and filters by compatibility.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``, or the only cosine if the other
    vector is missing. With ``fusion="reciprocal_rank"`` the score is ``alpha / rank_T + (1 - alpha)
    / rank_C`` (eq. 10 and 11), with ranks inside the joint pool. A missing vector then adds
    nothing. A passage without a compatibility vector fails every filter. Ranks ignore distances:
    passages that are equally near to the topic still get different ranks. So cosines keep more of
    plain search's results, and ranks keep more violations out. :class:`CoderUnionPolicy` has the
    paper's settings.

    Args:
        alpha: weight of the topical score, in [0, 1].
        keep: share of the pool that passes the filter, in [0, 1], best compatibility first; 1
            filters nothing. The paper does not define its "relative filter percentile".
        limit: candidates per search; k if larger.
        backfill: True puts passages that fail the filter last; False drops them, as in the paper.
        fusion: fuses cosines, or ranks as in the paper.

    Raises:
        ConfigurationError: a setting is out of its range.
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
        limit = max(self.limit, k)
        return (
            VectorQuery(TOPICAL, TOPICAL, query, limit),
            VectorQuery(COMPATIBILITY, COMPATIBILITY, query, limit),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
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
        order = _order_by_filter(ranking(fused), passed, backfill=self.backfill)[:k]
        ranked = []
        for i in order:
            reason = f"topical rank {topical[i] or '-'}, compatibility rank "
            reason += f"{compatibility[i] or '-'} of {size}"
            if nothing_passed:
                reason = "nothing passed the filter: by the fused score"
            elif self.keep < 1:
                reason += f": {'within' if passed[i] else 'outside'} the first {last}"
            ranked.append(Ranked(int(i), float(fused[i]), bool(passed[i]), reason))
        return ranked


@dataclass(frozen=True)
class CoderUnionPolicy(UnionPolicy):
    """The union with the settings of the paper (CoDeR-Union, eq. 9 to 11)."""

    alpha: float = 0.3
    keep: float = 0.1
    fusion: Fusion = "reciprocal_rank"
    name: ClassVar[str] = "coder-union"


def _order_by_filter(
    order: npt.NDArray[np.intp], passed_filter: npt.NDArray[np.bool_], *, backfill: bool
) -> npt.NDArray[np.intp]:
    """Put candidates that passed the filter first, then the others; keep the order inside both.

    Without ``backfill`` the others are left out as in the paper, so fewer than k may remain.
    """
    passed = passed_filter[order]
    return np.concatenate([order[passed], order[~passed]]) if backfill else order[passed]
