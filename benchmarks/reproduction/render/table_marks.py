"""Marks in tables: significance against the baseline, and footnotes of rows."""

from __future__ import annotations

import re
from enum import StrEnum
from string import ascii_lowercase

from benchmarks.reproduction.artefacts import Cell, Measurement, Row, Table

LEVEL = 0.05
"""Corrected p below which a difference is significant."""

KNOWN = {
    "higher": re.compile(r"(R|nDCG|MAP|MRR|P|AP|RR|Success)@\d+|FVR(@\d+)?|MAP|MRR"),
    "lower": re.compile(r"V@\d+"),
}
"""Direction -> measures of ``logic_retrievers.evaluation`` for which it is better."""


class Mark(StrEnum):
    """How a figure compares with the baseline's."""

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
    """``higher`` or ``lower``, whichever is better in a column; None if unknown."""
    if column in table.better:
        return table.better[column]
    measure = column.split()[-1] if column.split() else ""
    return next((sense for sense, pattern in KNOWN.items() if pattern.fullmatch(measure)), None)


def baseline(table: Table) -> Row | None:
    """The row that the others are compared with."""
    if table.baseline is None:
        return None
    return next((row for row in table.rows if row.cells[0] == table.baseline), None)


def mark(table: Table, row: Row, place: int) -> Mark | None:
    """The mark of a cell; None if it was not compared.

    Args:
        table: has the cell.
        row: of the table.
        place: of the cell in its row.
    """
    cell = row.cells[place]
    if not isinstance(cell, Measurement) or cell.p is None:
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


def _difference(cell: Measurement, other: Cell) -> float | None:
    if isinstance(other, Measurement):
        return cell.value - other.value
    return None if other is None or isinstance(other, str) else cell.value - other


TAGS = {"measured": "", "published": "published", "absent": "not run"}
"""What stands beside the name of a row, by its origin."""


def footnotes(table: Table) -> dict[str, str]:
    """Note -> its letter, in the order of the rows."""
    notes = dict.fromkeys(row.note for row in table.rows if row.note)
    return {note: letter(place) for place, note in enumerate(notes)}


def letter(place: int) -> str:
    """A to z, then aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]


def tag(row: Row, table: Table) -> str:
    """Tag beside the name of a row; empty for measured rows."""
    if row.cells[0] == table.baseline and row.origin == "measured":
        return "baseline"
    return TAGS[row.origin]
