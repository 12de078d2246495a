"""Bootstrap intervals: against theory, against a plain loop, and what is drawn together."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import bootstrap


def test_a_proportion_has_its_textbook_interval() -> None:
    """With 200 queries and a share of one half the 95 % interval is about 7 points either way."""
    (estimate,) = bootstrap([0.0, 1.0] * 100)
    assert estimate.mean == 0.5
    half = 1.96 * math.sqrt(0.25 / 200)
    assert (estimate.low, estimate.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.01)


def test_the_same_seed_gives_the_same_interval() -> None:
    """Figures in a report must be reproducible to the last digit."""
    values = np.random.default_rng(3).random((50, 2))
    assert bootstrap(values, seed=5) == bootstrap(values, seed=5)
    assert bootstrap(values, seed=5) != bootstrap(values, seed=6)


def test_pairs_are_drawn_together() -> None:
    """Drawing the two queries of a pair apart counts one piece of evidence twice."""
    pairs = np.repeat([0.0, 1.0] * 50, 2)
    together = bootstrap(pairs, np.repeat(np.arange(100), 2).tolist())[0]
    once = bootstrap([0.0, 1.0] * 50)[0]
    assert together == once
    apart = bootstrap(pairs)[0]
    assert apart.high - apart.low < 0.8 * (together.high - together.low)


@settings(max_examples=30)
@given(
    st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=2), min_size=1, max_size=30),
    st.data(),
)
def test_means_over_what_is_defined(rows: list[list[float]], data: st.DataObject) -> None:
    """A metric that does not apply to a query must not count as 0 there."""
    holes = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    table = np.array(rows)
    table[holes, 1] = np.nan
    groups = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    first, second = bootstrap(table, groups, resamples=50)
    assert first.mean == pytest.approx(statistics.fmean(row[0] for row in rows))
    assert first.low <= first.high
    defined = [row[1] for row, hole in zip(rows, holes, strict=True) if not hole]
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
    """Without the check numpy would answer with a broadcast or a NaN."""
    with pytest.raises(ConfigurationError, match=message):
        bootstrap(**arguments)  # type: ignore[arg-type]
