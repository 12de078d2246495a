"""A report into files, each there whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from logic_retrievers.errors import StorageError
from logic_retrievers.evaluation.files import write_bytes, write_text
from logic_retrievers.report.artefacts import Figure, Section, Table
from logic_retrievers.report.checking import check_names
from logic_retrievers.report.render.data import figure_csv, table_csv
from logic_retrievers.report.render.html import page
from logic_retrievers.report.render.latex import latex_document, latex_table
from logic_retrievers.report.render.markdown import (
    markdown_document,
    markdown_summary,
    markdown_table,
)
from logic_retrievers.report.render.plots import Pictures, pictures

PAGE = "report.html"


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Writes the page and everything beside it.

    ``report.html`` needs nothing else; ``REPORT.md``, ``summary.md`` (figures without intervals,
    for a README) and ``report.tex`` name the pictures in ``figures``; each figure is there as
    ``.png``, ``.svg`` and ``.csv``, each table in ``tables`` as ``.csv``, ``.md`` and ``.tex``.

    Args:
        sections: in the order of the page.
        folder: made where there is none.

    Returns:
        The page.

    Raises:
        ConfigurationError: two tables or figures share a name, or one is no stem of a file.
        MissingExtraError: matplotlib or jinja2 is not installed (the ``eval`` extra).
        StorageError: no room, or no right to write there.
    """
    check_names(sections)
    try:
        for name in ("figures", "tables"):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {folder}: {error.strerror}") from error
    drawn: dict[str, Pictures] = {}
    for section in sections:
        for artefact in section.artefacts:
            if isinstance(artefact, Table):
                _write_table(artefact, folder / "tables" / artefact.name)
            else:
                drawn[artefact.name] = pictures(artefact)
                stem = folder / "figures" / artefact.name
                _write_figure(artefact, drawn[artefact.name], stem)
    write_text(folder / "REPORT.md", markdown_document(sections))
    write_text(folder / "summary.md", markdown_summary(sections))
    write_text(folder / "report.tex", latex_document(sections))
    write_text(folder / PAGE, page(sections, drawn))
    return folder / PAGE


def _write_table(table: Table, stem: Path) -> None:
    write_text(stem.with_suffix(".csv"), table_csv(table))
    write_text(stem.with_suffix(".md"), markdown_table(table))
    write_text(stem.with_suffix(".tex"), latex_table(table))


def _write_figure(figure: Figure, drawn: Pictures, stem: Path) -> None:
    write_bytes(stem.with_suffix(".png"), drawn.png)
    write_text(stem.with_suffix(".svg"), drawn.svg)
    write_text(stem.with_suffix(".csv"), figure_csv(figure))
