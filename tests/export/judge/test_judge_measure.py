"""Accuracy, calibration and temperature of a judge, compared with values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic_export.bundles.parity import ParityError
from logic_export.judge.measure import (
    accuracy,
    calibration_error,
    find_temperature,
    require_gate,
)
from logic_export.judge.rows import JudgeRow, labelled_row


def rows(labels: str) -> list[JudgeRow]:
    """Make one row per letter: e(ntailment), n(eutral), c(ontradiction)."""
    names = {"e": "entailment", "n": "neutral", "c": "contradiction"}
    return [labelled_row(f"p {n}", "h", names[letter]) for n, letter in enumerate(labels)]


class Told:
    """A judge with given answers, pair by pair."""

    def __init__(self, *probabilities: tuple[float, float, float]) -> None:
        self.probabilities = probabilities

    def __call__(self, pairs):
        assert len(pairs) == len(self.probabilities)
        return list(self.probabilities)


def test_accuracy_is_between_two_where_no_row_is_neutral():
    """Verification has no neutral answer, so preferring neutral must not count as wrong."""
    judge = Told((0.3, 0.6, 0.1), (0.1, 0.8, 0.1001), (0.2, 0.7, 0.1))
    assert accuracy(judge, rows("ecc")) == pytest.approx(2 / 3)
    assert accuracy(judge, rows("enc")) == pytest.approx(1 / 3)


def test_a_judge_that_is_as_right_as_it_says():
    """Nine of ten right at a probability of .9 is no calibration error."""
    sure = [(0.9, 0.05, 0.05)] * 10
    assert calibration_error(Told(*sure), rows("eeeeeeeeen")) == pytest.approx(0)
    assert calibration_error(Told(*sure), rows("eeeeennnnn")) == pytest.approx(0.4)
    assert calibration_error(Told((1.0, 0, 0)), rows("e")) == 0
    assert calibration_error(Told((1.0, 0, 0)), rows("c")) == 1
    two_ways = Told(*[(0.45, 0.5, 0.05)] * 10)  # .9 without the neutral answer
    assert calibration_error(two_ways, rows("eeeeeeeeec")) == pytest.approx(0)


def test_calibration_is_weighted_by_bin():
    """Three pairs fall in the bin of .8 (two right) and one pair in the bin of .4 (wrong)."""
    judge = Told((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.82, 0.1, 0.08), (0.4, 0.3, 0.3))
    high = abs(2 / 3 - (0.8 + 0.8 + 0.82) / 3) * 3 / 4
    low = abs(0 - 0.4) * 1 / 4
    assert calibration_error(judge, rows("encc")) == pytest.approx(high + low)


def test_the_gate_names_what_is_missed():
    figures = {"own": 0.7, "nli": 0.9}
    require_gate(figures, {"own": 0.7})
    require_gate(figures, {})
    with pytest.raises(ParityError, match="own"):
        require_gate(figures, {"nli": 0.5, "own": 0.71})


def loss(logits: np.ndarray, targets: np.ndarray, temperature: float) -> float:
    """Compute the mean cross entropy, written out."""
    shares = np.exp(logits / temperature - (logits / temperature).max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    return float(-(targets * np.log(shares + 1e-300)).sum(1).mean())


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(1, 40),
    scale=st.sampled_from([0.1, 1.0, 5.0, 20.0]),
    skill=st.floats(0, 3),
    soft=st.booleans(),
)
def test_the_temperature_is_the_best_of_a_grid(seed, count, scale, skill, soft):
    """A wrong temperature would make a judge say .99 where it is uncertain."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, count)
    certain = np.eye(3)[labels]
    targets = 0.8 * certain + 0.2 / 3 if soft else certain
    logits = scale * (random.normal(size=(count, 3)) + skill * certain)
    made = [JudgeRow("p", "h", tuple(float(t) for t in row)) for row in targets]

    found = find_temperature(logits, made)

    assert 0.25 <= found <= 8
    best = min(loss(logits, targets, t) for t in np.linspace(0.25, 8, 400))
    assert loss(logits, targets, found) <= best + 1e-3 * (1 + best)


def test_a_judge_that_is_too_sure_is_cooled_down():
    """A judge that is always sure but right in a third of the cases needs a high temperature."""
    logits = np.array([[4.0, 0, 0]] * 9)
    assert find_temperature(logits, rows("eeennnccc")) == pytest.approx(8, abs=0.01)
    assert find_temperature(np.array([[0.5, 0, 0]] * 10), rows("e" * 10)) < 0.3
