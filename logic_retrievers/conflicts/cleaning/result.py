"""The result of a cleaning: findings about pairs of passages, and decisions about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage, plain_fields

# first and one-past-last character in a passage's text; empty for words that the text lacks
Span: TypeAlias = tuple[int, int]

Type: TypeAlias = Literal["number", "wording"]
# the first or the second passage of a pair
Side: TypeAlias = Literal["one", "other"]

Severity: TypeAlias = Literal["high", "medium", "low"]
Action: TypeAlias = Literal["kept", "quarantined", "annotated", "abstained", "contested", "settled"]


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


# names for which a build may fail: a kind, a severity, or every finding
FAIL_ON = (*(kind.value for kind in Kind), *get_args(Severity), "any")


@dataclass(frozen=True, slots=True)
class Difference:
    """Words that are in one text and not in the other.

    Args:
        type: of the words.
        one, other: their place in the two texts.
    """

    type: Type
    one: Span
    other: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """Two passages that relate in some way.

    Args:
        one, other: ids of the two; ``one`` is the passage that was examined.
        kind: how they relate.
        reason: why they relate so, in a sentence for people.
        cosine: of the topical vectors.
        score: F = cosine + alpha * sparsity (Xu et al. 2024); for copies the cosine alone.
        probability: of a contradiction, from the judge if it has read the pair; as the package's
            cross-encoder reads, also of two states of one thing.
        own_probability: of a contradiction, from the vectors alone.
        differences: where the texts differ, in their order.
        newer: id of the newer version if one supersedes the other.
        certain: whether it may hide a passage; if a cross-encoder read the pair, from its
            ``hide_above`` on.
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
        action: ``quarantined``: one or both are hidden from retrieval for it. ``annotated``: both
            stay, as the resolution says. ``abstained``: both stay because the resolution could not
            decide. ``contested``: both stay because trusted passages contradict each other about
            it. ``settled``: one of the two was quarantined already for another finding. ``kept``:
            both stay, since such findings hide nothing.
        reason: why, in a few words for people.
        quarantined: ids of the passages hidden for this finding.
        trusted: ids of the trusted passages among the two.
    """

    finding: Finding
    action: Action
    reason: str
    quarantined: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {**plain_fields(self), "finding": self.finding.to_dict()}

    def seen_from(self, name: str) -> dict[str, Any]:
        """Return the decision from the view of one passage, ready for JSON and without texts."""
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
class CleaningResult:
    """What a cleaning found and decided.

    Args:
        decisions: one for each finding, the strongest first.
        passages: id -> every passage that a decision names.
        examined: how many passages were examined.
        compared: number of comparisons; a pair counts twice if each is near the other.
        resolution: name of the strategy.
        threshold: least probability of a contradiction.
        dry_run: whether nothing was to be written.
        begun: start, in UTC.
        seconds: duration.
        collection: name of the collection; None without an index.
        unjudged: id -> why a passage cannot be judged.
        notes: warnings, in sentences.
        date_key, source_key: metadata keys of the date and the source.
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

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Ids of all hidden passages, each once, in the order of the decisions."""
        hidden = (name for decision in self.decisions for name in decision.quarantined)
        return tuple(dict.fromkeys(hidden))

    def of_kind(self, kind: Kind) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.finding.kind is kind)

    def by_passage(self) -> dict[str, list[Decision]]:
        """Return passage -> the decisions that name it, in their order."""
        by_id: dict[str, list[Decision]] = {}
        for decision in self.decisions:
            for name in (decision.finding.one, decision.finding.other):
                by_id.setdefault(name, []).append(decision)
        return by_id

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dictionary, ready for JSON and without the texts."""
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
            "unjudged": dict(self.unjudged),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ScreeningResult:
    """The result of ``CorpusCleaner.screen``.

    Args:
        passages: the screened passages in their order; the quarantined ones have the flag.
        cleaned: the findings and decisions.
    """

    passages: tuple[Passage, ...]
    cleaned: CleaningResult

    @property
    def quarantined(self) -> tuple[str, ...]:
        """Ids of passages that are hidden now or will be stored hidden; empty after a dry run."""
        return () if self.cleaned.dry_run else self.cleaned.quarantined


def flag_quarantined(passages: Sequence[Passage], cleaned: CleaningResult) -> ScreeningResult:
    """Return the passages with the quarantine flags from their cleaning."""
    screened = ScreeningResult(tuple(passages), cleaned)
    ids = set(screened.quarantined)
    flagged = (replace(p, quarantined=True) if p.id in ids else p for p in passages)
    return replace(screened, passages=tuple(flagged))


def check_fail_on(names: Sequence[str]) -> None:
    """Refuse a name that :func:`failing_decisions` does not know.

    Raises:
        ConfigurationError: a name is not in :data:`FAIL_ON`.
    """
    unknown = [name for name in names if name not in FAIL_ON]
    if unknown:
        raise ConfigurationError(
            f"no kind or severity is called {unknown[0]!r}; use one of: {', '.join(FAIL_ON)}"
        )


def failing_decisions(result: CleaningResult, names: Sequence[str]) -> tuple[Decision, ...]:
    """Return the decisions whose finding has a kind or severity in ``names``, in their order.

    Raises:
        ConfigurationError: a name is not in :data:`FAIL_ON`.
    """
    check_fail_on(names)
    return tuple(
        decision
        for decision in result.decisions
        if not {"any", decision.finding.kind.value, decision.finding.severity}.isdisjoint(names)
    )
