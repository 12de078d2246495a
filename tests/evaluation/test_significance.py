"""Paired tests: what is alike, what differs, and several at once."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from benchmarks.common.statistics import wilson_interval
from logic_retrievers.errors import ConfigurationError, MissingExtraError
from logic_retrievers.evaluation import EvaluationResult, compare
from logic_retrievers.evaluation.result import estimate_metrics
from logic_retrievers.evaluation.statistics import (
    holm,
    mcnemar,
    paired_bootstrap,
)


def paired_p(
    differences: npt.ArrayLike, groups: Sequence[Hashable] | None = None, seed: int = 0
) -> float:
    return paired_bootstrap(differences, groups, seed=seed)[0].p


def result(values: dict[str, float], metric: str = "R@1") -> EvaluationResult:
    """A result with one metric; queries ``a1`` and ``a2`` share a group."""
    groups = {query: query[0] for query in values}
    per_query = {metric: values}
    estimates = estimate_metrics(per_query, groups, resamples=10)
    return EvaluationResult(
        "made", "", 10, 5, 0, estimates, per_query, groups, dict.fromkeys(values, ())
    )


def test_runs_that_are_alike_are_not_told_apart() -> None:
    """Were no resample on either side of zero, a p of 0 would call them different."""
    assert paired_p([0.0] * 20) == 1
    assert paired_p([1.0] * 20) == 1 / 10_001  # 10,000 resamples cannot show a chance of none
    assert paired_p([1.0, -1.0] * 20) > 0.8


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


def test_mcnemar_by_hand() -> None:
    assert mcnemar(5, 0) == mcnemar(0, 5) == 2 / 32
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
    # the baseline's own row is no test; to count it would weaken the others
    assert holm([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]


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


def test_mcnemar_without_scipy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[eval\]"):
        mcnemar(1, 2)


def test_a_share_of_none_has_an_interval_that_is_no_point() -> None:
    """The bootstrap gives 0 to 0 for it, as if nothing could be found elsewhere."""
    share, low, high = wilson_interval(0, 10)
    assert (share, low) == (0, 0)
    assert high == pytest.approx(0.2775, abs=1e-3)
    with pytest.raises(ConfigurationError, match="trial"):
        wilson_interval(0, 0)


def test_rows_against_their_baseline() -> None:
    plain = result({f"{letter}1": 0.0 for letter in "abcdefghij"})
    better = result(dict.fromkeys(plain.run, 1.0))
    same = result(dict(plain.per_query["R@1"]))
    compared = compare(plain, {"plain": plain, "better": better, "same": same})
    assert set(compared) == {"better", "same"}
    assert compared["better"]["R@1"].difference == (1, 1, 1)
    assert compared["better"]["R@1"].p_corrected == pytest.approx(2 / 10_001)
    assert compared["same"]["R@1"].p_corrected == 1
    assert compare(plain, {"better": better}, ["V@5"]) == {"better": {}}
    with pytest.raises(ConfigurationError, match="different queries"):
        compare(plain, {"other": result({"a1": 0.0})}, ["R@1"])
