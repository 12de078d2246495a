"""Statistics for more than means: any bootstrapped statistic, shares, calibration error."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Estimate

SAMPLES = 1000


def bootstrap_statistic(
    statistic: Callable[[npt.NDArray[np.intp]], float],
    groups: Sequence[Hashable],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Estimate | None:
    """Compute a statistic of all rows with its 95 % percentile interval; None if it is NaN.

    Args:
        statistic: computes the value from row numbers.
        groups: one label per row; rows with the same label are drawn together.
        samples: number of bootstrap samples.
        seed: seeds the samples.
    """
    if not groups:
        raise ConfigurationError("no values to resample")
    members: dict[Hashable, list[int]] = {}
    for place, label in enumerate(groups):
        members.setdefault(label, []).append(place)
    rows = [np.array(places, dtype=np.intp) for places in members.values()]
    random = np.random.default_rng(seed)
    values = np.array(
        [
            statistic(np.concatenate([rows[n] for n in random.integers(len(rows), size=len(rows))]))
            for _ in range(samples)
        ]
    )
    observed = statistic(np.arange(len(groups), dtype=np.intp))
    defined = values[~np.isnan(values)]
    if np.isnan(observed) or not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return Estimate(float(observed), float(low), float(high))


def wilson_interval(successes: int, trials: int) -> Estimate:
    """Return a share with Wilson's 95 % interval, which stays inside [0, 1] (Wilson 1927)."""
    if trials < 1:
        raise ConfigurationError("a share needs at least one trial")
    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high))


def calibration_error(
    positive: npt.NDArray[np.bool_], probabilities: npt.NDArray[np.float64], bins: int = 10
) -> float:
    """Compute the expected calibration error over bins with about equally many rows.

    It is the distance between predicted and observed shares, weighted by rows. Equal probabilities
    share a bin. Even a perfectly calibrated sample has an error above 0, which shrinks with rows.
    """
    _, inverse, counts = np.unique(probabilities, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2
    numbers = (middles * bins / max(1, len(probabilities))).astype(np.intp)[inverse]
    excess = np.bincount(numbers, weights=probabilities - positive)
    return float(np.abs(excess).sum() / len(probabilities))
