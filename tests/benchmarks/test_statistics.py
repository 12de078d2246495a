"""Bootstrap of any statistic, and the calibration error."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.common.statistics import (
    bootstrap_statistic,
    calibration_error,
    wilson_interval,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap


def test_a_mean_has_the_interval_of_the_bootstrap_of_means() -> None:
    values = np.random.default_rng(1).random(200)
    groups = [n // 4 for n in range(200)]
    result = bootstrap_statistic(lambda rows: float(values[rows].mean()), groups, samples=4000)
    assert result == pytest.approx(bootstrap(values, groups)[0], abs=0.004)


def test_rows_of_a_group_are_drawn_together() -> None:
    """Drawn alone, a hundred copies of two rows would look like a hundred observations."""
    values = np.array([0.0] * 100 + [1.0] * 100)
    groups = ["a"] * 100 + ["b"] * 100
    result = bootstrap_statistic(lambda rows: float(values[rows].mean()), groups)
    assert result is not None
    assert (result.low, result.high) == (0.0, 1.0)


def test_an_undefined_statistic_has_no_estimate() -> None:
    assert bootstrap_statistic(lambda _: float("nan"), [1, 2]) is None
    with pytest.raises(ConfigurationError):
        bootstrap_statistic(lambda _: 0.0, [])


def test_a_probability_that_is_off_by_a_fifth_has_that_error() -> None:
    random = np.random.default_rng(0)
    true = random.uniform(0.3, 0.7, 40_000)
    came = random.random(40_000) < true
    assert calibration_error(came, true) < 0.012
    assert calibration_error(came, true + 0.2) == pytest.approx(0.2, abs=0.01)


def test_a_share_of_none_has_an_interval_that_is_no_point() -> None:
    """The bootstrap gives 0 to 0 for it, as if 0 were certain everywhere."""
    share, low, high = wilson_interval(0, 10)
    assert (share, low) == (0, 0)
    assert high == pytest.approx(0.2775, abs=1e-3)
