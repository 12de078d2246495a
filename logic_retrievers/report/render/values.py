"""How figures are written: .839, and its interval .790 to .888."""

from __future__ import annotations

import math

from logic_retrievers.report.artefacts import Cell, Measured

NOTHING = "\N{EN DASH}"
"""Where there is no figure."""
MINUS = "\N{MINUS SIGN}"


def short(value: float, *, places: int | None = None, zero: bool = False) -> str:
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
    """Places behind the point that a number of that size gets."""
    size = abs(value)
    if size <= 1:
        return 3 if size >= 0.0005 or size == 0 else min(9, 1 - math.floor(math.log10(size)))
    return 2 if size < 100 else 1 if size < 1000 else 0


def mean(cell: Cell) -> str:
    """The figure of a cell without its interval; a text as it is."""
    match cell:
        case None:
            return NOTHING
        case Measured():
            unit = f" {cell.unit}" if cell.unit else ""
            return short(cell.value, zero=bool(cell.unit)) + unit
        case str():
            return cell
        case int():
            return f"{cell:,}".replace("-", MINUS)
        case _:
            return short(cell)


def interval(cell: Cell) -> str:
    """The interval of a figure; empty where it has none."""
    if not isinstance(cell, Measured) or cell.low is None or cell.high is None:
        return ""
    places, zero = decimals(cell.value), bool(cell.unit)
    low, high = (short(end, places=places, zero=zero) for end in (cell.low, cell.high))
    return f"{low} to {high}"


def written(cell: Cell) -> str:
    """A figure with its interval in brackets."""
    between = interval(cell)
    return f"{mean(cell)} ({between})" if between else mean(cell)


def is_number(cell: Cell) -> bool:
    """Whether a cell holds a figure."""
    return isinstance(cell, Measured | int | float)
