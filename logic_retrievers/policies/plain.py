"""Policies that read no constraint: search on one vector, and hybrid search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.checks import check_count
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    LEXICAL,
    TOPICAL,
    JudgeRequest,
    Policy,
    Ranked,
    ReadsNegatedFacts,
)
from logic_retrievers.scoring import ranking
from logic_retrievers.types import CandidatePool, VectorQuery


class SingleVectorPolicy(Policy):
    """Ranks by the score of one search for the whole query."""

    vector: ClassVar[str]
    measure: ClassVar[str] = "cosine"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        return (VectorQuery(self.vector, self.vector, query, k),)

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
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
class TopicalNegatedFactPolicy(ReadsNegatedFacts, TopicalPolicy):
    """Plain search for a negative fact; a judge reads its first candidates."""


@dataclass(frozen=True)
class JudgePolicy(TopicalPolicy):
    """The judge alone: the first topical candidates of every query in the order of its margin."""

    name: ClassVar[str] = "judge"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        # deeper than any judge reads by default
        return super().plan(query, max(100, k))

    def judge_request(self, query: str) -> JudgeRequest:
        return JudgeRequest(query, None)


@dataclass(frozen=True)
class CompatibilityPolicy(SingleVectorPolicy):
    """The compatibility vector alone; for measuring an encoder."""

    name: ClassVar[str] = "compatibility"
    vector: ClassVar[str] = COMPATIBILITY


@dataclass(frozen=True)
class LexicalPolicy(SingleVectorPolicy):
    """The sparse ``lexical`` vector alone: only passages that share a word with the query."""

    name: ClassVar[str] = "lexical"
    vector: ClassVar[str] = LEXICAL
    measure: ClassVar[str] = "score"


@dataclass(frozen=True)
class HybridPolicy(Policy):
    """Plain hybrid search: topical and lexical search for the whole query, fused by score.

    The score is the mean of both scores, each divided by the best of the candidates (CombSUM, Fox
    and Shaw 1994): 1 for a passage that is best by both. It reads no constraint:
    :class:`AutoPolicy` does, with the same two vectors if the collection has both.

    Args:
        limit: candidates of each of the two searches (at least k).
    """

    limit: int = 100
    name: ClassVar[str] = "hybrid"

    def __post_init__(self) -> None:
        check_count("limit", self.limit)

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        limit = max(self.limit, k)
        return tuple(VectorQuery(vector, vector, query, limit) for vector in (TOPICAL, LEXICAL))

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        shares = {vector: _shares_of_best(pool.scores[vector]) for vector in (TOPICAL, LEXICAL)}
        fused = (shares[TOPICAL] + shares[LEXICAL]) / 2
        return [
            Ranked(
                int(i),
                float(fused[i]),
                reason=", ".join(
                    f"{100 * share[i]:.0f} % of the best {vector} score"
                    for vector, share in shares.items()
                ),
            )
            for i in ranking(fused)[:k]
        ]


def _shares_of_best(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each score as a share of the best one; 0 for a negative or missing score."""
    present = np.nan_to_num(scores).clip(min=0)
    best = float(present.max(initial=0))
    return np.asarray(present / (best or 1.0))
