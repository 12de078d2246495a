"""The report as one page of HTML, which asks for nothing from anywhere else."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logic_retrievers.pages.templates import environment, part, policy_hash
from logic_retrievers.pages.visible import visible
from logic_retrievers.report.artefacts import Cell, Figure, Row, Section, Table
from logic_retrievers.report.render.data import figure_csv, table_csv
from logic_retrievers.report.render.marks import MEANINGS, SIGNS, Mark, mark
from logic_retrievers.report.render.notes import footnotes, tag
from logic_retrievers.report.render.plots import Pictures, described
from logic_retrievers.report.render.values import interval, is_number, mean

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = "logic_retrievers.report.render"
TITLE = "Reproduction report"
NARROW = "44rem"
"""Width of a window up to which the narrow plots are shown; the style sheet has it, too."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of a table.

    Args:
        text: figure or words.
        interval: below it.
        mark: beside it.
    """

    text: str
    interval: str
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A line of a table.

    Args:
        row: as the study gave it.
        tag: beside its name.
        letter: of its note.
        cells: one a column.
    """

    row: Row
    tag: str
    letter: str
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table and what its columns are.

    Args:
        table: as the study gave it.
        numbers: whether a column holds figures.
        rows: lines.
        notes: note -> letter.
        csv: address of its data.
    """

    table: Table
    numbers: tuple[bool, ...]
    rows: tuple[ShownRow, ...]
    notes: dict[str, str]
    csv: str


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """A figure as two pictures.

    Args:
        figure: as the study gave it.
        wide, narrow: addresses of the pictures.
        words: for who does not see them.
        csv: address of its data.
    """

    figure: Figure
    wide: str
    narrow: str
    words: str
    csv: str


def page(sections: Sequence[Section], drawn: Mapping[str, Pictures]) -> str:
    """The page.

    Args:
        sections: in their order.
        drawn: name of a figure -> its plot.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    made = environment(HERE, "eval")
    made.filters["prose"] = prose
    style = part(HERE, "report.css")
    return made.get_template("report.html.j2").render(
        title=TITLE,
        sections=[
            (section, [_shown(one, drawn) for one in section.artefacts]) for section in sections
        ],
        signs=SIGNS,
        meanings=MEANINGS,
        style=style,
        style_hash=policy_hash(style),
        narrow=NARROW,
    )


def prose(text: str) -> Markup:
    """A paragraph, in which words between backticks are code."""
    from markupsafe import Markup, escape

    parts = re.split(r"`([^`]+)`", visible(text))
    shown = (
        Markup("<code>{}</code>").format(one) if at % 2 else escape(one)
        for at, one in enumerate(parts)
    )
    return Markup("").join(shown)


def _shown(artefact: Table | Figure, drawn: Mapping[str, Pictures]) -> ShownTable | ShownFigure:
    if isinstance(artefact, Table):
        return _table(artefact)
    plot = drawn[artefact.name]
    return ShownFigure(
        artefact,
        _picture(plot.svg),
        _picture(plot.narrow),
        described(artefact),
        _csv(figure_csv(artefact)),
    )


def _table(table: Table) -> ShownTable:
    notes = footnotes(table)
    return ShownTable(
        table,
        tuple(
            any(is_number(row.cells[at]) for row in table.rows) for at in range(len(table.columns))
        ),
        tuple(
            ShownRow(
                row,
                tag(row, table),
                notes.get(row.note, ""),
                tuple(_cell(table, row, at, cell) for at, cell in enumerate(row.cells)),
            )
            for row in table.rows
        ),
        notes,
        _csv(table_csv(table)),
    )


def _cell(table: Table, row: Row, place: int, cell: Cell) -> ShownCell:
    return ShownCell(mean(cell), interval(cell), mark(table, row, place))


def _picture(drawn: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"


def _csv(text: str) -> str:
    return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
