"""Write a report as files (a page, Markdown, tables and figures), each atomically."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.report.artefacts import Section, Table
from benchmarks.report.csv_files import figure_csv, table_csv
from benchmarks.report.markdown import markdown_document, markdown_summary, markdown_table
from benchmarks.report.marks import MARKS, footnotes, is_number_column, table_rows
from benchmarks.report.plots import picture
from logic_retrievers.errors import MissingExtraError, StorageError
from logic_retrievers.files import write_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PAGE = "report.html"
TEMPLATES = Path(__file__).parent / "templates"
_CODE = re.compile(r"`([^`]+)`")


def write_report(sections: Sequence[Section], folder: Path) -> Path:
    """Write the page and all other files of a report.

    ``report.html`` needs no other file. ``REPORT.md`` and ``summary.md`` (measured rows without
    intervals, for a README) link to the pictures in ``figures``. Each figure becomes ``.png``,
    ``.svg`` and ``.csv``; each table in ``tables`` becomes ``.csv`` and ``.md``. Returns the path
    of the page.
    """
    template = _environment().get_template("report.html.j2")
    pictures: dict[str, str] = {}
    try:
        for name in ("figures", "tables"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for artefact in (one for section in sections for one in section.artefacts):
            if isinstance(artefact, Table):
                stem = folder / "tables" / artefact.name
                write_text(stem.with_suffix(".csv"), table_csv(artefact))
                write_text(stem.with_suffix(".md"), markdown_table(artefact))
            else:
                stem = folder / "figures" / artefact.name
                stem.with_suffix(".png").write_bytes(picture(artefact, "png"))
                svg = picture(artefact, "svg")
                stem.with_suffix(".svg").write_bytes(svg)
                write_text(stem.with_suffix(".csv"), figure_csv(artefact))
                pictures[artefact.name] = _data_url("image/svg+xml", svg)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}") from error
    write_text(folder / "REPORT.md", markdown_document(sections))
    write_text(folder / "summary.md", markdown_summary(sections))
    write_text(folder / PAGE, template.render(sections=sections, pictures=pictures))
    return folder / PAGE


def _environment() -> Environment:
    """Make the environment of the templates, which escapes all values."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", "dev") from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"prose": _prose, "csv_url": _csv_url}
    environment.globals |= {
        "marks": MARKS,
        "table_rows": table_rows,
        "footnotes": footnotes,
        "is_number_column": is_number_column,
        "style": (TEMPLATES / "report.css").read_text(encoding="utf-8"),
    }
    environment.tests["table"] = lambda artefact: isinstance(artefact, Table)
    return environment


def _csv_url(artefact: Any) -> str:
    text = table_csv(artefact) if isinstance(artefact, Table) else figure_csv(artefact)
    return _data_url("text/csv;charset=utf-8", text.encode())


def _data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _prose(text: str) -> Markup:
    """Turn a paragraph into HTML; words between backticks become code."""
    from markupsafe import Markup, escape

    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))
