"""What a filter gives back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from logic_retrievers.types import Hit

Decision: TypeAlias = Literal[
    "annotated", "abstained", "contested", "dropped", "settled", "unreached"
]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that contradict each other, and what was decided.

    Args:
        one, other: their ids.
        score: F, what pairs are ordered by.
        probability: of the contradiction: the second opinion's where there is one.
        own_probability: what the vectors alone say.
        decision: ``annotated``: both stay, as the policy has it. ``abstained``: both stay because
            the policy could not decide. ``contested``: both stay because trusted passages
            contradict each other about it. ``dropped``: one or both went for it. ``settled``: one
            had gone already for another conflict. ``unreached``: k passages were found before one
            of the two had its turn.
        reason: the same in a few words for people.
        dropped: ids of those that went for it.
        trusted: ids of those of the two that are trusted.
    """

    one: str
    other: str
    score: float
    probability: float
    own_probability: float
    decision: Decision
    reason: str
    dropped: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }


@dataclass(frozen=True, slots=True)
class Filtered:
    """What is left of a list, what went, and why.

    Args:
        hits: the passages that stay, in the order in which they came. A hit's score is 1 less the
            probability of its likeliest conflict with what stays or is trusted; its evidence has
            all its opponents under ``details``.
        dropped: those that went; their rank is the place that they had in the list, and all their
            opponents count for the score.
        conflicts: all that were found, the strongest first.
        short: fewer than the k that were asked for could be given.
        notes: in sentences: why it is short, who of the trusted contradicts whom, what became of
            the second opinion.
    """

    hits: tuple[Hit, ...]
    dropped: tuple[Hit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    short: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON (given metadata that is)."""
        return {
            "hits": [hit.to_dict() for hit in self.hits],
            "dropped": [hit.to_dict() for hit in self.dropped],
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
            "short": self.short,
            "notes": list(self.notes),
        }

    def without_texts(self) -> dict[str, Any]:
        """The same for logs and tracers, which get no text and no metadata to see."""
        return {
            "hits": [hit.without_text() for hit in self.hits],
            "dropped": [hit.without_text() for hit in self.dropped],
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
            "short": self.short,
            "notes": list(self.notes),
        }
