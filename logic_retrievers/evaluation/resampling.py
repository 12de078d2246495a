"""Bootstrap of what is no mean: areas under curves, medians, calibration errors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import Estimate

Places: TypeAlias = npt.NDArray[np.intp]
Values: TypeAlias = npt.NDArray[np.float64]

DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Statistics of a sample and of samples drawn from it.

    Args:
        whole: shape (statistics,); NaN where one says nothing.
        drawn: shape (draws, statistics).
    """

    whole: Values
    drawn: Values

    def estimates(self) -> list[Estimate | None]:
        """Each with its 95 % percentile interval; None where it says nothing."""
        found: list[Estimate | None] = []
        for value, column in zip(self.whole, self.drawn.T, strict=True):
            known = column[~np.isnan(column)]
            if np.isnan(value) or not len(known):
                found.append(None)
                continue
            low, high = np.quantile(known, [0.025, 0.975])
            found.append(Estimate(float(value), float(low), float(high)))
        return found

    def p(self, one: int, other: int) -> float:
        """Two-sided p of the difference of two statistics: twice its smaller share beyond zero."""
        apart = self.drawn[:, one] - self.drawn[:, other]
        smaller = min(float(np.mean(apart <= 0)), float(np.mean(apart >= 0)))
        return min(1.0, max(2 * smaller, 1 / (len(apart) + 1)))


def resample(
    statistics: Callable[[Places], Sequence[float]],
    groups: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Resampled:
    """Statistics of the rows, and of draws of whole groups of them with replacement.

    Args:
        statistics: of the rows at some places; all over the same draws, so they can be compared.
        groups: one label a row; rows with the same label are drawn together.
        draws: how many times the groups are drawn.
        seed: the same seed gives the same draws.

    Raises:
        ConfigurationError: no rows.
    """
    if not groups:
        raise ConfigurationError("no values to resample")
    members: dict[Hashable, list[int]] = {}
    for place, label in enumerate(groups):
        members.setdefault(label, []).append(place)
    rows = [np.array(some, dtype=np.intp) for some in members.values()]
    random = np.random.default_rng(seed)
    drawn = [
        statistics(np.concatenate([rows[n] for n in random.integers(len(rows), size=len(rows))]))
        for _ in range(draws)
    ]
    whole = statistics(np.arange(len(groups), dtype=np.intp))
    return Resampled(np.array(whole, dtype=np.float64), np.array(drawn, dtype=np.float64))
