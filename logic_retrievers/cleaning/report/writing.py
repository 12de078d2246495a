"""A report into files, each there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from logic_retrievers.cleaning.report.page import page
from logic_retrievers.cleaning.report.records import json_lines
from logic_retrievers.cleaning.report.spreadsheet import spreadsheet
from logic_retrievers.cleaning.result import Cleaned
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.files import write_text

TITLE = "Contradictions in the corpus"
PAGE = ".html"

FOR_PROGRAMS: Mapping[str, Callable[[Cleaned], str]] = {
    ".jsonl": json_lines,
    ".csv": spreadsheet,
}


def check_suffix(path: Path) -> None:
    """Refuses a file that :func:`write_report` would not know how to write.

    Raises:
        ConfigurationError: another suffix.
    """
    if path.suffix.lower() not in {PAGE, *FOR_PROGRAMS}:
        raise ConfigurationError(f"a report ends in .html, .jsonl or .csv, and not as {path.name}")


def write_report(cleaned: Cleaned, path: Path, *, title: str = TITLE) -> list[Path]:
    """Writes what a cleaning found and did. The suffix says how.

    Args:
        cleaned: the cleaning.
        path: ``.html``: a page for people, which needs no network, with the two others beside it.
            ``.jsonl``: a decision a line, with texts and metadata. ``.csv``: a decision a line.
        title: of the page.

    Returns:
        The files that were written, the one asked for first.

    Raises:
        ConfigurationError: another suffix.
        MissingExtraError: the page needs jinja2 (the ``cli`` extra).
        StorageError: no room, no right to write there, or no such folder.
    """
    path = Path(path)
    check_suffix(path)
    suffix = path.suffix.lower()
    if suffix == PAGE:
        texts = {path: page(cleaned, title)}
        texts |= {path.with_suffix(also): make(cleaned) for also, make in FOR_PROGRAMS.items()}
    else:
        texts = {path: FOR_PROGRAMS[suffix](cleaned)}
    for target, text in texts.items():  # all are made by now, so that only the disk can fail
        write_text(target, text)
    return list(texts)
