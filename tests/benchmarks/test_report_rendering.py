"""The page, texts and pictures: exact numbers, and texts shown as plain text."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from benchmarks.report.artefacts import (
    Bars,
    Curve,
    Curves,
    Figure,
    Histograms,
    Measurement,
    Row,
    Scatter,
    Section,
    Table,
)
from benchmarks.report.markdown import markdown_summary, markdown_table
from benchmarks.report.marks import NOTHING, format_interval, format_number, mark
from benchmarks.report.plots import draw
from benchmarks.report.render import write_report
from logic_retrievers.errors import StorageError

CURVE = Curve(x=(1, 2, 3), y=(0.2, 0.5, 0.9), low=(0.1, 0.4, 0.8), high=(0.3, 0.6, 1.0))
SHORT = Curve(x=(1, 2), y=(0.1, math.nan))
HALF, SIXTH = Measurement(value=0.5, low=0.4, high=0.7), Measurement(value=0.6)
PLOTS = {
    "curves": Curves(
        x_label="R@10",
        y_label="V@5",
        panels={"NevIR": {"topical": CURVE, "auto": SHORT}, "ExcluIR": {"auto": CURVE}},
    ),
    "steps": Curves(x_label="rank", y_label="$\\frac{", panels={"": {"$a": CURVE}}, style="step"),
    "histograms": Histograms(
        x_label="Hoyer",
        edges=(0.0, 0.5, 1.0),
        panels={"before": {"random": (3, 1), "against": (0, 0)}},
        marks={"threshold": 0.7},
    ),
    "scatter": Scatter(x_label="A", y_label="B", panels={"base": {"a": ((0.1, 0.2), (0.3, 0.4))}}),
    "bars": Bars(
        y_label="R@5",
        labels=("and", "not"),
        systems={
            "topical": (HALF, None),
            "auto": (SIXTH, Measurement(value=0.2, low=0.1, high=0.2, p=0.04)),
        },
    ),
}
FIGURES = {
    name: Figure(name=name, title=f"The {name}", caption="How to read it: `V@5`.", plot=plot)
    for name, plot in PLOTS.items()
}
OTHERS = "CoDeR, table 2: bge-large, lists that are cut"
TABLE = Table(
    name="table",
    title="Violations & recall",
    columns=("system", "V@5", "FVR", "latency", "kappa"),
    rows=(
        Row(
            cells=(
                "topical",
                Measurement(value=0.839, low=0.79, high=0.888),
                Measurement(value=1.75, low=1.5, high=2.0),
                Measurement(value=3.25, unit="ms"),
                0.1,
            )
        ),
        Row(
            cells=(
                "auto",
                Measurement(value=0.4, low=0.35, high=0.45, p=0.001),
                Measurement(value=5.0, low=4.5, high=5.5, p=0.001),
                Measurement(value=4.5, unit="ms", p=0.01),
                1205,
            )
        ),
        Row(cells=("CoDeR-Union", 0.788, 4.28, None, None), origin="published", note=OTHERS),
        Row(cells=("CoDeR-Seq", 0.794, 4.26, None, None), origin="published", note=OTHERS),
        Row(cells=("LORE", *[None] * 4), origin="absent", note="`recipe.toml` makes it"),
    ),
    baseline="topical",
    notes=("205 queries.",),
    better={"latency": "lower"},
)
SECTION = Section(
    name="every-kind",
    title="Every kind",
    text=("Before: `logic-retrievers report out`.",),
    artefacts=(TABLE, *FIGURES.values()),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_report([SECTION], folder)
    return folder


@pytest.fixture
def text(folder):
    return (folder / "report.html").read_text("utf-8")


def test_all_files_are_written_and_written_alike(folder, tmp_path):
    """Two runs are compared file by file."""
    path = write_report([SECTION], tmp_path)
    assert path == tmp_path / "report.html"
    names = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.*"))
    figures = [f"figures/{name}.{end}" for name in FIGURES for end in ("csv", "png", "svg")]
    tables = [f"tables/table.{end}" for end in ("csv", "md")]
    assert names == sorted(["REPORT.md", "report.html", "summary.md", *figures, *tables])
    for name in names:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    with pytest.raises(StorageError):
        write_report([SECTION], tmp_path / "out")


def test_the_page_tells_rows_and_marks_apart(text):
    """The report must never show published numbers as if from our run."""
    rows = re.findall(r'<tr class="(.*?)">(.*?)</tr>', text, re.DOTALL)
    assert [kind for kind, _ in rows] == [*["measured"] * 2, *["published"] * 2, "absent"]
    assert ".839" in rows[0][1]
    assert ".790 to .888" in rows[0][1]
    assert re.findall(r'class="mark (\w+)"', rows[1][1]) == ["better", "better", "worse"]
    assert all('href="#table-a"' in row for _, row in rows[2:4])
    assert "not run" in rows[4][1]


def test_markdown_of_a_table():
    none = f"{NOTHING} | {NOTHING}"
    assert (
        markdown_table(TABLE)
        == f"""\
**Violations \\& recall**

| system | V@5 | FVR | latency | kappa |
| --- | ---: | ---: | ---: | ---: |
| topical (baseline) | .839 (.790 to .888) | 1.75 (1.50 to 2.00) | 3.25 ms | .100 |
| auto | .400 (.350 to .450) ▲ | 5.00 (4.50 to 5.50) ▲ | 4.50 ms ▼ | 1,205 |
| CoDeR-Union (published, a) | .788 | 4.28 | {none} |
| CoDeR-Seq (published, a) | .794 | 4.26 | {none} |
| LORE (not run, b) | {none} | {none} |

- 205 queries.
- a: CoDeR, table 2: bge-large, lists that are cut
- b: `recipe.toml` makes it
"""
    )
    summary = markdown_summary([SECTION])
    assert "| auto | .400 ▲ | 5.00 ▲ | 4.50 ms ▼ | 1,205 |" in summary
    assert "CoDeR" not in summary


def test_numbers_are_short():
    shown = {0.8394: ".839", -0.25: "\N{MINUS SIGN}.250", 0.00012: ".00012", 98765.4: "98,765"}
    assert {value: format_number(value) for value in shown} == shown
    assert format_number(math.nan) == "not a number"
    # an interval's ends have as many decimals as its mean
    assert format_interval(Measurement(value=9.98, low=9.7, high=10.245)) == "9.70 to 10.24"


@pytest.mark.parametrize(
    ("column", "value", "p", "found"),
    [
        ("V@5", 0.2, 0.049, "better"), ("V@5", 0.8, 0.01, "worse"),
        ("nDCG@10", 0.8, 0.01, "better"), ("ExcluIR V@10", 0.8, 0.01, "worse"),
        ("FVR", 0.2, 0.01, "worse"), ("r", 0.8, 0.01, "higher"), ("V@5", 0.2, 0.05, "alike"),
        ("V@5", 0.2, None, ""), ("V@5", 0.5, 0.01, ""), ("V@5", 0.2, float("nan"), "alike"),
    ],
)  # fmt: skip
def test_a_mark_says_which_way_is_better(column, value, p, found):
    """Fewer violations are better and less recall is worse; reversed, the report lies."""
    assert mark(column, Measurement(value=value, p=p), Measurement(value=0.5)) == found


def test_plots_hold_their_data():
    (axes,) = draw(FIGURES["steps"]).axes
    assert axes.lines[0].get_drawstyle() == "steps-post", "slopes would say what was not measured"
    (axes,) = draw(FIGURES["histograms"]).axes
    heights = {
        patch.get_label(): list(patch.get_data().values)
        for patch in axes.patches
        if patch.get_label() in ("random", "against")
    }
    assert heights == {"random": [0.75, 0.25], "against": [0.0, 0.0]}, "shares, not counts"
    (axes,) = draw(FIGURES["scatter"]).axes
    np.testing.assert_allclose(axes.collections[0].get_offsets(), [[0.1, 0.2], [0.3, 0.4]])
    (axes,) = draw(FIGURES["bars"]).axes
    topical, auto = (bars for bars in axes.containers if hasattr(bars, "patches"))
    assert [bar.get_width() for bar in topical.patches] == [0.5], "a missing bar is not zero"
    assert [bar.get_width() for bar in auto.patches] == [0.6, 0.2]
