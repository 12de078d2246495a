"""One judgement: the form of an answer, its margin and its verdict."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging import LABELS, Judgement
from logic_retrievers.judging.judge import check_probabilities


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, np.float32, iter], ids=lambda f: f.__name__
)
def test_three_shares_are_accepted_in_every_form(form):
    """Models return lists, NumPy rows and single precision."""
    checked = check_probabilities(form([0.2, 0.5, 0.3]))
    assert checked == pytest.approx([0.2, 0.5, 0.3], abs=1e-6)
    assert [type(number) for number in checked] == [float] * 3


def test_other_kinds_of_number():
    assert check_probabilities([True, False, 0]) == (1.0, 0.0, 0.0)
    quarters = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    assert check_probabilities(quarters) == (0.25, 0.25, 0.5)
    assert check_probabilities([0.333, 0.333, 0.333]) == (0.333,) * 3, "rounded in print"


WRONG = {
    "logits": [2.0, -0.5, -0.5],
    "sum": [0.5, 0.5, 0.5],
    "NaN": [float("nan"), 0.5, 0.5],
    "nested": [[1.0], [0.0], [0.0]],
    "texts": ["1", "0", "0"],
    "labels": {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0},
    "text": "yes",
    "score": 0.9,
}


@pytest.mark.parametrize("kind", WRONG)
def test_whatever_else_is_refused(kind):
    """Logits, a single score or words must not be added to a ranking as shares."""
    with pytest.raises(MalformedAnswerError, match=", ".join(LABELS)):
        check_probabilities(WRONG[kind])


@pytest.mark.parametrize(
    ("shares", "verdict", "margin"),
    [((0.7, 0.1, 0.2), "satisfies", 0.5), ((0.2, 0.5, 0.3), "neutral", -0.1)],
)
def test_margin_and_verdict(shares, verdict, margin):
    """Evidence survives JSON and quotes the text that was read."""
    judgement = Judgement(*shares, "a passage")
    assert judgement.margin == pytest.approx(margin)
    record = json.loads(json.dumps(judgement.to_dict()))
    names = ("satisfies", "neutral", "violates")
    shown = dict(zip(names, shares, strict=True))
    assert record == {"verdict": verdict, **shown, "text": "a passage"}
