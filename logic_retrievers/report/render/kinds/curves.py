"""Lines over one pair of axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from logic_retrievers.report.artefacts import Curve, Curves
from logic_retrievers.report.render.kinds.panels import DrawPanel
from logic_retrievers.report.render.style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 25
"""Points of a line that are marked; of a longer one the marks would be all that is seen."""
LINE_STYLES = {"line": "default", "step": "steps-post", "marks": "default"}


def curve_panel(plot: Curves) -> DrawPanel[Curve]:
    """Draws the lines of a panel, each with its band."""

    def draw(axes: Axes, lines: Mapping[str, Curve], styles: Mapping[str, Look]) -> None:
        if plot.diagonal:
            axes.axline((0, 0), slope=1, color="#9aa1a9", linewidth=1, linestyle=(0, (4, 3)))
        for label, curve in lines.items():
            _line(axes, plot, label, curve, styles[label])
        axes.set(xlabel=plot.x_label, ylabel=plot.y_label)
        axes.set(xlim=plot.x_limits, ylim=plot.y_limits)

    return draw


def _line(axes: Axes, plot: Curves, label: str, curve: Curve, look: Look) -> None:
    band = curve.low is not None and curve.high is not None
    if band and plot.style == "marks":
        below = [max(0.0, y - low) for y, low in zip(curve.y, curve.low or (), strict=True)]
        above = [max(0.0, high - y) for y, high in zip(curve.y, curve.high or (), strict=True)]
        axes.errorbar(
            curve.x,
            curve.y,
            [below, above],
            fmt="none",
            ecolor=look.colour,
            elinewidth=1,
            alpha=0.6,
        )
    elif band:
        low, high = curve.low or (), curve.high or ()
        axes.fill_between(
            curve.x,
            low,
            high,
            step="post" if plot.style == "step" else None,
            color=look.colour,
            alpha=0.13,
            linewidth=0,
        )
    marked = plot.style == "marks" or (plot.style == "line" and len(curve.x) <= MANY)
    axes.plot(
        curve.x,
        curve.y,
        label=label,
        color=look.colour,
        marker=look.marker if marked else None,
        linestyle="none" if plot.style == "marks" else look.dashes,
        drawstyle=LINE_STYLES[plot.style],
    )
    for x, y, text in zip(curve.x, curve.y, curve.labels or (), strict=False):
        axes.annotate(
            text, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7.5, color="#444a52"
        )
