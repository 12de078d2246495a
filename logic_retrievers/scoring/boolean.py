"""What Boolean queries calculate with: comparable scores of texts, and violations."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_Scores = npt.NDArray[np.float64]

_MENTION_STEEPNESS = 2.0
"""Of the logistic step to "speaks of what is excluded", per standard deviation."""
_PREFERENCE_STEEPNESS = 4.0
"""Of the step from "rather about the wanted part" to "rather about the excluded one"."""

MIN_POOL = 20
"""Candidates from which their own mean and deviation are known well enough."""

Background = tuple[float, float]
"""Mean and standard deviation of the score of a passage that has nothing to do with the text."""


def standard_scores(scores: _Scores, background: Background | None = None) -> _Scores:
    """Scores as standard deviations above the mean of the candidates.

    Cosines to two texts do not compare: every passage is near to "films", few are near to a name.
    How far a passage stands out among the same candidates does.

    Args:
        scores: shape (candidates,), NaN where a candidate has none; it gets the lowest.
        background: stands in for the candidates that are missing to :data:`MIN_POOL`. Of two
            passages one is always a deviation above their mean, whatever they say.

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
    """How much candidates violate an exclusion, from 0 to 1.

    A passage that satisfies the query may well name what is excluded; so it counts in full only
    where a passage speaks of that rather than of what is wanted.

    Args:
        excluded: standard scores of what is excluded, shape (candidates,).
        wanted: standard scores of what is wanted, shape (candidates,).
        mention_threshold: standard score from which a passage speaks of what is excluded.
        mention_share: what counts of it where the passage is much more about what is wanted.
    """
    mention = 1 / (1 + np.exp(-_MENTION_STEEPNESS * (excluded - mention_threshold)))
    preference = 1 / (1 + np.exp(-_PREFERENCE_STEEPNESS * (excluded - wanted)))
    return mention * (mention_share + (1 - mention_share) * preference)
