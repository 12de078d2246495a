"""Heat maps over a grid of settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.reproduction.artefacts import HeatMap, HeatMaps
from benchmarks.reproduction.render.panels import grid_of_axes
from benchmarks.reproduction.render.style import COLOUR_MAP
from benchmarks.reproduction.render.values import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

WRITTEN = 12
"""Columns of a grid whose values are written into it."""


def grid_figure(plot: HeatMaps, *, narrow: bool) -> Figure:
    """A panel per map, with the cell of the default framed."""
    height = min(6.5, max(2.6, 1.3 + 0.32 * len(plot.rows)))
    figure, places = grid_of_axes(len(plot.maps), narrow=narrow, height=height)
    for axes, grid in zip(places, plot.maps, strict=True):
        _grid(figure, axes, plot, grid)
    return figure


def _grid(figure: Figure, axes: Axes, plot: HeatMaps, grid: HeatMap) -> None:
    values = np.ma.masked_invalid(np.asarray(grid.values, dtype=float))
    image = axes.imshow(values, cmap=COLOUR_MAP, aspect="auto", origin="lower")
    axes.grid(visible=False)
    axes.set(title=grid.title, xlabel=plot.column_name, ylabel=plot.row_name)
    axes.set_xticks(range(len(plot.columns)), plot.columns)
    axes.set_yticks(range(len(plot.rows)), plot.rows)
    if len(plot.columns) <= WRITTEN:
        small = 8.0 if len(plot.columns) <= 6 else 6.5
        middle = (values.min() + values.max()) / 2
        for (row, column), value in _cell_values(values):
            axes.text(
                column, row, format_number(value), ha="center", va="center", fontsize=small,
                color="white" if value < middle else "black",
            )  # fmt: skip
    if plot.chosen is not None:
        row, column = plot.chosen
        for colour, width in (("white", 4.5), ("#D55E00", 2.2)):
            axes.add_patch(_frame(row, column, colour, width))
    figure.colorbar(image, ax=axes)


def _cell_values(values: np.ma.MaskedArray[Any, Any]) -> Iterator[tuple[tuple[int, int], float]]:
    """Place and value of the cells that are not masked."""
    for row, column in np.argwhere(~np.ma.getmaskarray(values)):
        yield (int(row), int(column)), float(values[row, column])


def _frame(row: int, column: int, colour: str, width: float) -> Rectangle:
    from matplotlib.patches import Rectangle

    corner = (column - 0.5, row - 0.5)
    return Rectangle(corner, 1, 1, fill=False, edgecolor=colour, linewidth=width, clip_on=False)
