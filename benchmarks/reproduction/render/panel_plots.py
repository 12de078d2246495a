"""Plots within a panel: curves, histograms, scatter plots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.reproduction.artefacts import Curve, Curves, Histograms, Scatter
from benchmarks.reproduction.render.panels import DrawPanel
from benchmarks.reproduction.render.style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 25
"""Points of a line that are marked; of a longer one the marks would be all that is seen."""
LINE_STYLES = {"line": "default", "step": "steps-post", "marks": "default"}


def curve_panel(plot: Curves) -> DrawPanel[Curve]:
    """Returns a function that draws the lines of a panel, each with its band."""

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
    has_markers = plot.style == "marks" or (plot.style == "line" and len(curve.x) <= MANY)
    axes.plot(
        curve.x,
        curve.y,
        label=label,
        color=look.colour,
        marker=look.marker if has_markers else None,
        linestyle="none" if plot.style == "marks" else look.dashes,
        drawstyle=LINE_STYLES[plot.style],
    )
    for x, y, text in zip(curve.x, curve.y, curve.labels or (), strict=False):
        axes.annotate(
            text, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7.5, color="#444a52"
        )


if TYPE_CHECKING:
    from matplotlib.axes import Axes

Counts: TypeAlias = tuple[int, ...]


def histogram_panel(plot: Histograms) -> DrawPanel[Counts]:
    """Returns a function that draws the shares of a panel, comparable for groups of any size."""

    def draw(axes: Axes, groups: Mapping[str, Counts], styles: Mapping[str, Look]) -> None:
        for label, counts in groups.items():
            look, total = styles[label], max(1, sum(counts))
            shares = [count / total for count in counts]
            axes.stairs(shares, plot.edges, color=look.colour, fill=True, alpha=0.18)
            axes.stairs(
                shares, plot.edges, color=look.colour, linestyle=look.dashes, linewidth=1.6,
                label=label,
            )  # fmt: skip
        for label, value in plot.marks.items():
            axes.axvline(value, color=styles[label].colour, linestyle=(0, (4, 2)), label=label)
        axes.set(xlabel=plot.x_label, ylabel="share")
        axes.set_xlim(plot.edges[0], plot.edges[-1])

    return draw


if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 2000
"""Points of a panel from which an SVG holds them as a picture: as shapes they take megabytes."""
Points: TypeAlias = tuple[tuple[float, float], ...]


def scatter_panel(plot: Scatter) -> DrawPanel[Points]:
    """Returns a function that draws the points of a panel."""

    def draw(axes: Axes, groups: Mapping[str, Points], styles: Mapping[str, Look]) -> None:
        total = sum(map(len, groups.values()))
        for label, points in groups.items():
            look = styles[label]
            axes.scatter(
                [x for x, _ in points],
                [y for _, y in points],
                s=14 if total <= MANY else 6,
                alpha=0.6 if total <= MANY else 0.35,
                color=look.colour,
                marker=look.marker,
                linewidths=0,
                label=label,
                rasterized=total > MANY,
            )
        axes.set(xlabel=plot.x_label, ylabel=plot.y_label)

    return draw
