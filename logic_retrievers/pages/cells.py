"""Cells of a CSV file, which people open in a spreadsheet."""

from __future__ import annotations

from typing import Any

from logic_retrievers.pages.visible import visible

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a cell begins that a spreadsheet may run."""

LONGEST = 32_000
"""Characters of a cell: Excel takes 32,767, and puts the rest into cells where it does not belong.
A file for programs has the whole text."""


def guarded(value: Any) -> Any:
    """The value of a cell, which no spreadsheet takes for a formula and every one can hold."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    shown = visible(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]} [{len(shown) - LONGEST} more characters]"
    return f"'{shown}" if text.startswith(FORMULA) else shown
