"""The decisions as CSV, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from typing import Any

from logic_retrievers.cleaning.findings import Difference, Span
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.contradiction.rules.base import source_of, value_at
from logic_retrievers.pages.cells import guarded
from logic_retrievers.types import Passage

MARK = "\ufeff"
"""Excel reads UTF-8 only behind this mark; pandas skips it; Python has ``utf-8-sig``."""


def spreadsheet(cleaned: Cleaned) -> str:
    """One decision a line under a line of names."""
    table = io.StringIO()
    rows = [row(decision, cleaned) for decision in cleaned.decisions]
    writer = csv.DictWriter(table, fieldnames=COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: guarded(value) for name, value in one.items()} for one in rows)
    return MARK + table.getvalue()


COLUMNS = (
    *("kind", "severity", "action", "probability", "own_probability", "cosine", "score"),
    *("reason", "decision", "differences", "newer", "quarantined", "trusted", "dry_run"),
    *("one", "other", "one_date", "other_date", "one_source", "other_source"),
    *("one_text", "other_text"),
)


def row(decision: Decision, cleaned: Cleaned) -> dict[str, Any]:
    """The cells of a decision by the names of their columns, not yet guarded."""
    finding = decision.finding
    one, other = cleaned.passages[finding.one], cleaned.passages[finding.other]
    return {
        "kind": finding.kind.value,
        "severity": finding.severity,
        "action": decision.action,
        "probability": finding.probability,
        "own_probability": finding.own_probability,
        "cosine": finding.cosine,
        "score": finding.score,
        "reason": finding.reason,
        "decision": decision.reason,
        "differences": "; ".join(_words(d, one, other) for d in finding.differences),
        "newer": finding.newer,
        "quarantined": " ".join(decision.quarantined),
        "trusted": " ".join(decision.trusted),
        "dry_run": cleaned.dry_run,
        "one": one.id,
        "other": other.id,
        "one_date": value_at(one.metadata, cleaned.date_key),
        "other_date": value_at(other.metadata, cleaned.date_key),
        "one_source": source_of(one, cleaned.source_key),
        "other_source": source_of(other, cleaned.source_key),
        "one_text": one.text,
        "other_text": other.text,
    }


def _words(difference: Difference, one: Passage, other: Passage) -> str:
    return f"{difference.type}: {_cut(one, difference.one)!r} / {_cut(other, difference.other)!r}"


def _cut(passage: Passage, span: Span) -> str:
    return passage.text[max(0, span[0]) : max(0, span[1])]
