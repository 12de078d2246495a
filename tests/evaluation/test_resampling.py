"""Bootstrap of any statistic: against the one of means, groups, and pairs of statistics."""

from __future__ import annotations

import numpy as np
import pytest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.resampling import resample


def test_a_mean_has_the_interval_of_the_bootstrap_of_means() -> None:
    values = np.random.default_rng(1).random(200)
    groups = [n // 4 for n in range(200)]
    (found,) = resample(lambda rows: [float(values[rows].mean())], groups, draws=4000).estimates()
    (expected,) = bootstrap(values, groups)
    assert found is not None
    assert found == pytest.approx(expected, abs=0.004)


def test_rows_of_a_group_are_drawn_together() -> None:
    """Taken alone, a hundred copies of two rows would look like a hundred observations."""
    values = np.array([0.0] * 100 + [1.0] * 100)
    groups = ["a"] * 100 + ["b"] * 100
    (found,) = resample(lambda rows: [float(values[rows].mean())], groups).estimates()
    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)


def test_statistics_that_move_together_are_told_apart() -> None:
    """Intervals that overlap do not mean that two judges of the same rows are alike."""
    values = np.linspace(-5, 5, 100)
    drawn = resample(
        lambda rows: [float(values[rows].mean()), float(values[rows].mean()) + 0.1, 0.0],
        range(100),
    )
    assert drawn.p(0, 1) == pytest.approx(1 / 1001)
    assert drawn.p(0, 2) > 0.05
    assert drawn.p(2, 2) == 1


def test_what_says_nothing_has_no_estimate_and_nothing_no_draws() -> None:
    assert resample(lambda _: [float("nan")], [1, 2]).estimates() == [None]
    with pytest.raises(ConfigurationError):
        resample(lambda _: [0.0], [])


def test_the_same_seed_gives_the_same_draws() -> None:
    values = np.arange(30.0)
    first, again, other = (
        resample(lambda rows: [float(np.median(values[rows]))], range(30), draws=50, seed=seed)
        for seed in (1, 1, 2)
    )
    assert (first.drawn == again.drawn).all()
    assert (first.drawn != other.drawn).any()
