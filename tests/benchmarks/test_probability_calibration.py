"""Reliability and calibration error: of probabilities that are right, and wrong by so much."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.statistics.calibration import (
    calibration_error,
    cross_fitted_platt,
    platt_scaling,
    reliability,
)


def test_a_probability_that_is_off_by_a_fifth_has_that_error() -> None:
    random = np.random.default_rng(0)
    true = random.uniform(0.3, 0.7, 40_000)
    came = random.random(40_000) < true
    assert calibration_error(came, true) < 0.012
    for binning in ("mass", "width"):
        result = calibration_error(came, true + 0.2, binning=binning)
        assert result == pytest.approx(0.2, abs=0.01)


def test_errors_in_both_directions_do_not_cancel() -> None:
    """The mean difference of this judge is 0, and it is always wrong."""
    came = np.array([True] * 50 + [False] * 50)
    predicted = np.array([0.3] * 50 + [0.7] * 50)
    assert calibration_error(came, predicted) == pytest.approx(0.7)


def test_bins_hold_as_many_rows_and_equal_values_stay_together() -> None:
    predicted = np.concatenate([np.linspace(0.5, 0.9, 90), np.full(10, 0.2)])
    bins = reliability(np.zeros(100, dtype=bool), predicted)
    assert [len(bin_.places) for bin_ in bins] == [10] * 10
    assert bins[0].predicted == pytest.approx(0.2)
    halves = reliability(np.array([True] * 60 + [False] * 40), np.repeat([0.1, 0.9], [60, 40]))
    assert [(halve.predicted, halve.observed, len(halve.places)) for halve in halves] == [
        (pytest.approx(0.1), 1.0, 60),
        (pytest.approx(0.9), 0.0, 40),
    ]


def test_the_highest_probability_has_a_bin() -> None:
    (only,) = reliability(np.array([True]), np.array([1.0]), binning="width")
    assert only.predicted == 1.0


def test_platt_finds_the_scale_that_was_lost() -> None:
    random = np.random.default_rng(4)
    logits = random.normal(0, 2, 20_000)
    came = random.random(20_000) < 1 / (1 + np.exp(-logits))
    predicted = 1 / (1 + np.exp(-(2 * logits - 1)))  # too sure, and too low
    assert platt_scaling(came, predicted) == pytest.approx((0.5, 0.5), abs=0.05)
    groups = [n // 2 for n in range(20_000)]
    assert calibration_error(came, predicted) > 0.05
    assert calibration_error(came, cross_fitted_platt(came, predicted, groups)) < 0.02


def test_no_half_is_calibrated_on_itself() -> None:
    """Calibrated on its own labels, noise would look as if it knew something."""
    came = np.array([True, False] * 50)
    groups = [n % 2 for n in range(100)]  # every label of a group is alike
    result = cross_fitted_platt(came, np.full(100, 0.5), groups)
    assert (result[came] < 0.1).all()
    assert (result[~came] > 0.9).all()


def test_what_is_told_apart_wholly_stays_finite() -> None:
    came = np.array([False] * 20 + [True] * 20)
    slope, intercept = platt_scaling(came, np.repeat([0.1, 0.9], 20))
    assert slope > 0
    assert abs(intercept) < 1
    assert np.isfinite([slope, intercept]).all()
