"""The candidates of a search for contradictions, ordered and explained: pure, no I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_scores import Values
from logic_retrievers.contradiction.settings import CONTRADICTION, TOPICAL, ContradictionConstants
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.text import unjudgeable_reason
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Evidence, Hit, Passage

POLICY = "contradiction"

MAX_READ = 20
"""Of a search's first candidates, by F, a judge reads so many, and half as many of the nearest."""


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


class RankedCandidates:
    """The candidates of a query, ordered by F, and as hits with evidence.

    Those that a judge has read come first, ordered by its probability; candidates without a
    contradiction vector follow, ordered by cosine.

    Args:
        query: what they are to contradict.
        pool: the candidates, with their topical scores.
        sparsities: of shape (candidates,); NaN for a copy of the statement.
        has_vector: whether each has a contradiction vector.
        constants: of the contradiction vector.

    Attributes:
        order: positions in the pool, best first; without the statement itself and its copies.
    """

    def __init__(
        self,
        query: StatementQuery,
        pool: CandidatePool,
        sparsities: Values,
        has_vector: npt.NDArray[np.bool_],
        constants: ContradictionConstants,
    ) -> None:
        own = np.array([point in query.points for point in pool.ids], dtype=bool)
        left_out = own | (has_vector & np.isnan(sparsities))
        cosines = np.where(left_out, np.nan, pool.scores[TOPICAL])
        sparsities = np.where(left_out, np.nan, sparsities)
        scores = np.round(constants.score(cosines, sparsities), SCORE_DECIMALS)
        # stable: ties stay in the order of the pool, which is by id
        order = np.lexsort((-np.where(has_vector, scores, cosines), ~has_vector))
        self.order = [i for i in order.tolist() if not left_out[i]]
        self._opponent, self._constants = query.opponent, constants
        self._read: list[int] = []
        self._read_threshold = constants.threshold
        self._query_reason = unjudgeable_reason(query.text)
        self._cosines, self._scores = cosines, scores
        self._sparsities = np.round(sparsities, SCORE_DECIMALS)
        probabilities = constants.probability(cosines, sparsities)
        self._probabilities = np.round(probabilities, SCORE_DECIMALS)
        self._ranks = {TOPICAL: ordinal_ranks(cosines), CONTRADICTION: ordinal_ranks(scores)}

    def pairs_to_read(self, least_cosine: float) -> list[CandidatePair]:
        """The statement, 0, with the candidates that a judge reads, each by its position + 1."""
        nearest = sorted(self.order, key=lambda i: -self._cosines[i])[: MAX_READ // 2]
        chosen = dict.fromkeys(self.order[:MAX_READ] + nearest)
        return [
            CandidatePair(
                0,
                i + 1,
                float(self._cosines[i]),
                float(self._scores[i]),
                float(self._probabilities[i]),
                float(self._probabilities[i]),
            )
            for i in chosen
            if not np.isnan(self._sparsities[i]) and self._cosines[i] >= least_cosine
        ]

    def set_read(self, pairs: Sequence[CandidatePair], threshold: float) -> None:
        """Takes the probabilities of the pairs that a judge has read, the strongest first."""
        self._read_threshold = threshold
        answered = [p for p in pairs if p.read or p.probability != p.own_probability]
        for pair in answered:
            self._probabilities[pair.other - 1] = pair.probability
        self._read = [pair.other - 1 for pair in answered]
        self.order = [*self._read, *(i for i in self.order if i not in self._read)]

    def probable(self, min_probability: float | None) -> list[int]:
        """The positions in order; with a minimum only those of at least that probability."""
        if min_probability is None:
            return self.order
        return [i for i in self.order if self._probabilities[i] >= min_probability]

    def unjudgeable(self, position: int, passage: Passage) -> str:
        """Why the candidate at a position of the pool cannot be judged; empty where it can."""
        if np.isnan(self._sparsities[position]):
            return "has no contradiction vector to judge it by"
        reason = self._query_reason or unjudgeable_reason(passage.text)
        return reason and f"one of the two {reason}"

    def hit(self, position: int, passage: Passage, rank: int) -> Hit:
        """The candidate at a position of the pool as a hit."""
        cosine, score = float(self._cosines[position]), _or_none(self._scores[position])
        probability: float | None = None
        conflict = False
        if not (reason := self.unjudgeable(position, passage)):
            probability = float(self._probabilities[position])
            is_read = position in self._read
            threshold = self._read_threshold if is_read else self._constants.threshold
            conflict = probability >= threshold
            reason = f"contradicts it with probability {probability:.2f}"
            if not conflict:
                reason += f" only, which is under the threshold of {threshold:.2f}"
        evidence = Evidence(
            policy=POLICY,
            scores={TOPICAL: cosine, CONTRADICTION: score},
            ranks={name: int(ranks[position]) or None for name, ranks in self._ranks.items()},
            passed_filter=score is not None,
            reason=reason,
            details={
                "sparsity": _or_none(self._sparsities[position]),
                "probability": probability,
                "alpha": self._constants.alpha,
                "conflict": conflict,
                "opponent": self._opponent,
                "read": position in self._read,
            },
        )
        return Hit(passage, rank, cosine if score is None else score, evidence)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
