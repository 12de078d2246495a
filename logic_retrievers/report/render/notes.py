"""Notes of rows, each said once below its table."""

from __future__ import annotations

from string import ascii_lowercase

from logic_retrievers.report.artefacts import Row, Table

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
    """What stands beside the name of a row; empty for one that was measured like the others."""
    if row.cells[0] == table.baseline and row.origin == "measured":
        return "baseline"
    return TAGS[row.origin]
