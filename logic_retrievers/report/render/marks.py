"""Whether a figure differs from the baseline's, and whether that is for the better."""

from __future__ import annotations

import re
from enum import StrEnum

from logic_retrievers.report.artefacts import Cell, Measured, Row, Table

LEVEL = 0.05
"""Corrected p from which on the data do not tell two rows apart."""

KNOWN = {
    "higher": re.compile(r"(R|nDCG|MAP|MRR|P|AP|RR|Success)@\d+|FVR(@\d+)?|MAP|MRR"),
    "lower": re.compile(r"V@\d+"),
}
"""The measures of ``logic_retrievers.evaluation``, by which direction is the better one."""


class Mark(StrEnum):
    """What is said of a figure beside the baseline's."""

    BETTER = "better"
    WORSE = "worse"
    HIGHER = "higher"
    LOWER = "lower"
    ALIKE = "alike"


SIGNS = {
    Mark.BETTER: "▲",
    Mark.WORSE: "▼",
    Mark.HIGHER: "↑",
    Mark.LOWER: "↓",
    Mark.ALIKE: "≈",
}
MEANINGS = {
    Mark.BETTER: "better than the baseline, corrected p < .05",
    Mark.WORSE: "worse than the baseline, corrected p < .05",
    Mark.HIGHER: "higher than the baseline, corrected p < .05",
    Mark.LOWER: "lower than the baseline, corrected p < .05",
    Mark.ALIKE: "not told apart from the baseline by these data",
}


def direction(table: Table, column: str) -> str | None:
    """``higher`` or ``lower``, whichever is better in a column; None where nobody says."""
    if column in table.better:
        return table.better[column]
    measure = column.split()[-1] if column.split() else ""
    return next((way for way, named in KNOWN.items() if named.fullmatch(measure)), None)


def baseline(table: Table) -> Row | None:
    """The row that the others are compared with."""
    if table.baseline is None:
        return None
    return next((row for row in table.rows if row.cells[0] == table.baseline), None)


def mark(table: Table, row: Row, place: int) -> Mark | None:
    """The mark of one cell; None where nothing was compared.

    Args:
        table: has the cell.
        row: of the table.
        place: of the cell in its row.
    """
    cell = row.cells[place]
    if not isinstance(cell, Measured) or cell.p is None:
        return None
    if not cell.p < LEVEL:
        return Mark.ALIKE
    first = baseline(table)
    step = None if first is None else _difference(cell, first.cells[place])
    if not step:
        return None
    wanted = direction(table, table.columns[place])
    if wanted is None:
        return Mark.HIGHER if step > 0 else Mark.LOWER
    return Mark.BETTER if (step > 0) == (wanted == "higher") else Mark.WORSE


def _difference(cell: Measured, other: Cell) -> float | None:
    if isinstance(other, Measured):
        return cell.value - other.value
    return None if other is None or isinstance(other, str) else cell.value - other
