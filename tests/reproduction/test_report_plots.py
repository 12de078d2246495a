"""Every kind of plot is drawn with the right data in it, and the same again."""

from __future__ import annotations

import csv
import io
import re
import sys
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from artefact_samples import FIGURES
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from benchmarks.reproduction.artefacts import Bars, Curve, Curves, Figure, Measurement
from benchmarks.reproduction.render.csv_data import figure_csv
from benchmarks.reproduction.render.plots import alternative_text, draw, draw_pictures
from benchmarks.reproduction.render.style import COLOURS, looks
from logic_retrievers.errors import MissingExtraError


@pytest.mark.parametrize("kind", FIGURES)
def test_a_figure_is_the_same_twice(kind):
    """Two runs are compared file by file; a date or an id drawn at random makes all differ."""
    files = draw_pictures(FIGURES[kind])
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "svg.hashsalt": "other"}):
        again = draw_pictures(FIGURES[kind])
    assert files == again
    assert files.png.startswith(b"\x89PNG")
    for svg in (files.svg, files.narrow):
        assert svg.startswith("<svg")
        assert "<dc:date>" not in svg
        assert "matplotlib v" not in svg.lower()
        assert not re.search(r'(?:href|src)="(?!#|data:)', svg)
    assert files.svg != files.narrow
    assert b"Software" not in files.png


def test_settings_of_the_reader_come_back():
    """A library that changes how its user's own plots look is a nuisance."""
    with mpl.rc_context({"font.size": 17}):
        draw(FIGURES["bars"])
        assert mpl.rcParams["font.size"] == 17


def test_a_label_looks_the_same_in_every_panel():
    """Else the one legend is wrong for all panels but one."""
    figure = draw(FIGURES["curves"])
    nevir, exclu = figure.axes
    styles = looks(["topical", "auto"])
    assert [line.get_label() for line in nevir.lines] == ["topical", "auto"]
    assert nevir.lines[1].get_color() == exclu.lines[0].get_color() == styles["auto"].colour
    assert nevir.lines[1].get_marker() == exclu.lines[0].get_marker() == styles["auto"].marker
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["topical", "auto"]
    assert nevir.get_title(loc="left") == "NevIR"
    np.testing.assert_allclose(exclu.lines[0].get_ydata(), [0.2, 0.5, 0.9])


def test_more_labels_than_colours_differ_in_dashes():
    """Nine systems are usual, and seven colours are all that everybody tells apart."""
    result = looks(map(str, range(20)))
    assert len({(look.colour, str(look.dashes)) for look in result.values()}) == 20
    assert len(set(COLOURS)) == 7


def test_steps_hold_their_value():
    """Survival joined by slopes says what nobody measured."""
    (axes,) = draw(FIGURES["steps"]).axes
    assert axes.lines[0].get_drawstyle() == "steps-post"
    (axes,) = draw(FIGURES["curves"]).axes[:1]
    assert axes.lines[0].get_drawstyle() == "default"


def test_marks_are_not_joined():
    (axes,) = draw(FIGURES["marks"]).axes
    marks = [line for line in axes.lines if line.get_label() == "a"]
    assert [line.get_linestyle() for line in marks] == ["None"]
    (segments,) = axes.collections
    ends = [path[:, 1] for path in segments.get_segments()]
    np.testing.assert_allclose(ends, [[0.1, 0.3], [0.4, 0.6], [0.8, 1.0]])


def test_a_heat_map_has_row_and_column_where_they_belong():
    """Turned around, the recommended setting is the wrong one."""
    figure = draw(FIGURES["heat"])
    axes = next(ax for ax in figure.axes if ax.images)
    np.testing.assert_allclose(
        axes.images[0].get_array().filled(-1), [[0.1, 0.2, 0.3], [0.4, -1, 0.6]]
    )
    assert axes.images[0].origin == "lower"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("keep", "alpha")
    assert [label.get_text() for label in axes.get_xticklabels()] == [".1", ".5", "1"]
    frames = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert {frame.get_xy() for frame in frames} == {(-0.5, 0.5)}
    written = {(round(t.get_position()[0]), round(t.get_position()[1])): t for t in axes.texts}
    assert written[2, 0].get_text() == ".300"
    assert (1, 1) not in written


def test_a_histogram_shows_shares():
    """Counts would make the larger group look the more frequent one."""
    (axes,) = draw(FIGURES["histograms"]).axes
    heights = {
        patch.get_label(): list(patch.get_data().values)
        for patch in axes.patches
        if not patch.get_label().startswith("_") and patch.get_label()
    }
    assert heights == {"random": [0.75, 0.25], "against": [0.0, 0.0]}
    (line,) = axes.lines
    assert (line.get_label(), list(line.get_xdata())) == ("threshold", [0.7, 0.7])


def test_a_missing_bar_is_none_and_not_zero():
    (axes,) = draw(FIGURES["bars"]).axes
    topical, auto = (bars for bars in axes.containers if hasattr(bars, "patches"))
    assert [bar.get_height() for bar in topical.patches] == [0.5]
    assert [bar.get_height() for bar in auto.patches] == [0.6, 0.2]
    assert to_hex(auto.patches[0].get_facecolor()) == COLOURS[1].lower()
    (narrow,) = draw(FIGURES["bars"], narrow=True).axes
    assert [bar.get_width() for bar in narrow.containers[1].patches] == [0.5]
    (segments,) = topical.errorbar.lines[2]
    np.testing.assert_allclose([path[:, 1] for path in segments.get_segments()], [[0.4, 0.7]])


def test_names_of_bars_do_not_run_into_each_other():
    """Nine policies under their bars were one smear of letters."""
    labels = tuple(f"compatibility, queries that exclude {n}" for n in range(9))
    plot = Bars(
        y_label="ms",
        labels=labels,
        systems={"encoder": (Measurement(value=1.0),) * 9, "own": (Measurement(value=2.0),) * 9},
    )
    for narrow in (False, True):
        figure = draw(Figure(name="many", title="Many", caption="", plot=plot), narrow=narrow)
        figure.draw_without_rendering()
        (axes,) = figure.axes
        shown = [*axes.get_xticklabels(), *axes.get_yticklabels()]
        boxes = [label.get_window_extent() for label in shown if "exclude" in label.get_text()]
        assert len(boxes) == 9
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_points_stand_where_they_are():
    (axes,) = draw(FIGURES["scatter"]).axes
    np.testing.assert_allclose(axes.collections[0].get_offsets(), [[0.1, 0.2], [0.3, 0.4]])


def test_narrow_panels_stand_below_one_another():
    """Three panels on a telephone are three unreadable ones."""
    wide, narrow = (draw(FIGURES["curves"], narrow=is_narrow) for is_narrow in (False, True))
    for figure in (wide, narrow):
        figure.canvas.draw()
    assert wide.get_size_inches()[0] > 2 * narrow.get_size_inches()[0]
    (above, below) = (axes.get_position() for axes in narrow.axes)
    assert above.y0 > below.y1
    (left, right) = (axes.get_position() for axes in wide.axes)
    assert left.x1 < right.x0


def test_a_dollar_in_a_label_is_a_dollar():
    """As mathematics it would end the report with an error."""
    curve = Curve(x=(0, 1), y=(0, 1))
    plot = Curves(x_label=r"$\frac{$", y_label="$x", panels={"$^$": {r"$\n$": curve}})
    draw_pictures(Figure(name="a", title="A", caption="", plot=plot))


@pytest.mark.parametrize(
    ("kind", "lines", "last"),
    [
        ("curves", 9, ["ExcluIR", "auto", "3.0", "0.9", "0.8", "1.0", ""]),
        ("heat", 7, ["FVR / 11", "1", "1", "0.6"]),
        ("histograms", 5, ["before", "against", "0.5", "1.0", "0"]),
        ("scatter", 3, ["base", "a", "0.3", "0.4"]),
        ("bars", 4, ["auto", "not", "0.2", "0.1", "0.2", "0.04", ""]),
    ],
)
def test_the_data_of_a_figure(kind, lines, last):
    """Whoever draws it again must get the same picture."""
    rows = list(csv.reader(io.StringIO(figure_csv(FIGURES[kind]))))
    assert len(rows) == lines
    assert rows[-1] == last
    assert {len(row) for row in rows} == {len(last)}


def test_who_does_not_see_a_plot_is_told_of_it():
    assert alternative_text(FIGURES["curves"]) == (
        "The curves. Lines of V@5 over R@10: topical; auto. Panels: NevIR; ExcluIR."
    )
    assert alternative_text(FIGURES["bars"]) == "The bars. Bars of R@5: topical; auto."
    assert (
        alternative_text(FIGURES["heat"]) == "The heat. Heat maps of FVR / 11: alpha against keep."
    )


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[dev\]"):
        draw(FIGURES["bars"])
