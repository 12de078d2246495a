"""Whether a probability means what it says: reliability and expected calibration error."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.bool_]
Binning: TypeAlias = Literal["mass", "width"]

BINS = 10


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
