"""Kaplan and Meier by hand, and what a cut list does to it."""

from __future__ import annotations

import pytest
from inn_queries import inns, result_of

from benchmarks.reproduction.survival_curves import Lifetimes

OTHERS = ["boat", "train"]


def lifetimes(**lists: list[str]) -> Lifetimes:
    dataset = inns()
    return Lifetimes(dataset, result_of(dataset, **lists))


def long(ids: list[str]) -> list[str]:
    """A list that reaches beyond the tenth rank."""
    return [*ids, *(f"other {n}" for n in range(12))]


def test_the_product_limit_by_hand() -> None:
    """q1 violates at 1, q2 ends after 2 without: one of two at risk at rank 3 violates there."""
    times = lifetimes(q1=long(["loud"]), q2=OTHERS, q3=long([*OTHERS, "stable"]), q4=long([]))
    curve = times.curve()
    assert curve.x == tuple(map(float, range(11)))
    assert curve.y == pytest.approx([1, 0.75, 0.75, *[0.375] * 8])
    assert curve.low is not None
    assert curve.high is not None
    assert all(
        low <= y <= high for low, y, high in zip(curve.low, curve.y, curve.high, strict=True)
    )


def test_a_cut_list_is_no_evidence_of_survival() -> None:
    """Counted as free of violations to the end, an empty list would be the best system."""
    cut = lifetimes(q1=[], q2=long(["pool"]))
    assert cut.curve().y[1] == 0


def test_the_restricted_mean_of_long_lists_is_the_mean_fvr() -> None:
    dataset = inns()
    result = result_of(dataset, q1=long(["loud"]), q2=long(["boat", "pool"]), q3=long([]))
    assert Lifetimes(dataset, result).restricted_mean().mean == pytest.approx(result.metrics["FVR"])


def test_differences_of_means_are_tested_in_pairs() -> None:
    lists = {"q1": long(["loud"]), "q2": long(["pool"]), "q3": long(["stable"])}
    first = lifetimes(**lists)
    better = lifetimes(**dict.fromkeys(lists, long([])))
    assert first.p_value(lifetimes(**lists)) == 1
    assert better.p_value(first) == 1 / 10_001
    assert first.curve(seed=1) == lifetimes(**lists).curve(seed=1)
