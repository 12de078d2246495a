"""Decide from findings which passages are hidden, and make ledger entries. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from logic_retrievers.conflicts.candidate_pairs import CandidatePair, ConflictCase
from logic_retrievers.conflicts.cleaning.ledger import (
    Entry,
    Event,
    examined_hash,
    field_change,
    text_hash,
)
from logic_retrievers.conflicts.cleaning.result import (
    Action,
    CleaningResult,
    Decision,
    Finding,
    Kind,
)
from logic_retrievers.conflicts.conflict_resolution import (
    AgainstTrusted,
    Conflict,
    resolve_conflicts,
)
from logic_retrievers.conflicts.resolution_strategies import (
    InOrder,
    PreferNewest,
    ResolutionStrategy,
    Ruling,
)
from logic_retrievers.conflicts.stances import ConflictGraph, Group
from logic_retrievers.types import Passage

# decisions that a filter names differently than a cleaning
_ACTIONS: Mapping[str, Action] = {"dropped": "quarantined", "unreached": "kept"}


@dataclass(frozen=True)
class _NewerVersions(ResolutionStrategy):
    """Drops the older of two versions, and leaves all other conflicts to ``strategy``.

    ``versions``: positions of two versions -> their finding.
    """

    strategy: ResolutionStrategy
    versions: Mapping[tuple[int, int], Finding]

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.strategy.name

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        finding = self.versions.get((one, other))
        if finding is None:
            return self.strategy.decide(one, other, graph)
        older = other if finding.newer == graph.passages[one].id else one
        return Ruling(f"{finding.newer!r} is the newer version", (older,))


def resolve_findings(
    passages: Sequence[Passage],
    trusted: frozenset[int],
    groups: Mapping[tuple[int, int], Group],
    findings: Sequence[Finding],
    strategy: ResolutionStrategy,
    against_trusted: AgainstTrusted,
) -> tuple[Decision, ...]:
    """Return a decision for every finding, in the same order.

    Trusted passages decide contradictions first; the strategy decides the rest. An untrusted older
    version is hidden if the newer version is trusted or the strategy prefers the newest. Uncertain
    findings and findings of other kinds hide nothing.

    ``trusted`` holds positions; ``groups`` is as in :class:`ConflictGraph`.
    """
    position_of = {passage.id: position for position, passage in enumerate(passages)}
    trusted_ids = {passages[position].id for position in trusted}
    hides_outdated = _prefers_newest(strategy)
    pairs: list[CandidatePair] = []
    numbers: list[int] = []
    versions: dict[tuple[int, int], Finding] = {}
    for number, finding in enumerate(findings):
        one, other = position_of[finding.one], position_of[finding.other]
        older = {finding.one, finding.other} - {finding.newer}
        is_superseded = finding.kind is Kind.SUPERSEDED and finding.newer is not None
        may_hide = is_superseded and not older <= trusted_ids
        if may_hide and (hides_outdated or finding.newer in trusted_ids):
            versions[one, other] = finding
        elif finding.kind is not Kind.CONTRADICTION or not finding.certain:
            continue
        numbers.append(number)
        scores = (finding.cosine, finding.score, finding.own_probability, finding.probability)
        pairs.append(CandidatePair(one, other, *scores))
    case = ConflictCase(
        passages,
        len(passages),
        trusted,
        tuple(pairs),
        groups=groups,
    )
    resolved = _resolve(case, _NewerVersions(strategy, versions), against_trusted)
    conflicts = dict(zip(numbers, resolved, strict=True))
    decisions = []
    for number, finding in enumerate(findings):
        conflict = conflicts.get(number)
        if conflict is None:
            reason = f"nothing is held against a passage for this ({finding.kind.value})"
            if not finding.certain:
                reason = "too uncertain to hide a passage"
            decisions.append(Decision(finding, "kept", reason))
            continue
        action: Action = _ACTIONS.get(conflict.decision, conflict.decision)  # type: ignore[arg-type]
        decisions.append(
            Decision(finding, action, conflict.reason, conflict.dropped, conflict.trusted)
        )
    return tuple(decisions)


def _resolve(
    case: ConflictCase, strategy: ResolutionStrategy, against_trusted: AgainstTrusted
) -> list[Conflict]:
    """Decide every pair; a passage that is itself hidden must not hide another.

    Every pair is a conflict already, so no threshold applies.
    """
    decided: dict[int, Conflict] = {}
    numbers = list(range(len(case.pairs)))
    while True:
        pairs = tuple(case.pairs[number] for number in numbers)
        resolution = resolve_conflicts(
            replace(case, pairs=pairs), strategy, 0.0, against_trusted, None
        )
        decided |= zip(numbers, resolution.conflicts, strict=True)
        lost_in = resolution.selection.dropped
        void = {
            numbers[place]
            for loser, place in lost_in.items()
            for winner in {pairs[place].one, pairs[place].other} - {loser}
            if lost_in.get(winner, place) != place
        }
        if not void:
            return [decided[number] for number in range(len(case.pairs))]
        for number in void:
            reason = "the one that would have stayed was dropped for another conflict"
            decided[number] = replace(
                decided[number], decision="settled", reason=reason, dropped=()
            )
        numbers = [number for number in numbers if number not in void]


def _prefers_newest(strategy: ResolutionStrategy) -> bool:
    if isinstance(strategy, InOrder):
        return any(_prefers_newest(part) for part in strategy.strategies)
    return isinstance(strategy, PreferNewest)


def without_restored(
    decisions: Sequence[Decision], passages: Mapping[str, Passage], states: Mapping[str, Entry]
) -> tuple[Decision, ...]:
    """Return the decisions without hiding unchanged passages that a user restored."""
    restored = restored_ids(passages, states, "restore")
    return tuple(_without(decision, restored) for decision in decisions)


def restored_ids(
    passages: Mapping[str, Passage], states: Mapping[str, Entry], event: Event
) -> set[str]:
    """Return the unchanged passages whose last entry is ``event``, a restoration by hand."""
    return {
        name
        for name, entry in states.items()
        if entry.event == event and name in passages and entry.text == text_hash(passages[name])
    }


def _without(decision: Decision, restored: set[str]) -> Decision:
    if not restored & set(decision.quarantined):
        return decision
    remaining = tuple(name for name in decision.quarantined if name not in restored)
    names = ", ".join(repr(name) for name in decision.quarantined if name in restored)
    return replace(
        decision,
        action="quarantined" if remaining else "kept",
        quarantined=remaining,
        reason=f"{decision.reason}; but {names} was restored by hand, and stays",
    )


def decision_entries(
    result: CleaningResult,
    decision: Decision,
    points: Mapping[str, str],
    states: Mapping[str, str],
) -> list[Entry]:
    """Return one entry per passage that the decision hides, or a single one if none.

    ``states``: :func:`examined_hash` of the passages, except trusted ones that are not stored.
    """
    finding = decision.finding
    plain = finding.to_dict()
    scores = {name: plain[name] for name in ("probability", "own_probability", "score", "cosine")}
    entries = []
    if decision.closed:
        return []  # see close_entries
    for name in decision.quarantined or (finding.one,):
        opponent = finding.other if name == finding.one else finding.one
        rival = result.passages[opponent]
        entries.append(
            Entry(
                "quarantine" if decision.quarantined else "found",
                name,
                text=text_hash(result.passages[name]),
                point=points.get(name),
                opponent=opponent,
                opponent_text=text_hash(rival),
                state=examined_hash(result.passages[name]),
                opponent_state=states.get(opponent),
                kind=finding.kind.value,
                **scores,
                differences=plain["differences"],
                resolution=result.resolution,
                reason=f"{finding.reason}: {decision.reason}",
            )
        )
    return entries


def close_entries(
    result: CleaningResult, stored: Mapping[str, Passage], states: Mapping[str, str]
) -> list[Entry]:
    """Return an entry per passage that ends, with what its field was before.

    ``stored`` holds the passages that are stored; others are to be stored. ``states`` is as in
    :func:`decision_entries`.
    """
    entries = []
    for decision in result.decisions:
        for name in decision.closed:
            finding, passage = decision.finding, stored.get(name, result.passages[name])
            opponent = finding.other if name == finding.one else finding.one
            assert result.end_key is not None
            after = result.as_closed(passage)
            entries.append(
                Entry(
                    "close",
                    name,
                    text=text_hash(passage),
                    opponent=opponent,
                    opponent_text=text_hash(result.passages[opponent]),
                    state=examined_hash(passage),
                    opponent_state=states.get(opponent),
                    kind=finding.kind.value,
                    probability=finding.probability,
                    own_probability=finding.own_probability,
                    score=finding.score,
                    cosine=finding.cosine,
                    differences=[field_change(result.end_key, passage.metadata, after.metadata)],
                    resolution=result.resolution,
                    reason=f"{finding.reason}: {decision.reason}",
                )
            )
    return entries
