"""One judgement: the form of an answer, its margin and its verdict."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging import LABELS, Judgement
from logic_retrievers.judging.judge import check_probabilities

amounts = st.tuples(*[st.integers(0, 1000)] * 3).filter(any)
anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=3),
    st.just(object()),
    st.just(np.array(0.5)),
)
near_misses = st.one_of(
    st.lists(st.floats(0, 1), max_size=5),
    st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    st.lists(anything, max_size=4),
    st.dictionaries(st.text(max_size=2), st.floats(0, 1), max_size=3),
    anything,
)


def shares(amounts):
    return [amount / sum(amounts) for amount in amounts]


@given(amounts, st.sampled_from([list, tuple, np.array, np.float32, iter]))
def test_three_shares_are_accepted_in_every_form(amounts, form):
    """Models give lists, rows of numpy and single precision."""
    expected = shares(amounts)
    checked = check_probabilities(form(expected))
    assert checked == pytest.approx(expected, abs=1e-6)
    assert [type(number) for number in checked] == [float] * 3


def test_other_kinds_of_number():
    assert check_probabilities([True, False, 0]) == (1.0, 0.0, 0.0)
    assert check_probabilities([Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]) == (
        0.25,
        0.25,
        0.5,
    )
    assert check_probabilities([0.333, 0.333, 0.333]) == (0.333,) * 3, "rounded in print"


@given(near_misses)
def test_whatever_else_is_refused(value):
    """Logits, a single score or words would be added to a ranking as if they were shares."""
    numbers = value if isinstance(value, list) else []
    valid = len(numbers) == 3 and all(isinstance(n, Real) and 0 <= n <= 1 for n in numbers)
    if valid:
        distance = abs(math.fsum(numbers) - 1)
        assume(abs(distance - 0.01) > 1e-9)
        valid = distance < 0.01
    if valid:
        assert check_probabilities(value) == tuple(numbers)
    else:
        with pytest.raises(MalformedAnswerError, match="three probabilities that sum to 1"):
            check_probabilities(value)


@pytest.mark.parametrize(
    "value",
    [
        [2.0, -0.5, -0.5],
        [0.5, 0.5],
        [0.25] * 4,
        [0.5, 0.5, 0.5],
        [float("nan"), 0.5, 0.5],
        [10**400, 0, 0],
        [[1.0], [0.0], [0.0]],
        ["1", "0", "0"],
        [1j, 0, 0],
        {"entailment": 1.0, "neutral": 0.0, "contradiction": 0.0},
        b"\x00\x00\x01",
        "yes",
        0.9,
        object(),
    ],
)
def test_refused_by_name(value):
    """What models do give when the wrong method of theirs is called."""
    with pytest.raises(MalformedAnswerError, match=", ".join(LABELS)):
        check_probabilities(value)


@given(amounts)
def test_margin_and_verdict(amounts):
    names = ("satisfies", "neutral", "violates")
    judgement = Judgement(*shares(amounts), "a passage")
    assert judgement.margin == pytest.approx((amounts[0] - amounts[2]) / sum(amounts))
    assert -1 <= judgement.margin <= 1
    assert judgement.verdict in names
    assert getattr(judgement, judgement.verdict) == max(shares(amounts))


@given(amounts)
def test_as_a_dictionary(amounts):
    """Evidence goes through JSON, and repeats what was read."""
    judgement = Judgement(*shares(amounts), "a passage")
    record = judgement.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert list(record) == ["verdict", "satisfies", "neutral", "violates", "text"]
    assert (record["verdict"], record["text"]) == (judgement.verdict, "a passage")
    for name in ("satisfies", "neutral", "violates"):
        assert record[name] == round(getattr(judgement, name), 6)
