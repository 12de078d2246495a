"""Bootstrap of statistics other than means: areas under curves, medians, calibration errors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import Estimate, bootstrap_p

Places: TypeAlias = npt.NDArray[np.intp]
Values: TypeAlias = npt.NDArray[np.float64]

SAMPLES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Statistics of a sample and of bootstrap samples of it.

    Args:
        observed: shape (statistics,); NaN where one is not defined.
        resampled: shape (samples, statistics).
    """

    observed: Values
    resampled: Values

    def estimates(self) -> list[Estimate | None]:
        """Each statistic with its 95 % percentile interval; None where it is not defined."""
        estimates: list[Estimate | None] = []
        for value, column in zip(self.observed, self.resampled.T, strict=True):
            defined = column[~np.isnan(column)]
            if np.isnan(value) or not len(defined):
                estimates.append(None)
                continue
            low, high = np.quantile(defined, [0.025, 0.975])
            estimates.append(Estimate(float(value), float(low), float(high)))
        return estimates

    def p(self, first: int, second: int) -> float | None:
        """Two-sided p of the difference of two statistics; None where no sample defines both."""
        differences = self.resampled[:, first] - self.resampled[:, second]
        return None if np.isnan(differences).all() else bootstrap_p(differences)


def resample(
    statistics: Callable[[Places], Sequence[float]],
    groups: Sequence[Hashable],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Resampled:
    """Statistics of the rows, and of samples of whole groups of them with replacement.

    Args:
        statistics: computes them from row numbers; all over the same samples, so that they can be
            compared.
        groups: one label per row; rows with the same label are drawn together.
        samples: number of bootstrap samples.
        seed: the same seed gives the same samples.

    Raises:
        ConfigurationError: no rows.
    """
    if not groups:
        raise ConfigurationError("no values to resample")
    members: dict[Hashable, list[int]] = {}
    for place, label in enumerate(groups):
        members.setdefault(label, []).append(place)
    rows = [np.array(places, dtype=np.intp) for places in members.values()]
    random = np.random.default_rng(seed)
    resampled = [
        statistics(np.concatenate([rows[n] for n in random.integers(len(rows), size=len(rows))]))
        for _ in range(samples)
    ]
    observed = statistics(np.arange(len(groups), dtype=np.intp))
    return Resampled(np.array(observed, dtype=np.float64), np.array(resampled, dtype=np.float64))
