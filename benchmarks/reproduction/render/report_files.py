"""Writes a report into files, each atomically."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduction.artefacts import Figure, Section, Table
from benchmarks.reproduction.render.csv_data import figure_csv, table_csv
from benchmarks.reproduction.render.html import page
from benchmarks.reproduction.render.markdown import (
    markdown_document,
    markdown_summary,
    markdown_table,
)
from benchmarks.reproduction.render.plots import Pictures, draw_pictures
from benchmarks.reproduction.validation import check_names
from logic_retrievers.atomic_files import write_text
from logic_retrievers.errors import StorageError

PAGE = "report.html"


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Writes the page and everything beside it.

    ``report.html`` needs no other file; ``REPORT.md`` and ``summary.md`` (figures without
    intervals, for a README) name the pictures in ``figures``; each figure is written as ``.png``,
    ``.svg`` and ``.csv``, each table in ``tables`` as ``.csv`` and ``.md``.

    Args:
        sections: in the order of the page.
        folder: created if it is missing.

    Returns:
        The page.

    Raises:
        ConfigurationError: two tables or figures share a name, or a name is malformed.
        MissingExtraError: matplotlib or jinja2 is not installed (the ``dev`` extra).
        StorageError: the folder cannot be written.
    """
    check_names(sections)
    try:
        for name in ("figures", "tables"):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot make {folder}: {error.strerror}") from error
    drawings: dict[str, Pictures] = {}
    for section in sections:
        for artefact in section.artefacts:
            if isinstance(artefact, Table):
                _write_table(artefact, folder / "tables" / artefact.name)
            else:
                drawings[artefact.name] = draw_pictures(artefact)
                stem = folder / "figures" / artefact.name
                _write_figure(artefact, drawings[artefact.name], stem)
    write_text(folder / "REPORT.md", markdown_document(sections))
    write_text(folder / "summary.md", markdown_summary(sections))
    write_text(folder / PAGE, page(sections, drawings))
    return folder / PAGE


def _write_table(table: Table, stem: Path) -> None:
    write_text(stem.with_suffix(".csv"), table_csv(table))
    write_text(stem.with_suffix(".md"), markdown_table(table))


def _write_figure(figure: Figure, drawing: Pictures, stem: Path) -> None:
    stem.with_suffix(".png").write_bytes(drawing.png)
    write_text(stem.with_suffix(".svg"), drawing.svg)
    write_text(stem.with_suffix(".csv"), figure_csv(figure))
