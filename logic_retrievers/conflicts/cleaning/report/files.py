"""Write a report as an HTML page, JSON lines and CSV; no file is left half-written."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from logic_retrievers.conflicts.cleaning.report.page import render_page
from logic_retrievers.conflicts.cleaning.result import CleaningResult, Decision, Difference
from logic_retrievers.conflicts.resolution_strategies import passage_source
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.files import csv_text, write_text
from logic_retrievers.text import escape_hidden
from logic_retrievers.types import Passage, metadata_value

# Excel needs this mark to read UTF-8; pandas skips the mark; in Python use ``utf-8-sig``
BYTE_ORDER_MARK = "\ufeff"

COLUMNS = (
    *("kind", "severity", "action", "probability", "own_probability", "cosine", "score"),
    *("reason", "decision", "differences", "newer", "quarantined", "closed", "until", "trusted"),
    "dry_run",
    *("one", "other", "one_date", "other_date", "one_source", "other_source"),
    *("one_text", "other_text"),
)


def check_suffix(path: Path) -> None:
    """Refuse a suffix that :func:`write_report` cannot write."""
    if path.suffix.lower() not in {".html", *_DATA_FORMATS}:
        raise ConfigurationError(f"a report ends in .html, .jsonl or .csv, and not as {path.name}")


def write_report(result: CleaningResult, path: Path) -> list[Path]:
    """Write the decisions of a cleaning in the format of the suffix.

    ``.html`` writes a page that needs no network, plus the ``.jsonl`` and ``.csv`` files. These
    have one decision per line.

    Returns:
        The files that were written, ``path`` first.

    Raises:
        ConfigurationError: the suffix is unsupported.
        MissingExtraError: the page needs jinja2 (the ``cli`` extra).
        StorageError: the files cannot be written.
    """
    path = Path(path)
    check_suffix(path)
    if path.suffix.lower() == ".html":
        contents = {path: render_page(result)}
        for other, render in _DATA_FORMATS.items():
            contents[path.with_suffix(other)] = render(result)
    else:
        contents = {path: _DATA_FORMATS[path.suffix.lower()](result)}
    for target, content in contents.items():  # all are rendered, so only the disk can fail
        write_text(target, content)
    return list(contents)


def render_json_lines(result: CleaningResult) -> str:
    """Render one decision per line, with both texts and their metadata unchanged."""
    records = (_record(decision, result) for decision in result.decisions)
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    return "".join(f"{escape_hidden(line)}\n" for line in lines)


def render_csv(result: CleaningResult) -> str:
    """Render column names, then one decision per line, for a spreadsheet or a data frame."""
    rows = (_row(decision, result) for decision in result.decisions)
    cells = ([row[column] for column in COLUMNS] for row in rows)
    return BYTE_ORDER_MARK + csv_text(COLUMNS, cells, line_end="\r\n")


_DATA_FORMATS: Mapping[str, Callable[[CleaningResult], str]] = {
    ".jsonl": render_json_lines,
    ".csv": render_csv,
}


def _record(decision: Decision, result: CleaningResult) -> dict[str, Any]:
    finding = decision.finding
    return {
        **{key: _json_value(value) for key, value in finding.to_dict().items()},
        "one": _passage_record(result.passages[finding.one]),
        "other": _passage_record(result.passages[finding.other]),
        "action": decision.action,
        "decision": decision.reason,
        "quarantined": list(decision.quarantined),
        "closed": list(decision.closed),
        "until": decision.until,
        "trusted": list(decision.trusted),
        "dry_run": result.dry_run,
    }


def _passage_record(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "text": passage.text,
        "source": passage.source,
        "metadata": _json_value(passage.metadata),
    }


def _json_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(item) for item in value]
    return str(value)


def _row(decision: Decision, result: CleaningResult) -> dict[str, Any]:
    finding = decision.finding
    one, other = result.passages[finding.one], result.passages[finding.other]
    row = {
        **finding.to_dict(),
        "action": decision.action,
        "decision": decision.reason,
        "differences": "; ".join(_difference_cell(d, one, other) for d in finding.differences),
        "quarantined": " ".join(decision.quarantined),
        "closed": " ".join(decision.closed),
        "until": decision.until,
        "trusted": " ".join(decision.trusted),
        "dry_run": result.dry_run,
    }
    for side, passage in (("one", one), ("other", other)):
        row[f"{side}_date"] = metadata_value(passage.metadata, result.date_key)
        row[f"{side}_source"] = passage_source(passage, result.source_key)
        row[f"{side}_text"] = passage.text
    return row


def _difference_cell(difference: Difference, one: Passage, other: Passage) -> str:
    one_words, other_words = one.text[slice(*difference.one)], other.text[slice(*difference.other)]
    return f"{difference.type}: {one_words!r} / {other_words!r}"
