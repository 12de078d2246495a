"""ROC-AUC, precision and recall: what ties do, and what is not defined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from benchmarks.statistics.detection import average_precision, f1, precision_recall, roc_auc


def test_rows_of_one_score_are_flagged_together() -> None:
    """Else the order of the file decides how good a judge looks."""
    positive = np.array([True, False, True, False])
    curve = precision_recall(positive, np.array([0.9, 0.5, 0.5, 0.1]))
    assert curve.thresholds.tolist() == [0.9, 0.5, 0.1]
    assert curve.recall.tolist() == [0.5, 1.0, 1.0]
    assert curve.precision.tolist() == [1.0, pytest.approx(2 / 3), 0.5]


def test_tied_scores_count_half() -> None:
    positive = np.array([True, False, True, False])
    scores = np.array([0.9, 0.5, 0.5, 0.1])
    assert roc_auc(positive, scores) == pytest.approx(3.5 / 4)
    assert average_precision(positive, scores) == pytest.approx(0.5 + 0.5 * 2 / 3)


def test_one_kind_alone_says_nothing() -> None:
    none, scores = np.zeros(3, dtype=bool), np.arange(3.0)
    assert math.isnan(roc_auc(none, scores))
    assert math.isnan(roc_auc(~none, scores))
    assert math.isnan(average_precision(none, scores))
    assert math.isnan(f1(none, none))


def test_f1_is_the_harmonic_mean() -> None:
    positive = np.array([True, True, True, False])
    flagged = np.array([True, False, False, True])
    assert f1(positive, flagged) == pytest.approx(2 / (1 / 0.5 + 1 / (1 / 3)))


def test_they_equal_scikit_learns() -> None:
    """The bootstrap needs faster functions than the library's, and the same figures."""
    random = np.random.default_rng(0)
    for _ in range(50):
        positive = random.random(40) < 0.4
        positive[:2] = True, False
        scores = random.integers(0, 12, 40) / 4
        assert roc_auc(positive, scores) == pytest.approx(roc_auc_score(positive, scores))
        assert average_precision(positive, scores) == pytest.approx(
            average_precision_score(positive, scores)
        )
        assert f1(positive, scores > 1) == pytest.approx(f1_score(positive, scores > 1))
