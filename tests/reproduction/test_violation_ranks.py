"""Where violating passages stand, by hand."""

from __future__ import annotations

import pytest
from inn_queries import inns, result_of

from benchmarks.reproduction.violation_ranks import (
    add_pair_measures,
    recall_curve,
    violating_ranks,
    violation_curve,
)


def test_curves_by_hand() -> None:
    dataset = inns()
    result = result_of(dataset, q1=["quiet", "boat", "loud"], q2=["pool", "stable"])
    assert violation_curve(dataset, result).y == (0.5, 0.5, *[1.0] * 8)
    curve = recall_curve(dataset, result)
    assert curve.y == (0.5, *[1.0] * 9)
    assert curve.low is not None
    assert curve.low[0] < 0.5
    assert violating_ranks(dataset, result) == [3, 1]


def test_directions_by_hand() -> None:
    """A violating passage alone in the list is the worst there is, not a missing value."""
    dataset = inns()
    result = result_of(dataset, q1=["quiet", "loud"], q2=["pool"], q3=["boat"])
    extended = add_pair_measures(dataset, result)
    assert extended.per_query["right_rank"] == {"q1": 1, "q2": 0, "q3": 0}
    assert extended.per_query["dR@1"] == {"q1": 1, "q2": -1, "q3": 0}
    assert extended.per_query["dMRR@10"] == {"q1": 0.5, "q2": -1, "q3": 0}
    assert extended.metrics["right_rank"] == pytest.approx(1 / 3)
    assert extended.metrics["R@1"] == result.metrics["R@1"]
