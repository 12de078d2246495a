"""Bar plots: several systems under each label."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.common.plots import empty_figure
from benchmarks.reproduction.artefacts import Bars, Measurement
from benchmarks.reproduction.render.panels import ALONE, HEIGHT, NARROW, WIDE, legend_below
from benchmarks.reproduction.render.style import looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.82
"""Of the room between two labels that bars take."""
LYING = 0.17
"""Inches of a bar that lies."""
LETTER = 0.085
"""Inches of a letter of a label."""


def bar_figure(plot: Bars, *, narrow: bool) -> Figure:
    """Vertical bars; horizontal ones in a narrow figure or with many labels."""
    groups, systems = max(1, len(plot.labels)), max(1, len(plot.systems))
    width = min(WIDE, max(ALONE, 1 + groups * max(0.9, 0.2 * systems)))
    letters = int((width - 1) / groups / LETTER)
    lying = narrow or any(len(word) > letters for label in plot.labels for word in label.split())
    if lying:
        letters = 14 if narrow else 28
    tick_labels = [textwrap.fill(label, max(1, letters)) for label in plot.labels]
    if lying:
        lines = max((name.count("\n") + 1 for name in tick_labels), default=1)
        height = 0.9 + groups * (LYING * max(systems, lines) + 0.14)
        figure = empty_figure(NARROW if narrow else ALONE, height)
    else:
        figure = empty_figure(width, HEIGHT)
    axes = figure.add_subplot()
    thick = SHARE / systems
    for number, ((name, values), look) in enumerate(
        zip(plot.systems.items(), looks(plot.systems).values(), strict=True)
    ):
        shift = (number - (systems - 1) / 2) * thick
        bars = [(at + shift, value) for at, value in enumerate(values) if value is not None]
        places, figures = [at for at, _ in bars], [figure for _, figure in bars]
        means, reach = [figure.value for figure in figures], _error_bars(figures)
        bar: dict[str, Any] = {"label": name, "color": look.colour, "capsize": 1.5}
        bar |= {"error_kw": {"elinewidth": 0.9, "ecolor": "#22262b"}, "alpha": 0.9}
        if number >= 7:
            bar["hatch"] = "///"
        if lying:
            axes.barh(places, means, thick, xerr=reach, **bar)
        else:
            axes.bar(places, means, thick, yerr=reach, **bar)
    if lying:
        axes.set_yticks(range(len(tick_labels)), tick_labels)
        axes.set(xlabel=plot.y_label)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
    else:
        axes.set_xticks(range(len(tick_labels)), tick_labels)
        axes.set(ylabel=plot.y_label)
        axes.grid(visible=False, axis="x")
    legend_below(figure, [axes])
    return figure


def _error_bars(figures: Sequence[Measurement]) -> list[list[float]]:
    """Distances from the bars to the ends of their intervals."""
    below = [
        0.0 if figure.low is None else max(0.0, figure.value - figure.low) for figure in figures
    ]
    above = [
        0.0 if figure.high is None else max(0.0, figure.high - figure.value) for figure in figures
    ]
    return [below, above]
