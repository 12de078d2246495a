"""The candidates of a search for contradictions, ordered and explained: pure, no I/O."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.script import unjudged
from logic_retrievers.contradiction.settings import CONTRADICTION, TOPICAL, ContradictionSettings
from logic_retrievers.index.pools import DECIMALS
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import Evidence, Hit, Passage, Pool

POLICY = "contradiction"

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two that contradict each other: what is asked about.

    Args:
        text: what it says.
        opponent: what a hit's evidence calls it: the statement itself, or the id of a passage.
        vectors: vector name -> shape (dimension,).
        points: of its own in the collection, which are no candidates.
    """

    text: str
    opponent: str
    vectors: Mapping[str, npt.NDArray[Any]]
    points: Collection[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Candidates in order, with what each is judged by; arrays of shape (candidates,).

    Args:
        order: places in the pool, best first; without the side itself and its copies.
        cosines: topical; NaN where a candidate is left out.
        sparsities: Hoyer; NaN where a candidate is left out or has no contradiction vector.
        scores: F; NaN likewise.
        probabilities: of a contradiction.
    """

    order: tuple[int, ...]
    cosines: Values
    sparsities: Values
    scores: Values
    probabilities: Values

    def likely(self, least: float | None) -> list[int]:
        """The places in order; only those of at least this probability where one is given."""
        return [
            place for place in self.order if least is None or self.probabilities[place] >= least
        ]

    def ranks(self) -> dict[str, npt.NDArray[np.integer]]:
        """Leaf -> 1-based rank of each candidate; 0 where it has none."""
        return {TOPICAL: ordinal_ranks(self.cosines), CONTRADICTION: ordinal_ranks(self.scores)}


def ranking(
    side: Side,
    pool: Pool,
    sparsities: Values,
    stored: npt.NDArray[np.bool_],
    settings: ContradictionSettings,
) -> Ranking:
    """Orders by F; candidates without a contradiction vector follow behind, by their cosine.

    Args:
        side: what they stand against.
        pool: the candidates, scored on the topical vector.
        sparsities: shape (candidates,); NaN for a copy of the side.
        stored: whether each has a contradiction vector.
        settings: constants.
    """
    own = np.array([point in side.points for point in pool.ids], dtype=bool)
    left_out = own | (stored & np.isnan(sparsities))
    cosines = np.where(left_out, np.nan, pool.scores[TOPICAL])
    sparsities = np.where(left_out, np.nan, sparsities)
    scores = np.round(settings.score(cosines, sparsities), DECIMALS)
    # ties by id, in whose order the pool is
    order = np.lexsort((-np.where(stored, scores, cosines), ~stored))
    return Ranking(
        tuple(place for place in order.tolist() if not left_out[place]),
        cosines,
        np.round(sparsities, DECIMALS),
        scores,
        np.round(settings.probability(cosines, sparsities), DECIMALS),
    )


class Explainer:
    """Makes hits of ranked candidates.

    Args:
        side: what they stand against.
        ranked: the candidates.
        settings: constants.
    """

    def __init__(self, side: Side, ranked: Ranking, settings: ContradictionSettings) -> None:
        self._side, self._ranked, self._settings = side, ranked, settings
        self._ranks = ranked.ranks()
        self._unjudged = unjudged(side.text)

    def probability(self, place: int, passage: Passage) -> float | None:
        """Of a contradiction; None where it cannot be told."""
        return None if self._why_not(place, passage) else float(self._ranked.probabilities[place])

    def hit(self, place: int, passage: Passage, rank: int) -> Hit:
        """The candidate at a place of the pool as a hit."""
        ranked = self._ranked
        cosine, sparsity = float(ranked.cosines[place]), _or_none(ranked.sparsities[place])
        score = _or_none(ranked.scores[place])
        probability = self.probability(place, passage)
        conflict = probability is not None and probability >= self._settings.threshold
        evidence = Evidence(
            policy=POLICY,
            scores={TOPICAL: cosine, CONTRADICTION: score},
            ranks={leaf: int(column[place]) or None for leaf, column in self._ranks.items()},
            kept=score is not None,
            reason=self._reason(place, passage),
            details={
                "sparsity": sparsity,
                "probability": probability,
                "alpha": self._settings.alpha,
                "conflict": conflict,
                "opponent": self._side.opponent,
            },
        )
        return Hit(passage, rank, cosine if score is None else score, evidence)

    def _why_not(self, place: int, passage: Passage) -> str:
        """Why the candidate cannot be judged; empty where it can."""
        if np.isnan(self._ranked.sparsities[place]):
            return "has no contradiction vector to judge it by"
        why = self._unjudged or unjudged(passage.text)
        return why and f"one of the two {why}"

    def _reason(self, place: int, passage: Passage) -> str:
        if why_not := self._why_not(place, passage):
            return why_not
        likely, threshold = self._ranked.probabilities[place], self._settings.threshold
        told = f"contradicts it with probability {likely:.2f}"
        if likely >= threshold:
            return told
        return f"{told} only, which is under the threshold of {threshold:.2f}"


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
