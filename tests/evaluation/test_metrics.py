"""Metrics against cases worked by hand and against plain definitions."""

from __future__ import annotations

import math
import statistics
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation.metrics import (
    constraint_ndcg_at_k,
    first_violating_rank,
    mean_rank_violation,
    paired_accuracy,
    ranks_above,
    recall_at_k,
    standard_metrics,
    violation_at_k,
)

documents = st.sampled_from("abcdefghijklmnop")
lists = st.lists(documents, unique=True)
labels = st.frozensets(documents)
names = "abcdefghij"


@pytest.mark.parametrize(
    ("ranked", "first", "at"),
    [
        ("vxyz", 1, [1, 1, 1]),
        ("xyvz", 3, [0, 0, 1]),
        ("xyzw", 11, [0, 0, 0]),
        ("x", 11, [0, 0, 0]),
        ("", 11, [0, 0, 0]),
        ("abcdefghijv", 11, [0, 0, 0]),
        ("abcdefghiv", 10, [0, 0, 0]),
    ],
)
def test_violations_by_hand(ranked: str, first: int, at: list[int]) -> None:
    """An off-by-one in the rank shifts every FVR and V@k."""
    assert first_violating_rank(ranked, {"v"}) == first
    assert [violation_at_k(ranked, {"v"}, k) for k in (1, 2, 5)] == at


@given(lists, labels, st.integers(1, 20))
def test_the_violation_metrics_agree(ranked: list[str], violating: frozenset[str], k: int) -> None:
    """V@k, FVR and NegRecall@k tell one story, or one of them is wrong."""
    first = first_violating_rank(ranked, violating, k)
    violated = violation_at_k(ranked, violating, k)
    assert violated == float(first <= k) == float(bool(violating.intersection(ranked[:k])))
    assert first <= k + 1
    recall = recall_at_k(ranked, violating, k)
    if violating:
        assert recall == len(set(ranked[:k]) & violating) / len(violating)
    else:
        assert math.isnan(recall)


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
    """Counting a tie or two missing documents as right hands out points for nothing."""
    assert ranks_above(ranked, {"own"}, {"other"}) is above


def test_paired_accuracy_needs_both() -> None:
    """Half a pair is no success, and a pair that lost a query is no pair."""
    correct = [("p", True), ("q", True), ("p", True), ("q", False), ("alone", True)]
    assert paired_accuracy(correct) == {"p": 1.0, "q": 0.0}


def reference(ranked: list[str], grades: dict[str, int]) -> dict[str, float]:
    """The standard metrics from their textbook definitions."""
    relevant = [document in grades for document in ranked[:10]]

    def dcg(gains: list[int], k: int) -> float:
        return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:k]))

    gains = [grades.get(document, 0) for document in ranked]
    best = sorted(grades.values(), reverse=True)
    precisions = [sum(relevant[: i + 1]) / (i + 1) for i, hit in enumerate(relevant) if hit]
    return {
        "P@1": float(relevant[:1] == [True]),
        "nDCG@5": dcg(gains, 5) / dcg(best, 5),
        "nDCG@10": dcg(gains, 10) / dcg(best, 10),
        "MRR@10": next((1 / (i + 1) for i, hit in enumerate(relevant) if hit), 0.0),
        "MAP@10": sum(precisions) / len(grades),
    }


@given(
    st.lists(
        st.tuples(lists, st.dictionaries(documents, st.integers(1, 3), min_size=1)), min_size=1
    )
)
def test_standard_metrics_keep_our_order(cases: list[tuple[list[str], dict[str, int]]]) -> None:
    """trec_eval re-sorts ties by id: metrics would then belong to another list than ours."""
    names = [f"q {i}" for i in range(len(cases))]
    found = standard_metrics(
        {name: grades for name, (_, grades) in zip(names, cases, strict=True)},
        {name: ranked for name, (ranked, _) in zip(names, cases, strict=True)},
    )
    for name, (ranked, grades) in zip(names, cases, strict=True):
        assert {metric: of[name] for metric, of in found.items()} == pytest.approx(
            reference(ranked, grades)
        )


def test_a_missing_extra_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare ImportError leaves the user to guess which package it is."""
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[eval\]"):
        standard_metrics({"q": {"a": 1}}, {"q": ["a"]})


@given(
    st.lists(st.sampled_from(names), unique=True),
    st.sets(st.sampled_from(names[:5])),
    st.sets(st.sampled_from(names[5:])),
)
def test_violation_against_the_definition(
    ranked: list[str], right: set[str], wrong: set[str]
) -> None:
    """A tie counted as a violation, or a missing document left out, moves the rate by points."""
    value = mean_rank_violation(ranked, right, wrong)
    if not right or not wrong:
        assert math.isnan(value)
        return

    def mean(documents: set[str]) -> float:
        end = len(ranked) + 1
        return statistics.fmean(ranked.index(d) + 1 if d in ranked else end for d in documents)

    if not math.isclose(mean(right), mean(wrong)):
        assert value == float(mean(wrong) < mean(right))
    else:
        assert value == 0
