"""Reliability of probabilities, their calibration error, and Platt scaling."""

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
SMALLEST_PROBABILITY = 1e-6
"""Probabilities nearer to 0 or 1 have the log-odds of this one."""


class Bin(NamedTuple):
    """Rows of neighbouring probabilities.

    Args:
        predicted: mean probability.
        observed: share of positive rows.
        places: numbers of the rows.
    """

    predicted: float
    observed: float
    places: npt.NDArray[np.intp]


def reliability(
    positive: Labels, probabilities: Values, bins: int = BINS, binning: Binning = "mass"
) -> list[Bin]:
    """Mean probability and share of positives of each bin, by rising probability.

    Args:
        positive: whether each row is positive.
        probabilities: predicted, of its being positive.
        bins: at most this many; empty ones are left out.
        binning: ``mass``: bins of about the same number of rows (equal probabilities stay
            together); ``width``: equal steps of probability.
    """
    numbers = _bin_numbers(probabilities, bins, binning)
    members = [np.flatnonzero(numbers == number) for number in range(bins)]
    return [
        Bin(float(probabilities[places].mean()), float(positive[places].mean()), places)
        for places in members
        if len(places)
    ]


def _bin_numbers(probabilities: Values, bins: int, binning: Binning) -> npt.NDArray[np.intp]:
    if binning == "width":
        return np.minimum((probabilities * bins).astype(np.intp), bins - 1)
    _, inverse, counts = np.unique(probabilities, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2
    numbers: npt.NDArray[np.intp] = (middles * bins / max(1, len(probabilities))).astype(np.intp)
    return numbers[inverse]


def calibration_error(
    positive: Labels, probabilities: Values, bins: int = BINS, binning: Binning = "mass"
) -> float:
    """Expected calibration error: mean distance of predicted and observed, weighted by rows.

    Of a perfectly calibrated sample it is not 0 but grows with the bins and shrinks with the rows.
    """
    numbers = _bin_numbers(probabilities, bins, binning)
    rows_off = np.bincount(numbers, weights=probabilities - positive)
    return float(np.abs(rows_off).sum() / len(probabilities))


def platt_scaling(positive: Labels, probabilities: Values) -> tuple[float, float]:
    """Slope and intercept of the log-odds that fit the labels best (Platt 1999).

    Maximum likelihood by Newton's method, with Platt's targets, which keep both finite where the
    labels are separated completely.
    """
    count = int(positive.sum())
    targets = np.where(positive, (count + 1) / (count + 2), 1 / (len(positive) - count + 2))
    rows = np.column_stack([_log_odds(probabilities), np.ones(len(probabilities))])
    weights = np.zeros(2)
    for _ in range(NEWTON_STEPS):
        fitted = (1 + np.tanh(rows @ weights / 2)) / 2
        hessian = (rows * (fitted * (1 - fitted))[:, None]).T @ rows
        weights -= np.linalg.solve(hessian + 1e-9 * np.eye(2), rows.T @ (fitted - targets))
    return float(weights[0]), float(weights[1])


def cross_fitted_platt(
    positive: Labels, probabilities: Values, groups: Sequence[Hashable]
) -> Values:
    """Each half's probabilities with :func:`platt_scaling` of the other half; groups stay whole.

    The error that it removes was of the scale of the probability; what is left the score cannot
    know.
    """
    numbers: dict[Hashable, int] = {}
    halves = np.array([numbers.setdefault(group, len(numbers)) % 2 for group in groups])
    scaled = np.array(probabilities, dtype=np.float64)
    for half in (0, 1):
        own, other = halves == half, halves != half
        if other.any():
            slope, intercept = platt_scaling(positive[other], probabilities[other])
            logits = slope * _log_odds(probabilities[own]) + intercept
            scaled[own] = (1 + np.tanh(logits / 2)) / 2
    return scaled


def _log_odds(probabilities: Values) -> Values:
    inside = np.clip(probabilities, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float64)
