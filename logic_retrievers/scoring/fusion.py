"""Turn scores into ranks, combine scores, and measure how far a passage violates a query.

Position breaks ties, so sort candidates by id first. ``Scores`` have shape (candidates,).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Scores: TypeAlias = npt.NDArray[np.float64]
# mean and standard deviation of the scores of passages unrelated to the text
Background: TypeAlias = tuple[float, float]

# steepness, per standard deviation, of the logistic step to "mentions the excluded part"
_MENTION_STEEPNESS = 2.0
# steepness of the step from "mainly about the wanted part" to "mainly about the excluded part"
_PREFERENCE_STEEPNESS = 4.0

# minimum candidates to estimate the mean and deviation of their scores
MIN_POOL = 20


def ranking(scores: Scores) -> npt.NDArray[np.intp]:
    """Return the indices of the candidates, best score first; ties by position, NaN last."""
    return np.argsort(-scores, kind="stable")


def ordinal_ranks(scores: Scores) -> npt.NDArray[np.int64]:
    """Return the 1-based rank of every candidate, without ties; 0 (no rank) for NaN."""
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[ranking(scores)] = np.arange(1, len(scores) + 1)
    ranks[np.isnan(scores)] = 0
    return ranks


def reciprocal_ranks(ranks: npt.NDArray[np.int64]) -> Scores:
    """Return ``1 / rank`` (CoDeR, eq. 10); 0 for a candidate without a rank (rank 0)."""
    result = np.zeros(len(ranks), dtype=np.float64)
    np.divide(1.0, ranks, out=result, where=ranks > 0)
    return result


def mixed_cosines(first: Scores, second: Scores, share: float) -> Scores:
    """Return ``(1 - share) * first + share * second``; if one is NaN, the other; if both, -1.

    While a collection is being back-filled, a candidate may lack a vector. The score by the other
    vector alone is still comparable.
    """
    mean = (1 - share) * first + share * second
    mean = np.where(np.isnan(second), first, np.where(np.isnan(first), second, mean))
    return np.nan_to_num(mean, nan=-1.0)


def standard_scores(scores: Scores, background: Background | None = None) -> Scores:
    """Convert scores to standard deviations above the mean of the candidates.

    Cosines to two texts cannot be compared, because every passage is near to "films" and few are
    near to a name. Standard scores of the same candidates can be compared.

    Args:
        scores: a candidate with NaN gets the lowest score.
        background: stands in for missing candidates if there are fewer than :data:`MIN_POOL`.
            Without it, one of two candidates is always one standard deviation above their mean.

    Returns:
        Scores with mean 0 and standard deviation 1 over the scored candidates and the background;
        all 0 if these do not differ, or no candidate is scored.
    """
    is_scored = ~np.isnan(scores)
    count = int(is_scored.sum())
    if not count:
        return np.zeros_like(scores)
    mean, deviation = float(scores[is_scored].mean()), float(scores[is_scored].std())
    if background is not None and count < MIN_POOL:
        share = count / MIN_POOL
        distance = (1 - share) * (background[0] - mean)
        variance = share * deviation**2 + (1 - share) * background[1] ** 2
        deviation = math.sqrt(variance + share / (1 - share) * distance**2)
        mean += distance
    if deviation < 1e-9:
        return np.zeros_like(scores)
    standard = (scores - mean) / deviation
    return np.where(is_scored, standard, float(standard[is_scored].min()))


def violation(
    excluded: Scores, wanted: Scores, mention_threshold: float, mention_share: float
) -> Scores:
    """Return how far each candidate violates an exclusion, from 0 to 1.

    A satisfying passage may name the excluded part. So a mention counts in full only if the passage
    is more about the excluded part than about the wanted one.

    Args:
        excluded: standard scores for the excluded part.
        wanted: standard scores for the wanted part.
        mention_threshold: standard score at which the mention counts half.
        mention_share: share of a mention that counts if the passage is about the wanted part.
    """
    mention = 1 / (1 + np.exp(-_MENTION_STEEPNESS * (excluded - mention_threshold)))
    preference = 1 / (1 + np.exp(-_PREFERENCE_STEEPNESS * (excluded - wanted)))
    return mention * (mention_share + (1 - mention_share) * preference)


def maximal_marginal_relevance(
    relevance: npt.NDArray[np.floating],
    similarities: npt.NDArray[np.floating],
    k: int,
    weight: float = 0.5,
) -> list[int]:
    """Choose items one by one, by relevance minus similarity to the items chosen before.

    Carbonell and Goldstein 1998, *The Use of MMR*: the next item maximises ``weight * relevance -
    (1 - weight) * max similarity``. Among equal items the first is chosen.

    A ``weight`` of 1 orders by relevance alone. ``similarities`` has shape (items, items).

    Returns:
        Positions of the items in the order in which they were chosen.
    """
    chosen: list[int] = []
    likeness = np.zeros(len(relevance))
    left = np.ones(len(relevance), dtype=bool)
    while len(chosen) < min(k, len(relevance)):
        values = np.where(left, weight * relevance - (1 - weight) * likeness, -np.inf)
        item = int(np.argmax(values))
        likeness = similarities[item] if not chosen else np.maximum(likeness, similarities[item])
        left[item] = False
        chosen.append(item)
    return chosen
