"""Columns, gains and bars: means over the right queries, corrections over the right rows."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from inn_queries import inns, result_of

from benchmarks.report.cells import bars, column, comparison_table, gains
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap

QUERIES = [f"q{n}" for n in range(12)]
ALONE = {query: query for query in QUERIES}
BASE = dict.fromkeys(QUERIES, 0.0)
BETTER = {query: float(n > 0) for n, query in enumerate(QUERIES)}
A_LITTLE = {query: float(n < 2) for n, query in enumerate(QUERIES)}


def test_each_row_is_tested_against_the_baseline_and_corrected_over_the_rows():
    """Uncorrected p values find something in every long table."""
    cells = column({"base": BASE, "better": BETTER, "a little": A_LITTLE}, ALONE, "base")
    alone = [paired_bootstrap(list(values.values()), QUERIES)[0].p for values in (BETTER, A_LITTLE)]
    assert [cells[name].p for name in ("better", "a little")] == pytest.approx(
        holm(alone), abs=1e-6
    )
    assert cells["base"].p is None
    assert (cells["better"].value, cells["base"].value) == (pytest.approx(11 / 12), 0)
    assert cells["better"].low < 11 / 12 < cells["better"].high


def test_a_query_that_a_measure_says_nothing_of_counts_nowhere():
    """Queries without a negation must not dilute a violation rate."""
    values = {query: (1.0 if n < 6 else math.nan) for n, query in enumerate(QUERIES)}
    cells = column({"base": BASE, "some": values, "none": dict.fromkeys(QUERIES, math.nan)}, ALONE)
    assert cells["some"].value == 1
    assert cells["none"] is None


def test_a_gain_is_the_first_less_the_second():
    """Reversed, every loss would look like a gain."""
    (better, worse, nothing) = gains([(BETTER, BASE), (BASE, BETTER), (BASE, {})], ALONE)
    assert better.value == -worse.value == pytest.approx(11 / 12, abs=1e-6)
    assert better.p == worse.p < 0.05
    assert nothing is None


def test_bars_stand_under_their_labels():
    labels = {query: ("AND" if n % 2 else "NOT") for n, query in enumerate(QUERIES)}
    labels["unasked"] = "OR"  # no bars: violations of queries without exclusions would show as zero
    values = {query: float(labels[query] == "AND") for query in QUERIES}
    plot = bars({"one": values, "other": BASE}, labels, ALONE, "P@1", baseline="other")
    assert plot.labels == ("NOT", "AND")
    assert [cell.value for cell in plot.systems["one"]] == [0, 1]
    assert plot.systems["one"][1].p < 0.05


def test_a_comparison_has_a_row_of_every_kind():
    dataset = inns()
    plain = result_of(dataset, q1=["loud", "quiet"], q2=["pool", "stable"])
    better = result_of(dataset, q1=["quiet", "loud"], q2=["stable", "pool"])
    table = comparison_table(
        "inns",
        "Inns",
        {"plain": plain, "better": replace(better, short_lists=2)},
        ["R@1", "paired_accuracy"],
        baseline="plain",
        published={"theirs": ("Someone 2020, table 1", {"R@1": 0.7})},
        absent={"CoDeR-Seq": "coder"},
        notes=["a note"],
    )
    assert table.columns == ("system", "R@1", "paired_accuracy")
    assert [row.origin for row in table.rows] == ["measured", "measured", "absent", "published"]
    first, second, missing, published = table.rows
    assert (first.cells[1].value, first.cells[1].p) == (0, None)
    assert (second.cells[1].value, second.cells[1].p) == (1, 1 / 10_001)
    assert second.cells[2] is None
    assert missing.cells == ("CoDeR-Seq", None, None)
    assert "coder-comparison" in missing.note
    assert published.cells == ("theirs", 0.7, None)
    assert table.notes[0] == "a note"
    assert "better (2 queries)" in table.notes[1]
