"""The candidates of a search for contradictions, ordered and explained: pure, no I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.latin_script import unjudgeable_reason
from logic_retrievers.contradiction.pair_scores import Values, VectorScores
from logic_retrievers.contradiction.settings import CONTRADICTION, TOPICAL, ContradictionConstants
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Evidence, Hit, Passage

POLICY = "contradiction"


@dataclass(frozen=True, slots=True, eq=False)
class StatementQuery:
    """The statement, or stored passage, that the hits are to contradict.

    ``opponent`` is its name in a hit's evidence: the statement itself, or the id of a passage.
    Vectors have shape (dimension,). ``points``, its own in the collection, are no candidates.
    """

    text: str
    opponent: str
    vectors: Mapping[str, npt.NDArray[Any]]
    points: Collection[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class RankedCandidates:
    """Candidates in order, with their scores.

    Args:
        order: positions in the pool, best first; without the statement itself and its copies.
        scores: of shape (candidates,); all but the probabilities are NaN where a candidate is left
            out, sparsities and F also where it has no contradiction vector.
    """

    order: tuple[int, ...]
    scores: VectorScores

    def probable(self, min_probability: float | None) -> list[int]:
        """The positions in order; with a minimum only those of at least that probability."""
        if min_probability is None:
            return list(self.order)
        return [i for i in self.order if self.scores.probabilities[i] >= min_probability]


def rank_candidates(
    query: StatementQuery,
    pool: CandidatePool,
    sparsities: Values,
    has_vector: npt.NDArray[np.bool_],
    constants: ContradictionConstants,
) -> RankedCandidates:
    """Orders by F; candidates without a contradiction vector follow, ordered by cosine.

    ``sparsities`` (NaN for a copy of the statement) and ``has_vector`` have shape (candidates,).
    """
    own = np.array([point in query.points for point in pool.ids], dtype=bool)
    left_out = own | (has_vector & np.isnan(sparsities))
    cosines = np.where(left_out, np.nan, pool.scores[TOPICAL])
    sparsities = np.where(left_out, np.nan, sparsities)
    scores = np.round(constants.score(cosines, sparsities), SCORE_DECIMALS)
    # stable: ties stay in the order of the pool, which is by id
    order = np.lexsort((-np.where(has_vector, scores, cosines), ~has_vector))
    probabilities = np.round(constants.probability(cosines, sparsities), SCORE_DECIMALS)
    return RankedCandidates(
        tuple(i for i in order.tolist() if not left_out[i]),
        VectorScores(cosines, np.round(sparsities, SCORE_DECIMALS), scores, probabilities),
    )


class HitBuilder:
    """Builds hits from ranked candidates."""

    def __init__(
        self, query: StatementQuery, ranked: RankedCandidates, constants: ContradictionConstants
    ) -> None:
        self._query, self._scores, self._constants = query, ranked.scores, constants
        self._ranks = {
            TOPICAL: ordinal_ranks(self._scores.cosines),
            CONTRADICTION: ordinal_ranks(self._scores.scores),
        }
        self._query_reason = unjudgeable_reason(query.text)

    def probability(self, position: int, passage: Passage) -> float | None:
        """Of a contradiction; None where the candidate cannot be judged."""
        if self._unjudgeable_reason(position, passage):
            return None
        return float(self._scores.probabilities[position])

    def hit(self, position: int, passage: Passage, rank: int) -> Hit:
        """The candidate at a position of the pool as a hit."""
        scores = self._scores
        cosine, sparsity = float(scores.cosines[position]), _or_none(scores.sparsities[position])
        score = _or_none(scores.scores[position])
        probability = self.probability(position, passage)
        conflict = probability is not None and probability >= self._constants.threshold
        evidence = Evidence(
            policy=POLICY,
            scores={TOPICAL: cosine, CONTRADICTION: score},
            ranks={name: int(ranks[position]) or None for name, ranks in self._ranks.items()},
            passed_filter=score is not None,
            reason=self._reason(position, passage),
            details={
                "sparsity": sparsity,
                "probability": probability,
                "alpha": self._constants.alpha,
                "conflict": conflict,
                "opponent": self._query.opponent,
            },
        )
        return Hit(passage, rank, cosine if score is None else score, evidence)

    def _unjudgeable_reason(self, position: int, passage: Passage) -> str:
        """Why the candidate cannot be judged; empty where it can."""
        if np.isnan(self._scores.sparsities[position]):
            return "has no contradiction vector to judge it by"
        reason = self._query_reason or unjudgeable_reason(passage.text)
        return reason and f"one of the two {reason}"

    def _reason(self, position: int, passage: Passage) -> str:
        if reason := self._unjudgeable_reason(position, passage):
            return reason
        probability, threshold = self._scores.probabilities[position], self._constants.threshold
        reason = f"contradicts it with probability {probability:.2f}"
        if probability >= threshold:
            return reason
        return f"{reason} only, which is under the threshold of {threshold:.2f}"


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
