"""Union: candidates of two searches, fused, and filtered by compatibility; CoDeR's and ours."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

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
from logic_retrievers.scoring import (
    mixed_cosines,
    ordinal_ranks,
    ranking,
    reciprocal_ranks,
    weighted_sum,
)
from logic_retrievers.types import Leaf, Pool

KeepRule: TypeAlias = Literal["share_kept", "share_dropped", "reciprocal_rank"]
"""Readings of the paper's "relative filter percentile", which it does not define."""

Fusion: TypeAlias = Literal["reciprocal_rank", "cosine"]
"""How the two scores of a passage become one."""


@dataclass(frozen=True)
class UnionPolicy(Policy):
    """Both pools joined (CoDeR, eq. 9), fused, and filtered by compatibility.

    The score of a hit is ``alpha * s_T + (1 - alpha) * s_C``, one of them alone where the other
    vector is missing. With
    ``fusion="reciprocal_rank"`` it is ``alpha / rank_T + (1 - alpha) / rank_C`` (eq. 10 and 11),
    ranks inside the joint pool: a passage without one of the vectors has no rank there, adds
    nothing for it, and passes no filter. Ranks know no distance: two passages that are equally near
    to the topic lie as far apart as two that are not. So cosines keep more of what plain search
    finds, ranks keep more violations out; :class:`CoderUnionPolicy` has the paper's settings.

    Args:
        alpha: weight of the topical score, in [0, 1].
        keep: the filter's percentile, in [0, 1]; ``share_kept`` keeps all with 1, the other rules
            with 0.
        rule: what ``keep`` means. ``share_kept``: that share of the pool stays, best compatibility
            first. ``share_dropped``: that share goes, worst compatibility first.
            ``reciprocal_rank``: ``1 / rank_C >= keep`` stays.
        depth: candidates of each of the two searches (at least k are taken).
        cut: leave out what did not pass, as the paper does; otherwise it follows behind.
        one_request: let the server search, rescore and fuse in one request. Only without a filter
            (its size depends on the pool's, which no request can say); hits carry no single scores,
            ties fall as the server has it, exact on one shard only. Needs Qdrant 1.17 or later.
        fusion: of cosines, or of ranks, as the paper has it.

    Raises:
        ConfigurationError: a setting out of its range, or ``one_request`` with a filter or cosines.
    """

    alpha: float = 0.5
    keep: float = 1.0
    rule: KeepRule = "share_kept"
    depth: int = 100
    cut: bool = False
    one_request: bool = False
    fusion: Fusion = "cosine"
    name: ClassVar[str] = "union"

    def __post_init__(self) -> None:
        check_share("alpha", self.alpha)
        check_share("keep", self.keep)
        check_depth(self.depth)
        if self.rule not in get_args(KeepRule):
            raise ConfigurationError(
                f"unknown rule {self.rule!r}; one of {', '.join(get_args(KeepRule))}"
            )
        if self.fusion not in get_args(Fusion):
            raise ConfigurationError(
                f"unknown fusion {self.fusion!r}; one of {', '.join(get_args(Fusion))}"
            )
        if self.one_request and (self._filters or self.fusion != "reciprocal_rank"):
            raise ConfigurationError(
                "one_request can only fuse ranks, without a filter: use keep=1.0 and "
                "fusion='reciprocal_rank' with it, or leave one_request out"
            )

    @property
    def _filters(self) -> bool:
        return self.keep < 1 if self.rule == "share_kept" else self.keep > 0

    @property
    def server_weights(self) -> tuple[float, ...] | None:
        """Weights of topical and compatibility rank, where ``one_request`` asks for it."""
        return (self.alpha, 1 - self.alpha) if self.one_request else None

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """One search on each vector, equally deep."""
        depth = max(self.depth, k)
        return (
            Leaf(TOPICAL, TOPICAL, query, depth),
            Leaf(COMPATIBILITY, COMPATIBILITY, query, depth),
        )

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """Kept passages by fused score, then the others by fused score."""
        topical = ordinal_ranks(pool.scores[TOPICAL])
        compatibility = ordinal_ranks(pool.scores[COMPATIBILITY])
        if self.fusion == "cosine":
            fused = mixed_cosines(pool.scores[COMPATIBILITY], pool.scores[TOPICAL], self.alpha)
        else:
            signals = [reciprocal_ranks(topical), reciprocal_ranks(compatibility)]
            fused = weighted_sum(signals, [self.alpha, 1 - self.alpha])
        kept = self._kept(compatibility)
        nothing_passed = not kept.any()
        if nothing_passed:
            kept = np.ones(len(kept), dtype=bool)
        order = kept_first(ranking(fused), kept, cut=self.cut)[:k]
        last = self._last_rank(len(kept))
        return [
            Ranked(
                int(i),
                float(fused[i]),
                bool(kept[i]),
                "nothing passed the filter: by fused rank"
                if nothing_passed
                else self._reason(int(topical[i]), int(compatibility[i]), len(kept), last),
            )
            for i in order
        ]

    def _last_rank(self, size: int) -> int:
        """The last compatibility rank that passes in a pool of that size (eq. 11's gamma)."""
        slack = 1e-9  # .1 * 30 is a little more than 3 in floating point
        if self.rule == "share_kept":
            return math.ceil(self.keep * size - slack)
        if self.rule == "share_dropped":
            return size - math.floor(self.keep * size + slack)
        return size if self.keep == 0 else math.floor(1 / self.keep + slack)

    def _kept(self, compatibility: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        if not self._filters:
            return np.ones(len(compatibility), dtype=bool)
        return (compatibility > 0) & (compatibility <= self._last_rank(len(compatibility)))

    def _reason(self, topical: int, compatibility: int, size: int, last: int) -> str:
        place = (
            f"topical rank {topical or '-'}, compatibility rank {compatibility or '-'} of {size}"
        )
        if not self._filters:
            return place
        passed = 0 < compatibility <= last
        return f"{place}: {'within' if passed else 'outside'} the first {last}"


@dataclass(frozen=True)
class CoderUnionPolicy(UnionPolicy):
    """The union with the settings of the paper (CoDeR-Union, eq. 9 to 11)."""

    alpha: float = 0.3
    keep: float = 0.1
    fusion: Fusion = "reciprocal_rank"
    name: ClassVar[str] = "coder-union"
