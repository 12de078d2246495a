"""Figures are returned with the right curves in them, and never shown."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from benchmarks.common.plots import (
    label_figure,
    score_figure,
)
from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation import Estimate


def test_missing_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is one paste away from the figure."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[dev\]"):
        label_figure({}, "R@5")


def test_a_label_figure_has_a_bar_for_each_figure_and_none_for_what_is_absent():
    """A bar over the wrong label, or a missing figure as a zero, reads as a result."""
    systems = {
        "topical": {"a": {"R@5": Estimate(0.5, 0.4, 0.7)}, "b": {"R@5": Estimate(0.2, 0.1, 0.3)}},
        "boolean": {"b": {"R@5": Estimate(0.6, 0.6, 0.6)}, "c": {"V@5": Estimate(1, 1, 1)}},
    }
    (axes,) = label_figure(systems, "R@5").axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b"]
    topical, boolean = (bars for bars in axes.containers if hasattr(bars, "patches"))
    assert [bar.get_height() for bar in topical.patches] == [0.5, 0.2]
    assert [bar.get_height() for bar in boolean.patches] == [0.6]
    (over_b,) = boolean.patches
    assert over_b.get_x() == pytest.approx(1.0)
    assert topical.patches[1].get_x() + topical.patches[1].get_width() == pytest.approx(1.0)
    (segments,) = topical.errorbar.lines[2]
    np.testing.assert_allclose(
        [path[:, 1] for path in segments.get_segments()], [[0.4, 0.7], [0.1, 0.3]]
    )
    (nothing,) = label_figure({"topical": {}}, "R@5").axes
    assert len(nothing.patches) == 0


def test_a_score_figure_has_a_point_for_each_document():
    """Swapped axes turn the negation into the conjunction."""
    figure = score_figure({"before": ([1, 2], [3, 4]), "after": ([1], [2])})
    before, after = figure.axes
    np.testing.assert_array_equal(before.collections[0].get_offsets(), [[1, 3], [2, 4]])
    assert (after.get_title(), after.get_xlabel()) == ("after", "A and B")
    assert after.get_ylabel() == "A and not B"
