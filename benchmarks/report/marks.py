"""Format a table's cells as text, like .839 (.790 to .888), with marks against the baseline."""

from __future__ import annotations

import math
import re
from string import ascii_lowercase
from typing import NamedTuple

from benchmarks.report.artefacts import Cell, Measurement, Table

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
# Corrected p below which a difference is significant.
LEVEL = 0.05
# Better direction -> measures of the evaluation.
KNOWN = {
    "higher": re.compile(r"(R|nDCG|MAP|MRR|P|AP|RR|Success)@\d+|FVR(@\d+)?|MAP|MRR"),
    "lower": re.compile(r"V@\d+"),
}
# Mark -> sign, meaning.
MARKS = {
    "better": ("▲", "better than the baseline, corrected p < .05"),
    "worse": ("▼", "worse than the baseline, corrected p < .05"),
    "higher": ("↑", "higher than the baseline, corrected p < .05"),
    "lower": ("↓", "lower than the baseline, corrected p < .05"),
    "alike": ("≈", "difference from the baseline not significant"),
}
TAGS = {"measured": "", "published": "published", "absent": "not run"}


class CellText(NamedTuple):
    """A cell as text: figure, interval and mark; empty where missing."""

    figure: str
    interval: str
    mark: str


class RowText(NamedTuple):
    """A row as text: origin, tag after the name, letter of the note, cells."""

    origin: str
    tag: str
    letter: str
    cells: tuple[CellText, ...]


def table_rows(table: Table) -> list[RowText]:
    """Turn the rows of a table into text."""
    letters = footnotes(table)
    base = next((row for row in table.rows if row.cells[0] == table.baseline), None)
    return [
        RowText(
            row.origin,
            "baseline" if row is base and row.origin == "measured" else TAGS[row.origin],
            letters.get(row.note, ""),
            tuple(
                CellText(
                    format_mean(cell),
                    format_interval(cell),
                    mark(table.columns[at], cell, base.cells[at] if base else None, table.better),
                )
                for at, cell in enumerate(row.cells)
            ),
        )
        for row in table.rows
    ]


def footnotes(table: Table) -> dict[str, str]:
    """Map notes to letters (a to z, then aa), in row order."""
    notes = dict.fromkeys(row.note for row in table.rows if row.note)
    return {note: _letter(place) for place, note in enumerate(notes)}


def is_number_column(table: Table, place: int) -> bool:
    """Whether a column holds figures."""
    return any(isinstance(row.cells[place], Measurement | int | float) for row in table.rows)


def mark(column: str, cell: Cell, base: Cell, better: object = None) -> str:
    """Return the key of :data:`MARKS` for a figure against the baseline's, or ""."""
    if not isinstance(cell, Measurement) or cell.p is None:
        return ""
    if not cell.p < LEVEL:
        return "alike"
    reference = base.value if isinstance(base, Measurement) else base
    if reference is None or isinstance(reference, str) or cell.value == reference:
        return ""
    rises = cell.value > reference
    known = better.get(column) if isinstance(better, dict) else None
    measure = (column.split() or [""])[-1]
    known = known or next((way for way, form in KNOWN.items() if form.fullmatch(measure)), None)
    if known is None:
        return "higher" if rises else "lower"
    return "better" if rises == (known == "higher") else "worse"


def format_mean(cell: Cell) -> str:
    """Write the figure of a cell without its interval; texts stay unchanged."""
    match cell:
        case None:
            return NOTHING
        case Measurement():
            unit = f" {cell.unit}" if cell.unit else ""
            return format_number(cell.value, zero=bool(cell.unit)) + unit
        case str():
            return cell
        case int():
            return f"{cell:,}".replace("-", MINUS)
        case _:
            return format_number(cell)


def format_interval(cell: Cell) -> str:
    """Write a figure's interval with the decimal places of its mean, or an empty string."""
    if not isinstance(cell, Measurement) or cell.low is None or cell.high is None:
        return ""
    places, zero = _decimals(cell.value), bool(cell.unit)
    low, high = (format_number(end, places=places, zero=zero) for end in (cell.low, cell.high))
    return f"{low} to {high}"


def format_number(value: float, *, places: int | None = None, zero: bool = False) -> str:
    """Write a number as in tables, with ``places`` decimals (default: by size).

    Shares have no zero before the point, unless ``zero`` is set.
    """
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    text = f"{value:,.{_decimals(value) if places is None else places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    if not zero and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    return text.replace("-", MINUS)


def _decimals(value: float) -> int:
    size = abs(value)
    if size <= 1:
        return 3 if size >= 0.0005 or size == 0 else min(9, 1 - math.floor(math.log10(size)))
    return 2 if size < 100 else 1 if size < 1000 else 0


def _letter(place: int) -> str:
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]
