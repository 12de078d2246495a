"""Build the result of a filter, with evidence for every passage. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from logic_retrievers.conflicts.candidate_pairs import ConflictCase
from logic_retrievers.conflicts.conflict_resolution import Conflict, Resolution
from logic_retrievers.types import Evidence, Hit

NAME = "contradiction"

# decisions after which both passages of a conflict stay
BOTH_STAY = ("annotated", "abstained", "contested")

# (position of the opponent, conflict), the strongest conflict first
Opponents: TypeAlias = Sequence[tuple[int, Conflict]]


@dataclass(frozen=True, slots=True)
class FilterResult:
    """The passages that stay, the dropped passages, and the reasons.

    Args:
        hits: the passages that stay, in the given order. A hit's score is 1 minus the probability
            of its likeliest conflict with a passage that stays or is trusted. Its evidence lists
            all opponents under ``details``.
        dropped: the dropped passages. Each has its place in the given list as rank, and all its
            opponents count for the score.
        conflicts: the pairs in conflict, the strongest first. With k, conflicts later in the list
            may be missing because a cross-encoder did not read them.
        short: whether fewer than k passages stay.
        notes: sentences that say why the result is short, which trusted passages contradict each
            other, and whether the pair judge failed.
    """

    hits: tuple[Hit, ...]
    dropped: tuple[Hit, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    short: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {
            "hits": [hit.to_dict() for hit in self.hits],
            "dropped": [hit.to_dict() for hit in self.dropped],
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
            "short": self.short,
            "notes": list(self.notes),
        }

    def without_texts(self) -> dict[str, Any]:
        """:meth:`to_dict` without texts and metadata, for logs and tracers."""
        return {
            **self.to_dict(),
            "hits": [hit.without_text() for hit in self.hits],
            "dropped": [hit.without_text() for hit in self.dropped],
            "conflicts": [replace(conflict, read=None).to_dict() for conflict in self.conflicts],
        }


def build_filter_result(
    case: ConflictCase,
    resolution: Resolution,
    k: int | None,
    *,
    strategy: str,
    threshold: float,
    notes: Sequence[str] = (),
) -> FilterResult:
    """Make hits with evidence, both for passages that stay and for dropped ones."""
    opponents: list[list[tuple[int, Conflict]]] = [[] for _ in range(case.given_count)]
    for pair, conflict in zip(resolution.pairs, resolution.conflicts, strict=True):
        if conflict.decision == "unreached":
            continue
        for position, other in ((pair.one, pair.other), (pair.other, pair.one)):
            if position < case.given_count:
                opponents[position].append((other, conflict))

    def build_hit(position: int, rank: int) -> Hit:
        own = opponents[position]
        cause = selection.dropped.get(position)
        if cause is not None:  # the conflict that dropped the passage comes first
            own = sorted(own, key=lambda opponent: opponent[1] is not resolution.conflicts[cause])
        stays = cause is None
        evidence = Evidence(
            NAME,
            {NAME: max((conflict.score for _, conflict in own), default=None)},
            {"given": position + 1},
            stays,
            _reason(case, position, own, stays=stays),
            {
                "resolution": strategy,
                "threshold": threshold,
                "judged": position not in case.unjudgeable,
                "trusted": position in case.trusted,
                "opponents": [_opponent_to_dict(case, other, conflict) for other, conflict in own],
            },
        )
        counted = _staying(own) if stays else own
        likeliest = max((conflict.probability for _, conflict in counted), default=0.0)
        return Hit(case.passages[position], rank, round(1 - likeliest, 6), evidence)

    selection = resolution.selection
    short = k is not None and len(selection.staying) < k
    all_notes = [
        f"trusted passage {name!r} {reason}, and decides nothing"
        for name, reason in case.unjudgeable_trusted.items()
    ]
    all_notes += notes
    if short:
        all_notes.append(
            f"{len(selection.staying)} of {k} passages: {case.given_count} were given, and"
            f" {len(selection.dropped)} of them dropped"
        )
    return FilterResult(
        tuple(
            build_hit(position, rank) for rank, position in enumerate(selection.staying, start=1)
        ),
        tuple(build_hit(position, position + 1) for position in sorted(selection.dropped)),
        resolution.conflicts,
        short,
        tuple(all_notes),
    )


def describe_contested(case: ConflictCase, resolution: Resolution) -> str:
    """Return a sentence naming trusted passages that contradict each other; empty if none do."""
    if not resolution.contested:
        return ""
    ids = sorted(repr(case.passages[position].id) for position in resolution.contested)
    return (
        f"trusted passages contradict each other, and cannot all be right: {', '.join(ids)}; they"
        " stay, and nothing was judged by them"
    )


def _staying(opponents: Opponents) -> Opponents:
    return [opponent for opponent in opponents if opponent[1].decision in BOTH_STAY]


def _reason(case: ConflictCase, position: int, opponents: Opponents, *, stays: bool) -> str:
    if not stays:
        other, conflict = opponents[0]
        return f"dropped: {_describe_conflict(case, other, conflict)}: {conflict.reason}"
    if position in case.unjudgeable:
        return case.unjudgeable[position]
    if not opponents:
        none = "contradicts none of the others"
        return f"is trusted, and {none}" if position in case.trusted else none
    # an opponent that stays matters more than a dropped one
    staying = _staying(opponents)
    other, conflict = (staying or opponents)[0]
    outcome = "and both stay" if staying else "which was dropped"
    more = f"; {len(opponents) - 1} more" if len(opponents) > 1 else ""
    return f"{_describe_conflict(case, other, conflict)}, {outcome}: {conflict.reason}{more}"


def _describe_conflict(case: ConflictCase, other: int, conflict: Conflict) -> str:
    return f"contradicts {case.passages[other].id!r} (probability {conflict.probability:.2f})"


def _opponent_to_dict(case: ConflictCase, other: int, conflict: Conflict) -> dict[str, Any]:
    told = conflict.to_dict()
    names = ("score", "probability", "own_probability", "decision", "dropped", "reason")
    own = {"id": case.passages[other].id, "trusted": other in case.trusted}
    return {**own, **{name: told[name] for name in names}}
