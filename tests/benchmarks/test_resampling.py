"""Bootstrap of any statistic: against the one of means, groups, and pairs of statistics."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.statistics.resampling import resample
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap


def test_a_mean_has_the_interval_of_the_bootstrap_of_means() -> None:
    values = np.random.default_rng(1).random(200)
    groups = [n // 4 for n in range(200)]
    (result,) = resample(
        lambda rows: [float(values[rows].mean())], groups, samples=4000
    ).estimates()
    (expected,) = bootstrap(values, groups)
    assert result is not None
    assert result == pytest.approx(expected, abs=0.004)


def test_rows_of_a_group_are_drawn_together() -> None:
    """Taken alone, a hundred copies of two rows would look like a hundred observations."""
    values = np.array([0.0] * 100 + [1.0] * 100)
    groups = ["a"] * 100 + ["b"] * 100
    (result,) = resample(lambda rows: [float(values[rows].mean())], groups).estimates()
    assert result is not None
    assert (result.low, result.high) == (0.0, 1.0)


def test_statistics_that_move_together_are_told_apart() -> None:
    """Intervals that overlap do not mean that two judges of the same rows are alike."""
    values = np.linspace(-5, 5, 100)
    resampled = resample(
        lambda rows: [float(values[rows].mean()), float(values[rows].mean()) + 0.1, 0.0],
        range(100),
    )
    assert resampled.p(0, 1) == pytest.approx(1 / 1001)
    assert resampled.p(0, 2) > 0.05
    assert resampled.p(2, 2) == 1


def test_what_is_not_defined_has_no_estimate_and_no_p() -> None:
    undefined = resample(lambda _: [float("nan"), 1.0], [1, 2])
    assert undefined.estimates()[0] is None
    assert undefined.p(0, 1) is None
    with pytest.raises(ConfigurationError):
        resample(lambda _: [0.0], [])


def test_the_same_seed_gives_the_same_draws() -> None:
    values = np.arange(30.0)
    first, again, other = (
        resample(lambda rows: [float(np.median(values[rows]))], range(30), samples=50, seed=seed)
        for seed in (1, 1, 2)
    )
    assert (first.resampled == again.resampled).all()
    assert (first.resampled != other.resampled).any()
