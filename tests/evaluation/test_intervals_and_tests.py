"""Bootstrap intervals and paired tests: against theory, with groups drawn together."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.statistics import holm, mcnemar, paired_bootstrap


def test_a_proportion_has_its_textbook_interval() -> None:
    """With 200 queries and a share of one half the 95 % interval is about ±7 points."""
    (estimate,) = bootstrap([0.0, 1.0] * 100)
    assert estimate.mean == 0.5
    half = 1.96 * math.sqrt(0.25 / 200)
    assert (estimate.low, estimate.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.01)


def test_the_same_seed_gives_the_same_interval() -> None:
    """A report's numbers must be reproducible to the last digit."""
    values = np.random.default_rng(3).random((50, 2))
    assert bootstrap(values, seed=5) == bootstrap(values, seed=5) != bootstrap(values, seed=6)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(0, 3)), min_size=1))
def test_means_over_what_is_defined(rows: list[tuple[float, bool, int]]) -> None:
    """A metric that does not apply to a query must not count as 0."""
    table = [[value, value if is_defined else math.nan] for value, is_defined, _ in rows]
    first, second = bootstrap(table, [group for *_, group in rows], resamples=50)
    assert first.mean == pytest.approx(statistics.fmean(value for value, *_ in rows))
    assert first.low <= first.high
    defined = [value for value, is_defined, _ in rows if is_defined]
    if defined:
        assert second.mean == pytest.approx(statistics.fmean(defined))
        assert min(defined) - 1e-9 <= second.low <= second.high <= max(defined) + 1e-9
    else:
        assert all(math.isnan(value) for value in second)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": []}, "no values"),
        ({"values": [1.0], "resamples": 0}, "resamples"),
        ({"values": [1.0], "groups": ["a", "b"]}, "1 rows of values but 2 groups"),
    ],
)
def test_bad_settings_are_refused(arguments: dict[str, object], message: str) -> None:
    """Without the check NumPy would broadcast or return NaN."""
    with pytest.raises(ConfigurationError, match=message):
        bootstrap(**arguments)  # type: ignore[arg-type]


def paired_p(differences: npt.ArrayLike, groups: Sequence[Hashable] | None = None) -> float:
    return paired_bootstrap(differences, groups)[0].p


def test_runs_that_are_alike_are_not_told_apart() -> None:
    """With no resample on either side of zero, a p of 0 would call them different."""
    assert paired_p([0.0] * 20) == 1
    assert paired_p([1.0] * 20) == 1 / 10_001  # 10,000 resamples cannot prove a probability of zero
    with pytest.raises(ConfigurationError, match="no differences"):
        paired_p([math.nan])


def test_near_the_t_test() -> None:
    """A one-sided p would be half as large."""
    values = np.random.default_rng(4).normal(0.25, 1, 80)
    assert paired_p(values) == pytest.approx(ttest_1samp(values, 0).pvalue, abs=0.01)
    assert paired_p(values) == paired_p(-values)


def test_a_group_is_one_piece_of_evidence() -> None:
    """Counting a pair's two queries separately finds differences that do not exist."""
    steps = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0]
    twice, pairs = np.repeat(steps, 2), np.repeat(np.arange(8), 2).tolist()
    assert paired_bootstrap(twice, pairs) == paired_bootstrap(steps)
    assert paired_p(twice) < paired_p(steps)


def test_mcnemar() -> None:
    assert mcnemar(5, 0) == mcnemar(0, 5) == 2 / 32
    assert mcnemar(0, 0) == mcnemar(3, 3) == 1
    assert 0 < mcnemar(0, 1000) < 1e-300
    assert 0 < mcnemar(20_000, 20_500) < 0.05  # a term costs one product, not seconds
    assert mcnemar(700, 800) == pytest.approx(binomtest(700, 1500).pvalue, rel=1e-9)


def test_holm_by_hand() -> None:
    """Bonferroni's factor would hide true differences; no correction would show false ones."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.6, 0.7]) == [1, 1]
    # the baseline's own row is not a test; counting it would weaken the others
    assert holm([None, 0.01, None, 0.04]) == [None, 0.02, None, 0.04]
