"""The report as one self-contained HTML page."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.reproduction.artefacts import Cell, Figure, Row, Section, Table
from benchmarks.reproduction.render.csv_data import figure_csv, table_csv
from benchmarks.reproduction.render.plots import Pictures, alternative_text
from benchmarks.reproduction.render.table_marks import MEANINGS, SIGNS, Mark, footnotes, mark, tag
from benchmarks.reproduction.render.values import format_interval, format_mean, is_number
from logic_retrievers.hidden_characters import show_hidden
from logic_retrievers.html import policy_hash, read_asset, template_environment

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = "benchmarks.reproduction.render"
TITLE = "Reproduction report"
NARROW = "44rem"
"""Width of a window up to which the narrow plots are shown; the style sheet has it, too."""


@dataclass(frozen=True, slots=True)
class CellView:
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
class RowView:
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
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class TableView:
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
    rows: tuple[RowView, ...]
    notes: dict[str, str]
    csv: str


@dataclass(frozen=True, slots=True)
class FigureView:
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


def page(sections: Sequence[Section], pictures: Mapping[str, Pictures]) -> str:
    """The page.

    Args:
        sections: in their order.
        pictures: name of a figure -> its plot.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
    environment = template_environment(HERE, "eval")
    environment.filters["prose"] = prose
    style = read_asset(HERE, "report.css")
    return environment.get_template("report.html.j2").render(
        title=TITLE,
        sections=[
            (section, [_artefact_view(artefact, pictures) for artefact in section.artefacts])
            for section in sections
        ],
        signs=SIGNS,
        meanings=MEANINGS,
        style=style,
        style_hash=policy_hash(style),
        narrow=NARROW,
    )


def prose(text: str) -> Markup:
    """A paragraph as HTML; words between backticks become code."""
    from markupsafe import Markup, escape

    parts = re.split(r"`([^`]+)`", show_hidden(text))
    markup = (
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part)
        for at, part in enumerate(parts)
    )
    return Markup("").join(markup)


def _artefact_view(
    artefact: Table | Figure, pictures: Mapping[str, Pictures]
) -> TableView | FigureView:
    if isinstance(artefact, Table):
        return _table(artefact)
    plot = pictures[artefact.name]
    return FigureView(
        artefact,
        _picture(plot.svg),
        _picture(plot.narrow),
        alternative_text(artefact),
        _csv(figure_csv(artefact)),
    )


def _table(table: Table) -> TableView:
    notes = footnotes(table)
    return TableView(
        table,
        tuple(
            any(is_number(row.cells[at]) for row in table.rows) for at in range(len(table.columns))
        ),
        tuple(
            RowView(
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


def _cell(table: Table, row: Row, place: int, cell: Cell) -> CellView:
    return CellView(format_mean(cell), format_interval(cell), mark(table, row, place))


def _picture(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _csv(text: str) -> str:
    return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(text.encode()).decode()}"
