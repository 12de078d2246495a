"""Shares with an interval that stays inside [0, 1]."""

from __future__ import annotations

from scipy.stats import binomtest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import Estimate


def wilson_interval(successes: int, trials: int) -> Estimate:
    """A share with Wilson's 95 % interval, which stays inside [0, 1] (Wilson 1927).

    Raises:
        ConfigurationError: no trials.
    """
    if trials < 1:
        raise ConfigurationError("a share needs at least one trial")
    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high))
