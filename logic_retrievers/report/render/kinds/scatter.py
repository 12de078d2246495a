"""Points by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from logic_retrievers.report.artefacts import Scatter
from logic_retrievers.report.render.kinds.panels import DrawPanel
from logic_retrievers.report.render.style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 2000
"""Points of a panel from which an SVG holds them as a picture: as shapes they take megabytes."""
Points: TypeAlias = tuple[tuple[float, float], ...]


def scatter_panel(plot: Scatter) -> DrawPanel[Points]:
    """Draws the points of a panel."""

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
