"""Paired tests of the report: what is alike, what differs, and several at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Result
from logic_retrievers.evaluation.result import estimate_all
from logic_retrievers.report.significance import against, corrected, paired_p


def result(values: dict[str, float], metric: str = "R@1") -> Result:
    """A result with one metric; queries ``a1`` and ``a2`` share a group."""
    groups = {query: query[0] for query in values}
    per_query = {metric: values}
    estimates = estimate_all(per_query, groups, resamples=10)
    return Result("made", "", 10, 5, 0, estimates, per_query, groups, dict.fromkeys(values, ()))


def test_runs_that_are_alike_are_not_told_apart() -> None:
    """Were no resample on either side of zero, a p of 0 would call them different."""
    assert paired_p([0.0] * 20) == 1
    assert paired_p([1.0, -1.0] * 20) > 0.8


def test_no_p_is_zero() -> None:
    """10,000 resamples cannot show a chance of none."""
    assert paired_p([1.0] * 20) == 1 / 10_001


def test_near_the_t_test() -> None:
    """A p of one side only would be half of it."""
    values = np.random.default_rng(4).normal(0.25, 1, 80)
    assert paired_p(values) == pytest.approx(ttest_1samp(values, 0).pvalue, abs=0.01)
    assert paired_p(values) == paired_p(-values)


def test_groups_are_one_piece_of_evidence() -> None:
    """Counting the two queries of a pair apart finds differences that are not there."""
    steps = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
    assert paired_p(np.repeat(steps, 2), np.repeat(np.arange(8), 2).tolist()) == paired_p(steps)
    assert paired_p(np.repeat(steps, 2)) < paired_p(steps)


def test_queries_that_say_nothing_are_left_out() -> None:
    steps = [1.0, 1.0, -0.5, math.nan]
    assert paired_p(steps, seed=3) == paired_p(steps, seed=3)
    with pytest.raises(ConfigurationError, match="no differences"):
        paired_p([math.nan])
    with pytest.raises(ConfigurationError, match="groups"):
        paired_p([1.0, 2.0], ["a"])


def test_correction_passes_over_what_is_not_tested() -> None:
    """The baseline's own row is no test; to count it would weaken the others."""
    assert corrected([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]
    assert corrected([]) == []


def test_rows_against_their_baseline() -> None:
    plain = result({f"{letter}1": 0.0 for letter in "abcdefghij"})
    better = result(dict.fromkeys(plain.run, 1.0))
    same = result(dict(plain.per_query["R@1"]))
    found = against(plain, {"plain": plain, "better": better, "same": same}, "R@1")
    assert found["plain"] is None
    assert found["better"] == pytest.approx(2 / 10_001)
    assert found["same"] == 1
    assert against(plain, {"better": better}, "V@5") == {"better": None}
    with pytest.raises(ConfigurationError, match="different queries"):
        against(plain, {"other": result({"a1": 0.0})}, "R@1")
