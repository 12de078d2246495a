"""The result of a cleaning: findings about pairs of passages, and decisions about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage, plain_fields

# start and end offsets in a passage's text; an empty span marks words that the text lacks
Span: TypeAlias = tuple[int, int]

Type: TypeAlias = Literal["number", "wording"]
# the first or the second passage of a pair
Side: TypeAlias = Literal["one", "other"]

Severity: TypeAlias = Literal["high", "medium", "low"]
Action: TypeAlias = Literal[
    "kept", "quarantined", "annotated", "abstained", "contested", "settled", "closed"
]


class Kind(StrEnum):
    """How two passages relate. Only contradictions and superseded versions can hide a passage."""

    CONTRADICTION = "contradiction"
    """They cannot both be true at the same time of the same thing."""
    SUPERSEDED = "superseded"
    """The older one was right once; a newer version says otherwise."""
    SCOPE = "scope"
    """They differ because they are about another product, region, year, person or unit."""
    PARAPHRASE = "paraphrase"
    """They say the same in other words, or one follows from the other."""
    DUPLICATE = "duplicate"
    """They say the same in the same words."""


# names of findings that may fail a build: kinds, severities, or "any"
FAIL_ON = (*(kind.value for kind in Kind), *get_args(Severity), "any")


@dataclass(frozen=True, slots=True)
class Difference:
    """Words in which two texts differ.

    Args:
        type: ``number`` or ``wording``.
        one, other: spans of the words in the two texts.
    """

    type: Type
    one: Span
    other: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """Two passages that relate in some way.

    Args:
        one, other: ids of the two; ``one`` is the examined passage.
        kind: how they relate.
        reason: grounds for the kind, in a sentence for people.
        cosine: cosine of the topical vectors.
        score: F = cosine + alpha * sparsity (Xu et al. 2024); for copies the cosine alone.
        probability: probability of a contradiction; the judge's if it read the pair. For the
            package's cross-encoder, two states of one thing count too.
        own_probability: probability of a contradiction from the vectors alone.
        differences: where the texts differ, in their order.
        newer: id of the newer version if one supersedes the other.
        certain: whether the finding may hide a passage; if a cross-encoder read the pair,
            probability >= ``hide_above``.
    """

    one: str
    other: str
    kind: Kind
    reason: str
    cosine: float
    score: float
    probability: float
    own_probability: float
    differences: tuple[Difference, ...] = ()
    newer: str | None = None
    certain: bool = True

    @property
    def severity(self) -> Severity:
        """``high``: surely a contradiction; ``medium``: perhaps one, or outdated; else ``low``."""
        if self.kind is Kind.CONTRADICTION:
            return "high" if self.probability >= 0.9 else "medium"
        return "medium" if self.kind is Kind.SUPERSEDED else "low"

    def to_dict(self) -> dict[str, Any]:
        return {**plain_fields(self), "severity": self.severity}


@dataclass(frozen=True, slots=True)
class Decision:
    """A finding, and the decision about its two passages.

    Args:
        finding: the pair.
        action: ``quarantined``: this finding hides one or both from retrieval. ``closed``: it ends
            the validity of the older version, which stays. ``annotated``: both
            stay, as the resolution says. ``abstained``: both stay because the resolution could not
            decide. ``contested``: both stay because trusted passages contradict each other about
            them. ``settled``: a different finding already quarantined or closed one of
            the two. ``kept``: both stay, since such findings hide nothing.
        reason: grounds for the action, in a few words for people.
        quarantined: ids of the passages hidden for this finding.
        trusted: ids of the trusted passages among the two.
        closed: id of the passage whose validity this finding ends.
        until: when it ends, as written into the passage's field.
    """

    finding: Finding
    action: Action
    reason: str
    quarantined: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    until: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {**plain_fields(self), "finding": self.finding.to_dict()}

    def seen_from(self, name: str) -> dict[str, Any]:
        """Return the decision from one passage's view, ready for JSON, without texts."""
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
            "closed": list(self.closed),
            "until": self.until,
        }


@dataclass(frozen=True, slots=True)
class CleaningResult:
    """Findings and decisions of a cleaning.

    Args:
        decisions: one per finding, the strongest first.
        passages: id -> passage, for every passage that a decision names.
        examined: number of examined passages.
        compared: number of comparisons; a pair counts twice if each passage is near the other.
        resolution: name of the strategy.
        threshold: least probability of a contradiction.
        dry_run: whether writing was disabled.
        begun: start, in UTC.
        seconds: duration.
        collection: name of the collection; None without an index.
        unjudged: id -> why the passage cannot be judged.
        notes: warnings, in sentences.
        date_key, source_key: metadata keys of the date and the source.
        end_key: metadata key of the end of a passage's validity, if superseded passages are closed.
    """

    decisions: tuple[Decision, ...]
    passages: Mapping[str, Passage]
    examined: int
    compared: int
    resolution: str
    threshold: float
    dry_run: bool
    begun: datetime
    seconds: float
    collection: str | None = None
    unjudged: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    date_key: str = "date"
    source_key: str = "source"
    end_key: str | None = None

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Ids of all hidden passages, each once, in the order of the decisions."""
        hidden = (name for decision in self.decisions for name in decision.quarantined)
        return tuple(dict.fromkeys(hidden))

    @property
    def closed(self) -> dict[str, str]:
        """Passage whose validity ends -> when, in the order of the decisions."""
        return {name: d.until for d in self.decisions if d.until for name in d.closed}

    def of_kind(self, kind: Kind) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.finding.kind is kind)

    def as_closed(self, passage: Passage) -> Passage:
        """Return the passage with the end of its validity, if this cleaning sets it."""
        until = self.closed.get(passage.id)
        if until is None or self.end_key is None:
            return passage
        return replace(passage, metadata={**passage.metadata, self.end_key: until})

    def by_passage(self) -> dict[str, list[Decision]]:
        """Return passage -> the decisions that name it, in result order."""
        by_id: dict[str, list[Decision]] = {}
        for decision in self.decisions:
            for name in (decision.finding.one, decision.finding.other):
                by_id.setdefault(name, []).append(decision)
        return by_id

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dictionary, ready for JSON, without texts."""
        return {
            "collection": self.collection,
            "begun": self.begun.isoformat(),
            "seconds": self.seconds,
            "resolution": self.resolution,
            "threshold": self.threshold,
            "dry_run": self.dry_run,
            "examined": self.examined,
            "compared": self.compared,
            "decisions": [decision.to_dict() for decision in self.decisions],
            "quarantined": list(self.quarantined),
            "closed": self.closed,
            "unjudged": dict(self.unjudged),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """The result of ``CorpusCleaner.screen``.

    Args:
        passages: the screened passages in the given order, quarantined ones with the flag, and
            closed ones with the end of their validity.
        cleaned: the findings and decisions.
    """

    passages: tuple[Passage, ...]
    cleaned: CleaningResult

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Ids of passages that are hidden or will be stored hidden; empty after a dry run."""
        return () if self.cleaned.dry_run else self.cleaned.quarantined


def flag_quarantined(passages: Sequence[Passage], cleaned: CleaningResult) -> ScreeningResult:
    """Return the passages, flagged if ``cleaned`` quarantines them."""
    screened = ScreeningResult(tuple(passages), cleaned)
    ids = set(screened.quarantined)
    flagged = (replace(p, quarantined=True) if p.id in ids else p for p in passages)
    if not cleaned.dry_run:
        flagged = (cleaned.as_closed(p) for p in flagged)
    return replace(screened, passages=tuple(flagged))


def check_fail_on(names: Sequence[str]) -> None:
    """Refuse a name unknown to :func:`failing_decisions`.

    Raises:
        ConfigurationError: a name is not in :data:`FAIL_ON`.
    """
    unknown = [name for name in names if name not in FAIL_ON]
    if unknown:
        raise ConfigurationError(
            f"no kind or severity is called {unknown[0]!r}; use one of: {', '.join(FAIL_ON)}"
        )


def failing_decisions(result: CleaningResult, names: Sequence[str]) -> tuple[Decision, ...]:
    """Return the decisions whose finding's kind or severity is in ``names``, in result order.

    Raises:
        ConfigurationError: a name is not in :data:`FAIL_ON`.
    """
    check_fail_on(names)
    return tuple(
        decision
        for decision in result.decisions
        if not {"any", decision.finding.kind.value, decision.finding.severity}.isdisjoint(names)
    )
