"""The result of a filter, with the evidence for every passage: pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from logic_retrievers.contradiction.filtered import Conflict, Filtered
from logic_retrievers.contradiction.verdicts import Case, Verdict
from logic_retrievers.types import Evidence, Hit

NAME = "contradiction"

STANDING = ("annotated", "abstained", "contested")
"""Decisions after which a passage still stands beside the one that it contradicts."""

Opponents = Sequence[tuple[int, Conflict]]
"""Place of the opponent and the conflict, the strongest first."""


def told(
    case: Case,
    verdict: Verdict,
    k: int | None,
    *,
    rule: str,
    threshold: float,
    notes: Sequence[str] = (),
) -> Filtered:
    """The passages that stay and those that went, as hits with evidence.

    Args:
        case: what was decided on.
        verdict: what was decided.
        k: how many were asked for.
        rule: name of the rule among passages that are not trusted.
        threshold: least probability of a conflict.
        notes: what else has to be said.
    """
    opponents: list[list[tuple[int, Conflict]]] = [[] for _ in range(case.given)]
    for pair, conflict in zip(verdict.pairs, verdict.conflicts, strict=True):
        if conflict.decision == "unreached":
            continue
        for place, other in ((pair.one, pair.other), (pair.other, pair.one)):
            if place < case.given:
                opponents[place].append((other, conflict))

    def hit(place: int, rank: int) -> Hit:
        met = opponents[place]
        cause = verdict.cause.get(place)
        if cause is not None:  # what took it out comes first
            met = sorted(met, key=lambda one: one[1] is not verdict.conflicts[cause])
        kept = place not in verdict.settled.dropped
        evidence = Evidence(
            NAME,
            {NAME: max((conflict.score for _, conflict in met), default=None)},
            {"given": place + 1},
            kept,
            _dropped(case, met) if not kept else _kept(case, place, met),
            {
                "rule": rule,
                "threshold": threshold,
                "judged": place not in case.unjudged,
                "trusted": place in case.trusted,
                "opponents": [_opponent(case, other, conflict) for other, conflict in met],
            },
        )
        counted = met if not kept else [one for one in met if one[1].decision in STANDING]
        likeliest = max((conflict.probability for _, conflict in counted), default=0.0)
        return Hit(case.passages[place], rank, round(1 - likeliest, 6), evidence)

    settled = verdict.settled
    short = k is not None and len(settled.kept) < k
    said = [
        f"trusted passage {name!r} {why}, and judges nobody" for name, why in case.silent.items()
    ]
    said += notes
    if short:
        said.append(
            f"{len(settled.kept)} of {k} passages: {case.given} were given, and"
            f" {len(settled.dropped)} of them dropped"
        )
    return Filtered(
        tuple(hit(place, rank) for rank, place in enumerate(settled.kept, start=1)),
        tuple(hit(place, place + 1) for place in sorted(settled.dropped)),
        verdict.conflicts,
        short,
        tuple(said),
    )


def contested_note(case: Case, verdict: Verdict) -> str:
    """Which trusted passages contradict each other; empty where none do."""
    if not verdict.contested:
        return ""
    names = ", ".join(sorted(repr(case.passages[place].id) for place in verdict.contested))
    return (
        f"trusted passages contradict each other, and cannot all be right: {names}; they stay, and"
        " nothing was judged by them"
    )


def _dropped(case: Case, opponents: Opponents) -> str:
    other, conflict = opponents[0]
    return f"dropped: {_clash(case, other, conflict)}: {conflict.reason}"


def _kept(case: Case, place: int, opponents: Opponents) -> str:
    if place in case.unjudged:
        return case.unjudged[place]
    if not opponents:
        none = "contradicts none of the others"
        return f"is trusted, and {none}" if place in case.trusted else none
    # who stays beside it matters more than who has gone
    staying = [one for one in opponents if one[1].decision in STANDING]
    other, conflict = (staying or opponents)[0]
    fate = "which was dropped" if not staying else "and both stay"
    more = f"; {len(opponents) - 1} more" if len(opponents) > 1 else ""
    return f"{_clash(case, other, conflict)}, {fate}: {conflict.reason}{more}"


def _clash(case: Case, other: int, conflict: Conflict) -> str:
    return f"contradicts {case.passages[other].id!r} (probability {conflict.probability:.2f})"


def _opponent(case: Case, other: int, conflict: Conflict) -> dict[str, Any]:
    return {
        "id": case.passages[other].id,
        "trusted": other in case.trusted,
        "score": conflict.score,
        "probability": conflict.probability,
        "own_probability": conflict.own_probability,
        "decision": conflict.decision,
        "dropped": list(conflict.dropped),
        "reason": conflict.reason,
    }
