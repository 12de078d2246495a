"""McNemar, Holm and the paired interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.probe import compare_all, holm, mcnemar


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_binomial_test(gained: int, lost: int) -> None:
    """A chi-square approximation finds differences in ten questions that are not there."""
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected)
    assert mcnemar(gained, lost) == mcnemar(lost, gained)


def test_mcnemar_by_hand() -> None:
    assert mcnemar(5, 0) == 2 / 32
    assert mcnemar(0, 0) == 1
    assert mcnemar(3, 3) == 1
    assert 0 < mcnemar(0, 1000) < 1e-300
    with pytest.raises(ConfigurationError, match="0 or more"):
        mcnemar(-1, 2)


def test_holm_by_hand() -> None:
    """Bonferroni's factor for all of them would hide what is there, none would show what is not."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_against_its_definition(ps: list[float]) -> None:
    """Rejecting at each level must go by the step-down rule."""
    corrected = holm(ps)
    for level in (0.01, 0.05, 0.5):
        rejected, open_ = set(), sorted(range(len(ps)), key=ps.__getitem__)
        for place, index in enumerate(open_):
            if ps[index] * (len(ps) - place) > level:
                break
            rejected.add(index)
        assert {index for index, p in enumerate(corrected) if p <= level} == rejected


def test_a_comparison_over_what_both_answered() -> None:
    """A question that failed under one would count against it, or for it."""
    first = {"a": True, "b": False, "c": False, "d": True, "only": True}
    second = {"a": True, "b": True, "c": True, "d": False, "other": True}
    found = compare_all(first, {"second": second, "none": {}}, resamples=2000)
    assert list(found) == ["second"]
    one = found["second"]
    assert (one.gained, one.lost, one.questions, one.left_out) == (2, 1, 4, 2)
    assert one.difference == bootstrap([0, 1, 1, -1], resamples=2000)[0]
    assert one.p == one.p_corrected == mcnemar(2, 1)
    assert one.to_dict()["difference"]["mean"] == 0.25


def test_several_comparisons_are_corrected_together() -> None:
    first = {f"{n}": False for n in range(8)}
    found = compare_all(
        first,
        {"all": dict.fromkeys(first, True), "same": first},
        resamples=10,
    )
    assert math.isclose(found["all"].p, 2 / 256)
    assert math.isclose(found["all"].p_corrected, 4 / 256)
    assert found["same"].p_corrected == 1
