"""Bars of several systems under each label."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from logic_retrievers.evaluation.plots import empty_figure
from logic_retrievers.report.artefacts import Bars, Measured
from logic_retrievers.report.render.kinds.panels import ALONE, HEIGHT, NARROW, WIDE, legend_below
from logic_retrievers.report.render.style import looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.82
"""Of the room between two labels that bars take."""
LYING = 0.17
"""Inches of a bar that lies."""
LETTER = 0.085
"""Inches of a letter of a label."""


def bar_figure(plot: Bars, *, narrow: bool) -> Figure:
    """Upright bars side by side; narrow, or too many to name, they lie one below the other."""
    groups, systems = max(1, len(plot.labels)), max(1, len(plot.systems))
    width = min(WIDE, max(ALONE, 1 + groups * max(0.9, 0.2 * systems)))
    letters = int((width - 1) / groups / LETTER)
    lying = narrow or any(len(word) > letters for label in plot.labels for word in label.split())
    if lying:
        letters = 14 if narrow else 28
    named = [textwrap.fill(label, max(1, letters)) for label in plot.labels]
    if lying:
        lines = max((name.count("\n") + 1 for name in named), default=1)
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
        there = [(at + shift, one) for at, one in enumerate(values) if one is not None]
        places, found = [at for at, _ in there], [one for _, one in there]
        means, reach = [one.value for one in found], _reach(found)
        bar: dict[str, Any] = {"label": name, "color": look.colour, "capsize": 1.5}
        bar |= {"error_kw": {"elinewidth": 0.9, "ecolor": "#22262b"}, "alpha": 0.9}
        if number >= 7:
            bar["hatch"] = "///"
        if lying:
            axes.barh(places, means, thick, xerr=reach, **bar)
        else:
            axes.bar(places, means, thick, yerr=reach, **bar)
    if lying:
        axes.set_yticks(range(len(named)), named)
        axes.set(xlabel=plot.y_label)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
    else:
        axes.set_xticks(range(len(named)), named)
        axes.set(ylabel=plot.y_label)
        axes.grid(visible=False, axis="x")
    legend_below(figure, [axes])
    return figure


def _reach(found: Sequence[Measured]) -> list[list[float]]:
    """How far the intervals go below and above the bars."""
    below = [0.0 if one.low is None else max(0.0, one.value - one.low) for one in found]
    above = [0.0 if one.high is None else max(0.0, one.high - one.value) for one in found]
    return [below, above]
