"""What a cleaning gives back: every pair that it found, and what was decided about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from logic_retrievers.cleaning.findings import Finding, Kind
from logic_retrievers.types import Passage

Action: TypeAlias = Literal["kept", "quarantined", "annotated", "abstained", "contested", "settled"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A finding, and what becomes of its two passages.

    Args:
        finding: the pair.
        action: ``quarantined``: one or both are hidden from retrieval for it. ``annotated``: both
            stay, as the policy has it. ``abstained``: both stay because the policy could not
            decide. ``contested``: both stay because trusted passages contradict each other about
            it. ``settled``: one of the two was quarantined already for another finding. ``kept``:
            both stay, since findings of this kind are held against nobody.
        reason: the same in a few words for people.
        quarantined: ids of those that are hidden for it.
        trusted: ids of those of the two that are trusted.
    """

    finding: Finding
    action: Action
    reason: str
    quarantined: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {
            "finding": self.finding.to_dict(),
            "action": self.action,
            "reason": self.reason,
            "quarantined": list(self.quarantined),
            "trusted": list(self.trusted),
        }

    def seen_from(self, name: str) -> dict[str, Any]:
        """The same as one of the two passages sees it, ready for JSON; without texts.

        Args:
            name: its id.
        """
        finding = self.finding
        return {
            "kind": finding.kind.value,
            "severity": finding.severity,
            "opponent": finding.other if finding.one == name else finding.one,
            "probability": finding.probability,
            "cosine": finding.cosine,
            "newer": finding.newer,
            "reason": finding.reason,
            "action": self.action,
            "decision": self.reason,
            "quarantined": list(self.quarantined),
        }


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a cleaning found and did.

    Args:
        decisions: one for each finding, the strongest first.
        passages: every passage that a decision names, under its id.
        examined: how many passages were looked at.
        compared: how many pairs were scored.
        policy: name of the rule that decided.
        threshold: least probability of a contradiction.
        dry_run: nothing was written to the collection.
        begun: when, in UTC.
        seconds: how long it took.
        collection: what was cleaned, where it has a name.
        unjudged: id -> why a passage could not be judged.
        notes: what else has to be said, in sentences.
        date_key: where the metadata of a passage has its date.
        source_key: where the metadata of a passage has its source.
    """

    decisions: tuple[Decision, ...]
    passages: Mapping[str, Passage]
    examined: int
    compared: int
    policy: str
    threshold: float
    dry_run: bool
    begun: datetime
    seconds: float
    collection: str | None = None
    unjudged: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    date_key: str = "date"
    source_key: str = "source"

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Ids of all that are hidden, each once, in the order of the decisions."""
        hidden = (name for decision in self.decisions for name in decision.quarantined)
        return tuple(dict.fromkeys(hidden))

    def of_kind(self, kind: Kind) -> tuple[Decision, ...]:
        """The decisions about findings of one kind."""
        return tuple(one for one in self.decisions if one.finding.kind is kind)

    def by_passage(self) -> dict[str, list[Decision]]:
        """Passage -> the decisions that name it, in their order."""
        found: dict[str, list[Decision]] = {}
        for decision in self.decisions:
            for name in (decision.finding.one, decision.finding.other):
                found.setdefault(name, []).append(decision)
        return found

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON; without the texts."""
        return {
            "collection": self.collection,
            "begun": self.begun.isoformat(),
            "seconds": self.seconds,
            "policy": self.policy,
            "threshold": self.threshold,
            "dry_run": self.dry_run,
            "examined": self.examined,
            "compared": self.compared,
            "decisions": [decision.to_dict() for decision in self.decisions],
            "quarantined": list(self.quarantined),
            "unjudged": dict(self.unjudged),
            "notes": list(self.notes),
        }
