"""Plots of the report: wide with panels side by side, or narrow for a phone."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.reproduction.artefacts import (
    Bars,
    Curves,
    Figure,
    HeatMaps,
    Histograms,
    Scatter,
)
from benchmarks.reproduction.render.bar_plots import bar_figure
from benchmarks.reproduction.render.heat_maps import grid_figure
from benchmarks.reproduction.render.panel_plots import curve_panel, histogram_panel, scatter_panel
from benchmarks.reproduction.render.panels import draw_panels
from benchmarks.reproduction.render.style import plot_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

DPI = 150


@dataclass(frozen=True, slots=True)
class Pictures:
    """A plot as files; the same figure gives the same bytes.

    Args:
        png: wide.
        svg: wide.
        narrow: SVG in the width of a phone.
    """

    png: bytes
    svg: str
    narrow: str


def draw_pictures(figure: Figure) -> Pictures:
    """The plot of a figure as files.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with plot_settings():
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
    with plot_settings():
        match plot:
            case Curves():
                return draw_panels(plot.panels, curve_panel(plot), narrow=narrow)
            case Scatter():
                return draw_panels(plot.panels, scatter_panel(plot), narrow=narrow)
            case Histograms():
                return draw_panels(
                    plot.panels, histogram_panel(plot), narrow=narrow, more=plot.marks
                )
            case HeatMaps():
                return grid_figure(plot, narrow=narrow)
            case Bars():
                return bar_figure(plot, narrow=narrow)


def alternative_text(figure: Figure) -> str:
    """Text for readers who do not see the plot."""
    plot = figure.plot
    match plot:
        case HeatMaps():
            names = ", ".join(grid.title for grid in plot.maps)
            axes = f"{plot.row_name} against {plot.column_name}"
            return f"{figure.title}. Heat maps of {names}: {axes}."
        case Bars():
            return f"{figure.title}. Bars of {plot.y_label}: {_join_names(plot.systems)}."
        case Histograms():
            return f"{figure.title}. Histograms over {plot.x_label}: {_join_names(plot.panels)}."
        case _:
            labels = dict.fromkeys(label for panel in plot.panels.values() for label in panel)
            kind = "Points" if plot.kind == "scatter" else "Lines"
            axes = f"{plot.y_label} over {plot.x_label}"
            panels = f" Panels: {_join_names(plot.panels)}." if len(plot.panels) > 1 else ""
            return f"{figure.title}. {kind} of {axes}: {_join_names(labels)}.{panels}"


def _join_names(names: object) -> str:
    return "; ".join(map(str, names))  # type: ignore[call-overload]


def _png(figure: Drawn) -> bytes:
    target = io.BytesIO()
    # without the version of what drew it
    figure.savefig(target, format="png", dpi=DPI, metadata={"Software": None})
    return target.getvalue()


def _svg(figure: Drawn) -> str:
    target = io.StringIO()
    figure.savefig(target, format="svg", dpi=DPI, metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    return text[text.index("<svg") :]  # a page knows what it is without a declaration
