"""The data of tables and figures as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from benchmarks.reproduction.artefacts import (
    Bars,
    Cell,
    Curves,
    Figure,
    HeatMaps,
    Histograms,
    Measurement,
    Scatter,
    Table,
)
from logic_retrievers.html import csv_cell


def figure_csv(figure: Figure) -> str:
    """A line per point, bin, cell or bar of a plot."""
    plot = figure.plot
    match plot:
        case Curves():
            heads = ["panel", "line", plot.x_label, plot.y_label, "low", "high", "label"]
            return _csv(heads, _curve_rows(plot))
        case Scatter():
            return _csv(["panel", "group", plot.x_label, plot.y_label], _point_rows(plot))
        case Histograms():
            return _csv(["panel", "group", f"{plot.x_label} from", "to", "count"], _bin_rows(plot))
        case HeatMaps():
            return _csv(["map", plot.row_name, plot.column_name, "value"], _grid_rows(plot))
        case Bars():
            heads = ["system", "label", plot.y_label, "low", "high", "p", "unit"]
            return _csv(heads, _bar_rows(plot))


def table_csv(table: Table) -> str:
    """A line per row; ends of intervals and p have columns of their own."""
    parts = [_parts(table, place) for place in range(len(table.columns))]
    heads = [
        " ".join(filter(None, (column, part)))
        for column, present in zip(table.columns, parts, strict=True)
        for part in present
    ]
    rows = (
        [
            *(
                _part(cell, part)
                for cell, present in zip(row.cells, parts, strict=True)
                for part in present
            ),
            row.origin,
            row.note,
        ]
        for row in table.rows
    )
    return _csv([*heads, "origin", "note"], rows)


def _parts(table: Table, place: int) -> list[str]:
    """Parts of the cells of a column: the mean (with an empty name), interval, p, unit."""
    cells = [row.cells[place] for row in table.rows]
    figures = [cell for cell in cells if isinstance(cell, Measurement)]
    parts = ("low", "high", "p", "unit")
    return [
        "",
        *(
            name
            for name in parts
            if any(getattr(figure, name) not in (None, "") for figure in figures)
        ),
    ]


def _part(cell: Cell, part: str) -> Any:
    if isinstance(cell, Measurement):
        return getattr(cell, part or "value")
    return None if part else cell


def _curve_rows(plot: Curves) -> Iterator[Sequence[Any]]:
    for panel, lines in plot.panels.items():
        for label, curve in lines.items():
            nothing = [None] * len(curve.x)
            yield from zip(
                [panel] * len(curve.x),
                [label] * len(curve.x),
                curve.x,
                curve.y,
                curve.low or nothing,
                curve.high or nothing,
                curve.labels or nothing,
                strict=True,
            )


def _point_rows(plot: Scatter) -> Iterator[Sequence[Any]]:
    for panel, groups in plot.panels.items():
        for label, points in groups.items():
            yield from ((panel, label, *point) for point in points)


def _bar_rows(plot: Bars) -> Iterator[Sequence[Any]]:
    for system, values in plot.systems.items():
        for label, value in zip(plot.labels, values, strict=True):
            if value is not None:
                yield system, label, value.value, value.low, value.high, value.p, value.unit


def _bin_rows(plot: Histograms) -> Iterator[Sequence[Any]]:
    for panel, groups in plot.panels.items():
        for label, counts in groups.items():
            bins = zip(plot.edges, plot.edges[1:], counts, strict=False)
            yield from ((panel, label, *row) for row in bins)


def _grid_rows(plot: HeatMaps) -> Iterator[Sequence[Any]]:
    for grid in plot.maps:
        for row, values in zip(plot.rows, grid.values, strict=True):
            for column, value in zip(plot.columns, values, strict=True):
                yield grid.title, row, column, value


def _csv(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([csv_cell(head) for head in heads])
    writer.writerows([csv_cell(cell) for cell in row] for row in rows)
    return target.getvalue()
