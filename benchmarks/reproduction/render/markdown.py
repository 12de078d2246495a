"""The report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.reproduction.artefacts import Cell, Figure, Row, Section, Table
from benchmarks.reproduction.render.table_marks import MEANINGS, SIGNS, Mark, footnotes, mark, tag
from benchmarks.reproduction.render.values import format_figure, format_mean, is_number
from logic_retrievers.hidden_characters import show_hidden

TITLE = "Reproduction report"
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown_document(sections: Sequence[Section]) -> str:
    """All sections with their tables, and links to the pictures in ``figures``."""
    blocks = [f"# {TITLE}", _key()]
    for section in sections:
        blocks += [f"## {escape_text(section.title)}", *map(prose, section.text)]
        for artefact in section.artefacts:
            if isinstance(artefact, Figure):
                blocks += [
                    _picture(artefact),
                    f"*{prose(artefact.title)}.* {prose(artefact.caption)}",
                ]
            else:
                blocks.append(markdown_table(artefact).rstrip())
    return "\n\n".join(filter(None, blocks)) + "\n"


def markdown_summary(sections: Sequence[Section]) -> str:
    """Measured rows without intervals and notes, for a README."""
    blocks = []
    for section in sections:
        for table in section.artefacts:
            if isinstance(table, Table):
                rows = [row for row in table.rows if row.origin == "measured"]
                if rows:
                    short_table = table.model_copy(update={"rows": tuple(rows)})
                    blocks += [f"**{escape_text(table.title)}**", _grid(short_table, short=True)]
    return "\n\n".join([*blocks, _key()] if blocks else blocks) + "\n"


def markdown_table(table: Table) -> str:
    """A table with its title, notes and footnotes."""
    notes = [f"- {prose(note)}" for note in table.notes]
    notes += [f"- {at}: {prose(note)}" for note, at in footnotes(table).items()]
    blocks = [f"**{escape_text(table.title)}**", _grid(table), "\n".join(notes)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escape_text(text: str) -> str:
    """Text escaped for Markdown and HTML, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(show_hidden(text).split()))


def prose(text: str) -> str:
    """Escaped text; words between backticks stay code."""
    parts = re.split(r"`([^`]+)`", text)
    markup = (
        f"`{' '.join(show_hidden(part).split())}`" if at % 2 else _escape_inner(part)
        for at, part in enumerate(parts)
    )
    return "".join(markup).strip()


def _escape_inner(text: str) -> str:
    """Escaped text with its leading and trailing spaces kept."""
    left = " " if text[:1].isspace() else ""
    right = " " if text[-1:].isspace() and text.strip() else ""
    return f"{left}{escape_text(text)}{right}"


def _grid(table: Table, *, short: bool = False) -> str:
    notes = footnotes(table)
    heads = [escape_text(column) or " " for column in table.columns]
    numbers = [
        any(is_number(row.cells[place]) for row in table.rows) for place in range(len(heads))
    ]
    lines = [heads, ["---:" if number else "---" for number in numbers]]
    for row in table.rows:
        cells = [_cell(table, row, place, short=short) for place in range(len(heads))]
        if not short:
            cells[0] = _name_cell(cells[0], row, table, notes)
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _name_cell(cell: str, row: Row, table: Table, notes: dict[str, str]) -> str:
    remarks = ", ".join(filter(None, (tag(row, table), notes.get(row.note, ""))))
    return f"{cell} ({remarks})" if remarks else cell


def _cell(table: Table, row: Row, place: int, *, short: bool) -> str:
    cell: Cell = row.cells[place]
    significance = mark(table, row, place)
    text = escape_text(format_mean(cell) if short else format_figure(cell))
    return f"{text} {SIGNS[significance]}" if significance else text


def _picture(figure: Figure) -> str:
    return f"![{escape_text(figure.title)}](figures/{figure.name}.png)"


def _key() -> str:
    return "; ".join(f"{SIGNS[sign]} {MEANINGS[sign]}" for sign in Mark) + "."
