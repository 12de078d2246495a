"""Scores of Boolean queries: comparable scores of texts, and violations."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_Scores = npt.NDArray[np.float64]

# steepness of two logistic steps, per standard deviation: to "mentions the excluded part", and from
# "rather about the wanted part" to "rather about the excluded one"
_MENTION_STEEPNESS = 2.0
_PREFERENCE_STEEPNESS = 4.0

# from so many candidates on, their own mean and deviation are known well enough
MIN_POOL = 20

# mean and standard deviation of the score of a passage that is unrelated to the text
Background = tuple[float, float]


def standard_scores(scores: _Scores, background: Background | None = None) -> _Scores:
    """Convert scores to standard deviations above the mean of the candidates.

    Cosines to two texts do not compare: every passage is near to "films", few are near to a name.
    Standard scores among the same candidates do.

    Args:
        scores: shape (candidates,); a candidate with NaN gets the lowest score.
        background: stands in for the candidates that are missing to :data:`MIN_POOL`. Otherwise one
            of two passages is always a deviation above their mean, whatever they say.

    Returns:
        Mean 0 and standard deviation 1 over the candidates that have a score and the background;
        all 0 where they have the same.
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
    excluded: _Scores, wanted: _Scores, mention_threshold: float, mention_share: float
) -> _Scores:
    """Violation of an exclusion by each candidate, from 0 to 1.

    A satisfying passage may name the excluded part, so a mention counts in full only if the passage
    is about the excluded part rather than the wanted one.

    Args:
        excluded: standard scores for the excluded part, shape (candidates,).
        wanted: standard scores for the wanted part, shape (candidates,).
        mention_threshold: standard score from which a passage mentions the excluded part.
        mention_share: share of a mention that counts if the passage is about the wanted part.
    """
    mention = 1 / (1 + np.exp(-_MENTION_STEEPNESS * (excluded - mention_threshold)))
    preference = 1 / (1 + np.exp(-_PREFERENCE_STEEPNESS * (excluded - wanted)))
    return mention * (mention_share + (1 - mention_share) * preference)
