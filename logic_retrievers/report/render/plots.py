"""A figure of the report, drawn: wide with its panels side by side, or narrow for a telephone."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logic_retrievers.report.artefacts import (
    Bars,
    Curves,
    Figure,
    HeatMaps,
    Histograms,
    Scatter,
)
from logic_retrievers.report.render.kinds.bars import bar_figure
from logic_retrievers.report.render.kinds.curves import curve_panel
from logic_retrievers.report.render.kinds.grids import grid_figure
from logic_retrievers.report.render.kinds.histograms import histogram_panel
from logic_retrievers.report.render.kinds.panels import panelled
from logic_retrievers.report.render.kinds.scatter import scatter_panel
from logic_retrievers.report.render.style import plotting

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

DPI = 150


@dataclass(frozen=True, slots=True)
class Pictures:
    """A plot, drawn; the same figure gives the same bytes.

    Args:
        png: wide.
        svg: wide.
        narrow: as SVG, in a width that a telephone shows in full size.
    """

    png: bytes
    svg: str
    narrow: str


def pictures(figure: Figure) -> Pictures:
    """The plot of a figure as files.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with plotting():
        wide, narrow = draw(figure), draw(figure, narrow=True)
        return Pictures(_png(wide), _svg(wide), _svg(narrow))


def draw(figure: Figure, *, narrow: bool = False) -> Drawn:
    """The plot of a figure.

    Args:
        figure: as data.
        narrow: panels stand below one another.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    plot = figure.plot
    with plotting():
        match plot:
            case Curves():
                return panelled(plot.panels, curve_panel(plot), narrow=narrow)
            case Scatter():
                return panelled(plot.panels, scatter_panel(plot), narrow=narrow)
            case Histograms():
                return panelled(plot.panels, histogram_panel(plot), narrow=narrow, more=plot.marks)
            case HeatMaps():
                return grid_figure(plot, narrow=narrow)
            case Bars():
                return bar_figure(plot, narrow=narrow)


def described(figure: Figure) -> str:
    """What a reader who does not see the plot is told of it."""
    plot = figure.plot
    match plot:
        case HeatMaps():
            names = ", ".join(grid.title for grid in plot.maps)
            axes = f"{plot.row_name} against {plot.column_name}"
            return f"{figure.title}. Heat maps of {names}: {axes}."
        case Bars():
            return f"{figure.title}. Bars of {plot.y_label}: {_listed(plot.systems)}."
        case Histograms():
            return f"{figure.title}. Histograms over {plot.x_label}: {_listed(plot.panels)}."
        case _:
            labels = dict.fromkeys(label for panel in plot.panels.values() for label in panel)
            kind = "Points" if plot.kind == "scatter" else "Lines"
            axes = f"{plot.y_label} over {plot.x_label}"
            panels = f" Panels: {_listed(plot.panels)}." if len(plot.panels) > 1 else ""
            return f"{figure.title}. {kind} of {axes}: {_listed(labels)}.{panels}"


def _listed(names: object) -> str:
    return "; ".join(map(str, names))  # type: ignore[call-overload]


def _png(drawn: Drawn) -> bytes:
    target = io.BytesIO()
    # without the version of what drew it
    drawn.savefig(target, format="png", dpi=DPI, metadata={"Software": None})
    return target.getvalue()


def _svg(drawn: Drawn) -> str:
    target = io.StringIO()
    drawn.savefig(target, format="svg", dpi=DPI, metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    return text[text.index("<svg") :]  # a page knows what it is without a declaration
