"""The report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.pages.visible import visible
from logic_retrievers.report.artefacts import Cell, Figure, Row, Section, Table
from logic_retrievers.report.render.marks import MEANINGS, SIGNS, Mark, mark
from logic_retrievers.report.render.notes import footnotes, tag
from logic_retrievers.report.render.values import is_number, mean, written

TITLE = "Reproduction report"
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def markdown_document(sections: Sequence[Section]) -> str:
    """Every section with its tables, and its figures as pictures in ``figures``."""
    blocks = [f"# {TITLE}", _key()]
    for section in sections:
        blocks += [f"## {escaped(section.title)}", *map(prose, section.text)]
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
    """What was measured, without intervals and notes: for a README."""
    blocks = []
    for section in sections:
        for table in section.artefacts:
            if isinstance(table, Table):
                rows = [row for row in table.rows if row.origin == "measured"]
                if rows:
                    shown = table.model_copy(update={"rows": tuple(rows)})
                    blocks += [f"**{escaped(table.title)}**", _grid(shown, short=True)]
    return "\n\n".join([*blocks, _key()] if blocks else blocks) + "\n"


def markdown_table(table: Table) -> str:
    """A table with its title, its notes and what its rows' letters stand for."""
    notes = [f"- {prose(note)}" for note in table.notes]
    notes += [f"- {at}: {prose(note)}" for note, at in footnotes(table).items()]
    blocks = [f"**{escaped(table.title)}**", _grid(table), "\n".join(notes)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown and HTML take for nothing but text, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))


def prose(text: str) -> str:
    """Escaped text, whose words between backticks stay code."""
    parts = re.split(r"`([^`]+)`", text)
    shown = (
        f"`{' '.join(visible(one).split())}`" if at % 2 else _inner(one)
        for at, one in enumerate(parts)
    )
    return "".join(shown).strip()


def _inner(text: str) -> str:
    """Escaped, with the spaces at both ends that stand between it and code."""
    left = " " if text[:1].isspace() else ""
    right = " " if text[-1:].isspace() and text.strip() else ""
    return f"{left}{escaped(text)}{right}"


def _grid(table: Table, *, short: bool = False) -> str:
    notes = footnotes(table)
    heads = [escaped(column) or " " for column in table.columns]
    numbers = [
        any(is_number(row.cells[place]) for row in table.rows) for place in range(len(heads))
    ]
    lines = [heads, ["---:" if number else "---" for number in numbers]]
    for row in table.rows:
        cells = [_cell(table, row, place, short=short) for place in range(len(heads))]
        if not short:
            cells[0] = _named(cells[0], row, table, notes)
        lines.append(cells)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _named(cell: str, row: Row, table: Table, notes: dict[str, str]) -> str:
    told = ", ".join(filter(None, (tag(row, table), notes.get(row.note, ""))))
    return f"{cell} ({told})" if told else cell


def _cell(table: Table, row: Row, place: int, *, short: bool) -> str:
    cell: Cell = row.cells[place]
    found = mark(table, row, place)
    text = escaped(mean(cell) if short else written(cell))
    return f"{text} {SIGNS[found]}" if found else text


def _picture(figure: Figure) -> str:
    return f"![{escaped(figure.title)}](figures/{figure.name}.png)"


def _key() -> str:
    return "; ".join(f"{SIGNS[one]} {MEANINGS[one]}" for one in Mark) + "."
