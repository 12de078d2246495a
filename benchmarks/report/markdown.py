"""Write the report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.report.artefacts import Section, Table
from benchmarks.report.marks import MARKS, RowText, footnotes, is_number_column, table_rows

KEY = "; ".join(f"{sign} {meaning}" for sign, meaning in MARKS.values()) + "."
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown_document(sections: Sequence[Section]) -> str:
    """Write all sections with their tables, and links to the pictures in ``figures``."""
    blocks = ["# Reproduction report", KEY]
    for section in sections:
        blocks += [f"## {escape(section.title)}", *map(prose, section.text)]
        for one in section.artefacts:
            if isinstance(one, Table):
                blocks.append(markdown_table(one).rstrip())
            else:
                blocks.append(f"![{escape(one.title)}](figures/{one.name}.png)")
                blocks.append(f"*{prose(one.title)}.* {prose(one.caption)}")
    return "\n\n".join(blocks) + "\n"


def markdown_summary(sections: Sequence[Section]) -> str:
    """Write the measured rows without intervals and notes, for a README."""
    blocks = []
    for table in (one for section in sections for one in section.artefacts):
        if isinstance(table, Table) and any(row.origin == "measured" for row in table.rows):
            blocks += [f"**{escape(table.title)}**", _grid(table, short=True)]
    return "\n\n".join([*blocks, KEY]) + "\n"


def markdown_table(table: Table) -> str:
    """Write a table with its title, notes and footnotes."""
    notes = [f"- {prose(note)}" for note in table.notes]
    notes += [f"- {letter}: {prose(note)}" for note, letter in footnotes(table).items()]
    blocks = [f"**{escape(table.title)}**", _grid(table), "\n".join(notes)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escape(text: str) -> str:
    """Escape a text for Markdown and HTML, and put it on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def prose(text: str) -> str:
    """Escape a text; words between backticks stay code."""
    pieces = re.split(r"`([^`]+)`", " ".join(text.split()))
    return "".join(
        f"`{piece}`" if at % 2 else _SPECIAL.sub(r"\\\1", piece) for at, piece in enumerate(pieces)
    )


def _grid(table: Table, *, short: bool = False) -> str:
    numbers = [is_number_column(table, at) for at in range(len(table.columns))]
    lines = [
        [escape(column) or " " for column in table.columns],
        ["---:" if number else "---" for number in numbers],
        *(_cells(row, short) for row in table_rows(table) if not short or row.origin == "measured"),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(row: RowText, short: bool) -> list[str]:
    cells = []
    for cell in row.cells:
        interval = f" ({cell.interval})" if cell.interval and not short else ""
        sign = f" {MARKS[cell.mark][0]}" if cell.mark else ""
        cells.append(escape(cell.figure + interval) + sign)
    remarks = ", ".join(filter(None, (row.tag, row.letter)))
    if remarks and not short:
        cells[0] += f" ({remarks})"
    return cells
