"""What a cleaning finds: pairs of passages, how they stand to each other, and where they differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal, TypeAlias

Span: TypeAlias = tuple[int, int]
"""First and one-past-last character in a passage's text; empty where the other text has more."""

Type: TypeAlias = Literal["number", "date", "polarity", "antonym", "entity", "wording"]
Severity: TypeAlias = Literal["high", "medium", "low"]


class Kind(StrEnum):
    """How two passages stand to each other. Only contradictions are ever held against a passage."""

    CONTRADICTION = "contradiction"
    """Both cannot be true at the same time of the same thing."""
    SUPERSEDED = "superseded"
    """The older one was right once: a newer version says otherwise."""
    SCOPE = "scope"
    """They differ because they speak of another product, region, year, person or unit."""
    PARAPHRASE = "paraphrase"
    """They say the same in other words, or the one follows from the other."""
    DUPLICATE = "duplicate"
    """They say the same in the same words."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Words that stand in one text and not in the other.

    Args:
        type: what the words are.
        one, other: where they stand in the two texts.
    """

    type: Type
    one: Span
    other: Span


@dataclass(frozen=True, slots=True)
class Finding:
    """Two passages that have something to do with each other.

    Args:
        one, other: their ids; ``one`` is the passage that was examined.
        kind: how they stand to each other.
        reason: the same in a sentence for people.
        cosine: of the topical vectors.
        score: F (Xu et al. 2024), what contradictions are ordered by; the cosine alone for copies.
        probability: of a contradiction: the second opinion's where there is one.
        own_probability: what the vectors alone say.
        differences: where the texts differ, in their order.
        newer: id of the newer version where one supersedes the other.
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

    @property
    def severity(self) -> Severity:
        """``high``: surely a contradiction; ``medium``: perhaps one, or out of date; else low."""
        if self.kind is Kind.CONTRADICTION:
            return "high" if self.probability >= 0.9 else "medium"
        return "medium" if self.kind is Kind.SUPERSEDED else "low"

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        found = asdict(self)
        found["kind"] = self.kind.value
        found["severity"] = self.severity
        found["differences"] = [
            {"type": one.type, "one": list(one.one), "other": list(one.other)}
            for one in self.differences
        ]
        return found
