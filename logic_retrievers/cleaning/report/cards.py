"""What the page shows of a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from logic_retrievers.cleaning.report.folding import Part, parts
from logic_retrievers.cleaning.report.marking import Which, marks
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.contradiction.rules.base import source_of, value_at
from logic_retrievers.types import Passage

WOULD_BE = "would be quarantined"
"""What a dry run has to say of those that a cleaning would hide."""

MOST = 6
"""Values of the metadata that are shown of a passage; the JSON lines have them all."""

WIDEST = 120
"""Characters of such a value."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two passages.

    Args:
        id: the passage's.
        date: by its metadata; empty where it has none.
        source: the same.
        tags: what became of it, and what it is to the other one.
        facts: name -> value of the metadata, where those of the two differ.
        parts: its text.
    """

    id: str
    date: str
    source: str
    tags: tuple[str, ...]
    facts: Mapping[str, str]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A decision and its two sides."""

    number: int
    decision: Decision
    sides: tuple[Side, Side]


def cards(cleaned: Cleaned) -> Iterator[Card]:
    """A card for each decision, one at a time: ten thousand of them need not be there at once."""
    for number, decision in enumerate(cleaned.decisions, start=1):
        yield Card(
            number,
            decision,
            (_side(decision, "one", cleaned), _side(decision, "other", cleaned)),
        )


def _side(decision: Decision, which: Which, cleaned: Cleaned) -> Side:
    finding = decision.finding
    both = (cleaned.passages[finding.one], cleaned.passages[finding.other])
    own, rival = both if which == "one" else both[::-1]
    return Side(
        own.id,
        _said(value_at(own.metadata, cleaned.date_key)),
        _said(source_of(own, cleaned.source_key)),
        tuple(_tags(own.id, decision, cleaned)),
        _facts(own, rival, {cleaned.date_key, cleaned.source_key}),
        parts(own.text, marks(own.text, finding.differences, which)),
    )


def _tags(name: str, decision: Decision, cleaned: Cleaned) -> Iterator[str]:
    if name in decision.quarantined:
        yield WOULD_BE if cleaned.dry_run else "quarantined"
    if name in decision.trusted:
        yield "trusted"
    if name == decision.finding.newer:
        yield "newer"


def _facts(own: Passage, rival: Passage, said: set[str]) -> dict[str, str]:
    """Two texts may speak of two regions where nothing but the metadata says so."""
    differing = [
        key
        for key, value in own.metadata.items()
        if key not in said and _said(value) != _said(rival.metadata.get(key))
    ]
    return {str(key): _said(own.metadata[key]) for key in differing[:MOST]}


def _said(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= WIDEST else f"{text[:WIDEST]}…"
