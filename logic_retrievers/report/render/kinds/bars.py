"""Bars of several systems under each label."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from logic_retrievers.evaluation.plots import empty_figure
from logic_retrievers.report.artefacts import Bars, Measured
from logic_retrievers.report.render.kinds.panels import ALONE, HEIGHT, NARROW, legend_below
from logic_retrievers.report.render.style import looks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHARE = 0.82
"""Of the room between two labels that bars take."""
WIDEST = 12.6
LYING = 0.17
"""Inches of a bar that lies."""


def bar_figure(plot: Bars, *, narrow: bool) -> Figure:
    """Upright bars side by side; narrow, they lie one below the other."""
    groups, systems = max(1, len(plot.labels)), max(1, len(plot.systems))
    if narrow:
        figure = empty_figure(NARROW, 0.9 + groups * (LYING * systems + 0.14))
    else:
        width = min(WIDEST, max(ALONE, 1 + groups * max(0.9, 0.2 * systems)))
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
        if narrow:
            axes.barh(places, means, thick, xerr=reach, **bar)
        else:
            axes.bar(places, means, thick, yerr=reach, **bar)
    if narrow:
        axes.set_yticks(range(len(plot.labels)), [textwrap.fill(x, 14) for x in plot.labels])
        axes.set(xlabel=plot.y_label)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
    else:
        axes.set_xticks(range(len(plot.labels)), [textwrap.fill(x, 16) for x in plot.labels])
        axes.set(ylabel=plot.y_label)
        axes.grid(visible=False, axis="x")
    legend_below(figure, [axes])
    return figure


def _reach(found: Sequence[Measured]) -> list[list[float]]:
    """How far the intervals go below and above the bars."""
    below = [0.0 if one.low is None else max(0.0, one.value - one.low) for one in found]
    above = [0.0 if one.high is None else max(0.0, one.high - one.value) for one in found]
    return [below, above]
