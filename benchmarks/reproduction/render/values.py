"""Format of figures: .839, and the interval .790 to .888."""

from __future__ import annotations

import math

from benchmarks.reproduction.artefacts import Cell, Measurement

NOTHING = "\N{EN DASH}"
"""Where there is no figure."""
MINUS = "\N{MINUS SIGN}"


def format_number(value: float, *, places: int | None = None, zero: bool = False) -> str:
    """A number as tables show it.

    Shares and the like have three places and no zero before the point, larger numbers about four
    digits.

    Args:
        value: the number.
        places: behind the point; by its size where None.
        zero: written before the point, too.
    """
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    if places is None:
        places = decimals(value)
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    if not zero:
        text = text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text
    return text.replace("-", MINUS)


def decimals(value: float) -> int:
    """Decimal places for a number of that size."""
    size = abs(value)
    if size <= 1:
        return 3 if size >= 0.0005 or size == 0 else min(9, 1 - math.floor(math.log10(size)))
    return 2 if size < 100 else 1 if size < 1000 else 0


def format_mean(cell: Cell) -> str:
    """The figure of a cell without its interval; texts unchanged."""
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
    """The interval of a figure, or an empty string."""
    if not isinstance(cell, Measurement) or cell.low is None or cell.high is None:
        return ""
    places, zero = decimals(cell.value), bool(cell.unit)
    low, high = (format_number(end, places=places, zero=zero) for end in (cell.low, cell.high))
    return f"{low} to {high}"


def format_figure(cell: Cell) -> str:
    """A figure with its interval in brackets."""
    between = format_interval(cell)
    return f"{format_mean(cell)} ({between})" if between else format_mean(cell)


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number."""
    return isinstance(cell, Measurement | int | float)
