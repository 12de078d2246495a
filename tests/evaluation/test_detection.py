"""ROC-AUC, precision and recall: against their definitions, and what ties do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from logic_retrievers.evaluation.detection import average_precision, f1, precision_recall, roc_auc


@pytest.mark.parametrize("digits", [1, 6])
def test_against_a_reference(digits: int) -> None:
    """With one digit most scores are tied, and a rule for ties that is off shows."""
    random = np.random.default_rng(2)
    positive = random.random(300) < 0.3
    scores = np.round(random.random(300) + 0.3 * positive, digits)
    assert roc_auc(positive, scores) == pytest.approx(roc_auc_score(positive, scores))
    expected = average_precision_score(positive, scores)
    assert average_precision(positive, scores) == pytest.approx(expected)


def test_rows_of_one_score_are_flagged_together() -> None:
    """Else the order of the file decides how good a judge looks."""
    positive = np.array([True, False, True, False])
    found = precision_recall(positive, np.array([0.9, 0.5, 0.5, 0.1]))
    assert found.thresholds.tolist() == [0.9, 0.5, 0.1]
    assert found.recall.tolist() == [0.5, 1.0, 1.0]
    assert found.precision.tolist() == [1.0, pytest.approx(2 / 3), 0.5]


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
