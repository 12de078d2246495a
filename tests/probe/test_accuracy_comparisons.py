"""Paired comparisons of the accuracy of two ways of retrieving."""

from __future__ import annotations

import math

from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.statistics import mcnemar
from logic_retrievers.probe import compare_accuracy


def test_a_comparison_over_what_both_answered() -> None:
    """A question that failed under one would count against it, or for it."""
    first = {"a": True, "b": False, "c": False, "d": True, "only": True}
    second = {"a": True, "b": True, "c": True, "d": False, "other": True}
    found = compare_accuracy(first, {"second": second, "none": {}})
    assert list(found) == ["second"]
    one = found["second"]
    assert (one.gained, one.lost, one.questions, one.left_out) == (2, 1, 4, 2)
    assert one.difference == bootstrap([0, 1, 1, -1])[0]
    assert one.p == one.p_corrected == mcnemar(2, 1)
    assert one.to_dict()["difference"]["mean"] == 0.25


def test_several_comparisons_are_corrected_together() -> None:
    first = {f"{n}": False for n in range(8)}
    found = compare_accuracy(
        first,
        {"all": dict.fromkeys(first, True), "same": first},
    )
    assert math.isclose(found["all"].p, 2 / 256)
    assert math.isclose(found["all"].p_corrected, 4 / 256)
    assert found["same"].p_corrected == 1
