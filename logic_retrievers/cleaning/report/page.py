"""The report as one page of HTML, which loads nothing from anywhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any, get_args

from logic_retrievers.cleaning.report.marks import Piece, find_marks, split_at_marks
from logic_retrievers.cleaning.result import Action, CleaningResult, Decision, Kind, Severity, Side
from logic_retrievers.contradiction.resolution_strategies import metadata_value, passage_source
from logic_retrievers.html import policy_hash, read_asset, template_environment
from logic_retrievers.types import Passage

PACKAGE = "logic_retrievers.cleaning.report"

WOULD_BE_QUARANTINED = "would be quarantined"
"""The action of a dry run where a cleaning would quarantine."""

MAX_METADATA = 6
"""Values of the metadata that are shown of a passage; the JSON lines have them all."""

MAX_VALUE_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class PassageCard:
    """One of the two passages of a decision, as the page shows it.

    ``tags``: what became of it, and what it is to the other one. ``metadata``: other keys and
    values, where they differ from the other passage's.
    """

    id: str
    date: str
    source: str
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    pieces: tuple[Piece, ...]


def render_page(result: CleaningResult) -> str:
    """The page.

    Raises:
        MissingExtraError: jinja2 is not installed.
    """
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
        action_names["quarantined"] = WOULD_BE_QUARANTINED
    style, script = read_asset(PACKAGE, "report.css"), read_asset(PACKAGE, "report.js")
    return (
        template_environment(PACKAGE, "cli")
        .get_template("report.html.j2")
        .render(
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
            style_hash=policy_hash(style),
            script_hash=policy_hash(script),
        )
    )


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
        split_at_marks(passage.text, find_marks(passage.text, finding.differences, side)),
    )


def _tags(passage_id: str, decision: Decision, result: CleaningResult) -> Iterator[str]:
    if passage_id in decision.quarantined:
        yield WOULD_BE_QUARANTINED if result.dry_run else "quarantined"
    if passage_id in decision.trusted:
        yield "trusted"
    if passage_id == decision.finding.newer:
        yield "newer"


def _differing_metadata(passage: Passage, opponent: Passage, shown: set[str]) -> dict[str, str]:
    """Two texts may be about two regions where nothing but the metadata says so."""
    keys = [
        key
        for key, value in passage.metadata.items()
        if key not in shown and _shortened(value) != _shortened(opponent.metadata.get(key))
    ]
    return {str(key): _shortened(passage.metadata[key]) for key in keys[:MAX_METADATA]}


def _shortened(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}…"
