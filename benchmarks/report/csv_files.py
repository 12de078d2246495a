"""Write the data of tables and figures as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.report.artefacts import Bars, Curves, Figure, Histograms, Measurement, Table
from logic_retrievers.files import csv_text

PARTS = ("low", "high", "p", "unit")


def table_csv(table: Table) -> str:
    """Write one line per row; interval ends, p and unit have their own columns."""
    heads: list[str] = []
    columns: list[list[Any]] = []
    for place, head in enumerate(table.columns):
        cells = [row.cells[place] for row in table.rows]
        heads.append(head)
        columns.append([c.value if isinstance(c, Measurement) else c for c in cells])
        for part in PARTS:
            values = [getattr(c, part) if isinstance(c, Measurement) else None for c in cells]
            if any(value not in (None, "") for value in values):
                heads.append(f"{head} {part}")
                columns.append(values)
    heads += ["origin", "note"]
    columns += [[row.origin for row in table.rows], [row.note for row in table.rows]]
    return csv_text(heads, zip(*columns, strict=True))


def figure_csv(figure: Figure) -> str:
    """Write one line per point, bin or bar of a plot."""
    plot = figure.plot
    if isinstance(plot, Bars):
        return csv_text(["system", "label", plot.y_label, *PARTS], _bars(plot))
    if isinstance(plot, Histograms):
        heads = ["panel", "group", f"{plot.x_label} from", "to", "count"]
    else:
        heads = ["panel", "group", plot.x_label, plot.y_label]
        heads += ["low", "high"] if isinstance(plot, Curves) else []
    rows = (
        (panel, label, *values)
        for panel, groups in plot.panels.items()
        for label, data in groups.items()
        for values in _lines(plot, data)
    )
    return csv_text(heads, rows)


def _lines(plot: Any, data: Any) -> Iterator[Sequence[Any]]:
    """Yield the values of one label of a panel."""
    if isinstance(plot, Histograms):
        yield from zip(plot.edges, plot.edges[1:], data, strict=False)
    elif isinstance(plot, Curves):
        blank = [None] * len(data.x)
        yield from zip(data.x, data.y, data.low or blank, data.high or blank, strict=True)
    else:
        yield from data


def _bars(plot: Bars) -> Iterator[Sequence[Any]]:
    for system, values in plot.systems.items():
        for label, value in zip(plot.labels, values, strict=True):
            if value is not None:
                parts = (getattr(value, part) for part in PARTS)
                yield system, label, value.value, *parts
