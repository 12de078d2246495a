"""How often values fall into bins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from logic_retrievers.report.artefacts import Histograms
from logic_retrievers.report.render.kinds.panels import DrawPanel
from logic_retrievers.report.render.style import Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Counts: TypeAlias = tuple[int, ...]


def histogram_panel(plot: Histograms) -> DrawPanel[Counts]:
    """Draws the shares of a panel, so that groups of different sizes compare."""

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
