"""Whether a probability means what it says, by how much it does not, and how that is mended."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.bool_]
Binning: TypeAlias = Literal["mass", "width"]

BINS = 10
NEWTON_STEPS = 25
LEAST = 1e-6
"""Probabilities nearer to 0 or 1 have the log-odds of this one."""


class Bin(NamedTuple):
    """Rows of neighbouring probabilities: what was predicted, what came, and how many they are."""

    predicted: float
    observed: float
    places: npt.NDArray[np.intp]


def reliability(
    positive: Labels, probabilities: Values, bins: int = BINS, binning: Binning = "mass"
) -> list[Bin]:
    """Mean probability and share of positives of each bin, by rising probability.

    Args:
        positive: what came.
        probabilities: of its coming.
        bins: at most so many; empty ones are left out.
        binning: ``mass``: as many rows in each, as near as equal probabilities let them, for those
            stay together; ``width``: equal steps of probability.
    """
    if binning == "width":
        numbers = np.minimum((probabilities * bins).astype(np.intp), bins - 1)
    else:
        _, inverse, counts = np.unique(probabilities, return_inverse=True, return_counts=True)
        middles = np.cumsum(counts) - counts / 2
        numbers = (middles * bins / max(1, len(probabilities))).astype(np.intp)[inverse]
    members = [np.flatnonzero(numbers == number) for number in range(bins)]
    return [
        Bin(float(probabilities[here].mean()), float(positive[here].mean()), here)
        for here in members
        if len(here)
    ]


def calibration_error(
    positive: Labels, probabilities: Values, bins: int = BINS, binning: Binning = "mass"
) -> float:
    """Expected calibration error: mean distance of predicted and observed, weighted by rows.

    Of a perfectly calibrated sample it is not 0 but grows with the bins and shrinks with the rows.
    """
    found = reliability(positive, probabilities, bins, binning)
    apart = sum(len(one.places) * abs(one.predicted - one.observed) for one in found)
    return float(apart / len(probabilities))


def platt(positive: Labels, probabilities: Values) -> tuple[float, float]:
    """Slope and intercept that turn log-odds into those that fit what came (Platt 1999).

    Maximum likelihood by Newton's steps, with Platt's targets, which keep both finite where
    everything is told apart.
    """
    right = int(positive.sum())
    targets = np.where(positive, (right + 1) / (right + 2), 1 / (len(positive) - right + 2))
    rows = np.column_stack([_log_odds(probabilities), np.ones(len(probabilities))])
    found = np.zeros(2)
    for _ in range(NEWTON_STEPS):
        said = (1 + np.tanh(rows @ found / 2)) / 2
        curvature = (rows * (said * (1 - said))[:, None]).T @ rows
        found -= np.linalg.solve(curvature + 1e-9 * np.eye(2), rows.T @ (said - targets))
    return float(found[0]), float(found[1])


def crossed_platt(positive: Labels, probabilities: Values, groups: Sequence[Hashable]) -> Values:
    """Each half's probabilities with :func:`platt` of the other half; groups are not torn.

    What it mends was the scale of the probability; what it leaves is not known from the score.
    """
    numbers: dict[Hashable, int] = {}
    halves = np.array([numbers.setdefault(group, len(numbers)) % 2 for group in groups])
    found = np.array(probabilities, dtype=np.float64)
    for half in (0, 1):
        own, other = halves == half, halves != half
        if other.any():
            slope, intercept = platt(positive[other], probabilities[other])
            logits = slope * _log_odds(probabilities[own]) + intercept
            found[own] = (1 + np.tanh(logits / 2)) / 2
    return found


def _log_odds(probabilities: Values) -> Values:
    inside = np.clip(probabilities, LEAST, 1 - LEAST)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)
