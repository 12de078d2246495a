"""Metrics against hand-worked cases and plain definitions."""

from __future__ import annotations

import math

import pytest

from logic_retrievers.evaluation.metrics import (
    constraint_ndcg_at_k,
    first_violating_rank,
    mean_rank_violation,
    ranks_above,
    recall_at_k,
    standard_metrics,
    violation_at_k,
)


@pytest.mark.parametrize(
    ("ranked", "first", "at"),
    [
        ("vxyz", 1, [1, 1, 1]),
        ("xyvz", 3, [0, 0, 1]),
        ("xyzw", 11, [0, 0, 0]),
        ("", 11, [0, 0, 0]),
        ("abcdefghijv", 11, [0, 0, 0]),
        ("abcdefghiv", 10, [0, 0, 0]),
    ],
)
def test_violations_by_hand(ranked: str, first: int, at: list[int]) -> None:
    """An off-by-one in the rank shifts every FVR and V@k."""
    assert first_violating_rank(ranked, {"v"}) == first
    assert [violation_at_k(ranked, {"v"}, k) for k in (1, 2, 5)] == at


def test_recall_by_hand() -> None:
    assert [recall_at_k("avbw", set("vw"), k) for k in (1, 2, 9)] == [0, 0.5, 1]
    assert math.isnan(recall_at_k("av", set(), 2))


def test_constraint_ndcg_by_hand() -> None:
    """Gains 2/1/0; the ideal list is cut at k as well."""
    best = 2 + 1 / math.log2(3) + 1 / 2
    assert constraint_ndcg_at_k("snmv", {"s"}, {"n", "m"}, 10) == pytest.approx(1)
    assert constraint_ndcg_at_k("vs", {"s"}, {"n", "m"}, 10) == pytest.approx(
        2 / math.log2(3) / best
    )
    assert constraint_ndcg_at_k("n", {"s"}, {"n", "m"}, 1) == pytest.approx(0.5)
    assert math.isnan(constraint_ndcg_at_k("v", set(), set(), 10))


@pytest.mark.parametrize(
    ("ranked", "above"),
    [
        ([("x", 0.9), ("own", 0.8), ("other", 0.7)], True),
        ([("other", 0.8), ("own", 0.7)], False),
        ([("own", 0.8), ("other", 0.8)], False),
        ([("own", 0.8)], True),
        ([("other", 0.8)], False),
        ([("x", 0.9)], False),
        ([], False),
        ([("own", 0.2), ("other", 0.9)], True),
    ],
    ids=["above", "below", "tie", "other missing", "own missing", "both missing", "empty", "order"],
)
def test_one_query_of_a_pair(ranked: list[tuple[str, float]], above: bool) -> None:
    """A tie, or two missing documents, must not count as right."""
    assert ranks_above(ranked, {"own"}, {"other"}) is above


def test_standard_metrics_keep_our_order() -> None:
    """trec_eval re-sorts ties by id, so its metrics would describe a different list."""
    grades = {"q 1": {"z": 2, "c": 1}, "q 2": {"a": 1}, "none": {"a": 1}}
    found = standard_metrics(grades, {"q 1": [*"azbc"], "q 2": [*"ba"], "none": []})
    dcg = 2 / math.log2(3) + 1 / math.log2(5)
    assert found["nDCG@10"] == pytest.approx(
        {"q 1": dcg / (2 + 1 / math.log2(3)), "q 2": 1 / math.log2(3), "none": 0}
    )
    assert found["MRR@10"] == {"q 1": 0.5, "q 2": 0.5, "none": 0}
    assert found["MAP@10"] == {"q 1": 0.5, "q 2": 0.5, "none": 0}
    assert found["P@1"] == {"q 1": 0, "q 2": 0, "none": 0}
    assert standard_metrics({"q": {"a": 1}}, {"q": [*"za"]}, depth=1) == {"P@1": {"q": 0}}


@pytest.mark.parametrize(
    ("ranked", "right", "wrong", "violates"),
    [
        ("wr", "r", "w", 1),
        ("rw", "r", "w", 0),
        ("rwxs", "rs", "w", 1),
        ("rwvs", "rs", "wv", 0),  # equal means
        ("w", "r", "w", 1),  # a missing document ranks one after the end
        ("", "r", "w", 0),
        ("rw", "", "w", math.nan),
        ("rw", "r", "", math.nan),
    ],
)
def test_mean_rank_violation(ranked: str, right: str, wrong: str, violates: float) -> None:
    """Counting a tie, or skipping a missing document, shifts the rate by points."""
    value = mean_rank_violation(ranked, set(right), set(wrong))
    assert value == pytest.approx(violates, nan_ok=True)
