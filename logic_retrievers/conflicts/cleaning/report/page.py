"""Render the report as one HTML page that loads nothing from the network."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from importlib.resources import files
from typing import Any, get_args

from logic_retrievers.conflicts.cleaning.result import (
    Action,
    CleaningResult,
    Decision,
    Difference,
    Kind,
    Severity,
    Side,
    Type,
)
from logic_retrievers.conflicts.resolution_strategies import passage_source
from logic_retrievers.errors import MissingExtraError
from logic_retrievers.text import show_hidden
from logic_retrievers.types import Passage, metadata_value

WOULD_BE_QUARANTINED = "would be quarantined"
# Maximum metadata fields shown for a passage; the JSON lines have all of them.
MAX_METADATA = 6
MAX_VALUE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text; if the second text differs there, ``difference`` is the type."""

    text: str
    difference: Type | None = None


@dataclass(frozen=True, slots=True)
class PassageCard:
    """One of the two passages of a decision; ``metadata`` holds only the fields that differ."""

    id: str
    date: str
    source: str
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    pieces: tuple[Piece, ...]


def render_page(result: CleaningResult) -> str:
    """Render the page; needs jinja2."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", "cli") from error
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["visible"] = lambda value: show_hidden(str(value))
    findings = [decision.finding for decision in result.decisions]
    actions = get_args(Action)
    filters = {
        "kind": _counts(Kind, (finding.kind for finding in findings)),
        "severity": _counts(get_args(Severity), (finding.severity for finding in findings)),
        "action": _counts(actions, (decision.action for decision in result.decisions)),
    }
    both = Counter((decision.finding.kind, decision.action) for decision in result.decisions)
    action_names = {action: action for action in actions}
    if result.dry_run:
        action_names |= {"quarantined": WOULD_BE_QUARANTINED, "closed": "would be closed"}
    templates = files(__package__) / "templates"
    style, script = ((templates / f"report.{end}").read_text("utf-8") for end in ("css", "js"))
    return environment.get_template("report.html.j2").render(
        result=result,
        begun=result.begun.astimezone(UTC),
        quarantined=result.quarantined,
        cards=(
            (decision, [_passage_card(decision, side, result) for side in get_args(Side)])
            for decision in result.decisions
        ),
        filters=filters,
        action_names=action_names,
        table=[(k, a, both[k, a]) for k in Kind for a in actions if both[k, a]],
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
    )


def _policy_hash(text: str) -> str:
    # the page's content security policy allows only the style and script with these hashes
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _counts(names: Iterable[str], values: Iterable[str]) -> dict[str, int]:
    counts = Counter(values)
    return {name: counts[name] for name in names}


def _passage_card(decision: Decision, side: Side, result: CleaningResult) -> PassageCard:
    finding = decision.finding
    passage, opponent = result.passages[finding.one], result.passages[finding.other]
    if side == "other":
        passage, opponent = opponent, passage
    return PassageCard(
        passage.id,
        _shortened(metadata_value(passage.metadata, result.date_key)),
        _shortened(passage_source(passage, result.source_key)),
        tuple(_tags(passage.id, decision, result)),
        _differing_metadata(passage, opponent, {result.date_key, result.source_key}),
        tuple(split_at_differences(passage.text, finding.differences, side)),
    )


def _tags(passage_id: str, decision: Decision, result: CleaningResult) -> Iterator[str]:
    if passage_id in decision.quarantined:
        yield WOULD_BE_QUARANTINED if result.dry_run else "quarantined"
    if passage_id in decision.closed:
        yield f"{'would end' if result.dry_run else 'ends'} at {decision.until}"
    if passage_id in decision.trusted:
        yield "trusted"
    if passage_id == decision.finding.newer:
        yield "newer"


def _differing_metadata(passage: Passage, opponent: Passage, shown: set[str]) -> dict[str, str]:
    keys = [
        key
        for key, value in passage.metadata.items()
        if key not in shown and _shortened(value) != _shortened(opponent.metadata.get(key))
    ]
    return {str(key): _shortened(passage.metadata[key]) for key in keys[:MAX_METADATA]}


def _shortened(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}…"


def split_at_differences(
    text: str, differences: Iterable[Difference], side: Side
) -> Iterator[Piece]:
    """Split one of two texts where they differ; the pieces join to the text."""
    position = 0
    for difference in differences:
        begin, end = difference.one if side == "one" else difference.other
        if begin > position:
            yield Piece(text[position:begin])
        yield Piece(text[begin:end], difference.type)
        position = end
    if position < len(text):
        yield Piece(text[position:])
