"""Bootstrap intervals of what is no mean: an area under a curve, a median, a calibration error."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import Estimate

Places: TypeAlias = npt.NDArray[np.intp]

DRAWS = 1000


def interval_of(
    statistic: Callable[[Places], float],
    groups: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """A statistic with its 95 % percentile interval over draws of whole groups.

    Args:
        statistic: of the rows at some places; NaN where it says nothing of them.
        groups: one label a row; rows with the same label are drawn together.
        draws: how many times the groups are drawn.
        seed: the same seed gives the same interval.

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
    drawn = np.array(
        [
            statistic(np.concatenate([rows[n] for n in random.integers(len(rows), size=len(rows))]))
            for _ in range(draws)
        ]
    )
    known = drawn[~np.isnan(drawn)]
    low, high = np.quantile(known, [0.025, 0.975]) if len(known) else (np.nan, np.nan)
    whole = statistic(np.arange(len(groups), dtype=np.intp))
    return Estimate(float(whole), float(low), float(high))
