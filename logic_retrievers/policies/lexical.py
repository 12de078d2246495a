"""Search by words alone, and by words and meaning: what constraints are measured against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from logic_retrievers.policies.base import LEXICAL, TOPICAL, Policy, Ranked, check_depth
from logic_retrievers.policies.single import SingleVectorPolicy
from logic_retrievers.scoring import ordinal_ranks, ranking, weighted_sum
from logic_retrievers.types import Leaf, Pool

RRF_CONSTANT = 60
"""k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


@dataclass(frozen=True)
class LexicalPolicy(SingleVectorPolicy):
    """The sparse ``lexical`` vector alone: what shares no word with the query is not found."""

    name: ClassVar[str] = "lexical"
    vector: ClassVar[str] = LEXICAL
    measure: ClassVar[str] = "score"


@dataclass(frozen=True)
class HybridPolicy(Policy):
    """Plain hybrid search: topical and lexical search of the whole query, fused by their ranks.

    The score is the sum of ``1 / (60 + rank)``. It reads no constraint: :class:`AutoPolicy` does,
    and uses the same two vectors where the collection has both.

    Args:
        depth: candidates of each of the two searches (at least k).

    Raises:
        ConfigurationError: no depth.
    """

    depth: int = 100
    name: ClassVar[str] = "hybrid"

    def __post_init__(self) -> None:
        check_depth(self.depth)

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:
        """One search on each vector, equally deep."""
        depth = max(self.depth, k)
        return tuple(Leaf(vector, vector, query, depth) for vector in (TOPICAL, LEXICAL))

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """By the sum of both."""
        ranks = {vector: ordinal_ranks(pool.scores[vector]) for vector in (TOPICAL, LEXICAL)}
        shares = [np.where(column > 0, 1 / (RRF_CONSTANT + column), 0) for column in ranks.values()]
        fused = weighted_sum(shares, [1.0] * len(shares))
        return [
            Ranked(
                int(i),
                float(fused[i]),
                reason=", ".join(f"{vector} rank {ranks[vector][i] or 'none'}" for vector in ranks),
            )
            for i in ranking(fused)[:k]
        ]
