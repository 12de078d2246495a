"""Decide from candidate pairs which passages stay and which are dropped. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from logic_retrievers.conflicts.candidate_pairs import CandidatePair, ConflictCase
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy, Ruling
from logic_retrievers.conflicts.stances import ConflictGraph
from logic_retrievers.errors import InputError
from logic_retrievers.judging.relation import (
    ConflictRelation,
    conflict_relation,
    pair_sentences,
)
from logic_retrievers.text import words_of
from logic_retrievers.types import plain_fields

AgainstTrusted: TypeAlias = Literal["drop", "annotate"]
ConflictDecision: TypeAlias = Literal[
    "annotated", "abstained", "contested", "dropped", "settled", "unreached"
]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that contradict each other, and the decision.

    Args:
        one, other: ids of the two.
        score: F = cosine + alpha * sparsity.
        probability: probability of the contradiction; the judge's if it read the pair.
        own_probability: probability of the contradiction from the vectors alone.
        decision: ``dropped``: this conflict dropped one or both. ``settled``: a different conflict
            dropped one. ``unreached``: k passages were found before one of the two was reached.
            The others drop neither, but a different conflict may. ``annotated``: the resolution
            or ``against_trusted`` keeps both. ``abstained``: the resolution could not decide, or
            the conflict is too improbable to drop a passage. ``contested``: not decided, since a
            trusted one contradicts another trusted passage.
        reason: grounds for the decision, in a few words for people.
        dropped: ids of the passages dropped for this conflict.
        trusted: ids of the trusted passages among the two.
        read: sentences of the two that a cross-encoder read; None if none read the pair.
        relation: what ``one`` is to ``other``, as read: a contradiction, superseded (an older state
            of one thing) or supersedes (a newer one); None if no cross-encoder read the pair.
    """

    one: str
    other: str
    score: float
    probability: float
    own_probability: float
    decision: ConflictDecision
    reason: str
    dropped: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    read: tuple[str, str] | None = field(default=None, repr=False)  # keeps texts out of logs
    relation: ConflictRelation | None = None

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages of a list that stay, and the rulings on conflicts.

    Args:
        staying: positions of the passages that stay, in list order.
        dropped: position of a dropped passage -> number of the conflict that dropped it.
        rulings: number of a conflict -> its ruling, for conflicts that had to be decided.
        reached: number of considered passages of the list; the rest was not needed.
    """

    staying: tuple[int, ...]
    dropped: Mapping[int, int]
    rulings: Mapping[int, Ruling]
    reached: int


@dataclass(frozen=True, slots=True)
class Resolution:
    """Decisions about the passages of a case.

    Args:
        selection: which passages stay and which are dropped.
        pairs: the pairs in conflict, the strongest first.
        conflicts: the same pairs by id, with the decisions.
        contested: positions of trusted passages that contradict each other.
    """

    selection: Selection
    pairs: tuple[CandidatePair, ...]
    conflicts: tuple[Conflict, ...]
    contested: frozenset[int]


def resolve_conflicts(
    case: ConflictCase,
    strategy: ResolutionStrategy,
    threshold: float,
    against_trusted: AgainstTrusted,
    k: int | None,
    drop_above: float = 0.0,
) -> Resolution:
    """Decide every conflict: first those with trusted passages, then all others.

    Pairs with probability >= ``threshold`` are conflicts. Only conflicts with probability >=
    ``drop_above`` may drop a passage.
    """
    pairs = tuple(pair for pair in case.pairs if pair.probability >= threshold)
    trusted_of = [{pair.one, pair.other} & case.trusted for pair in pairs]
    contested = frozenset[int]().union(*(both for both in trusted_of if len(both) == 2))
    excluded: dict[int, int] = {}
    if against_trusted == "drop":
        for number, (pair, trusted) in enumerate(zip(pairs, trusted_of, strict=True)):
            sure = pair.probability >= drop_above
            if sure and len(trusted) == 1 and not trusted & contested:
                (loser,) = {pair.one, pair.other} - trusted
                excluded.setdefault(loser, number)
    graph = _conflict_graph(case, pairs, excluded)
    unsure = {
        (pair.one, pair.other): f"probability {pair.probability:.2f} is under {drop_above:.2f}"
        for pair in pairs
        if pair.probability < drop_above
    }

    def decide(one: int, other: int) -> Ruling:
        ruling = _checked_ruling(strategy, one, other, graph)
        if ruling.drop and (reason := unsure.get((one, other))):
            return Ruling(reason, abstained=True)
        return ruling

    selection = select_passages(
        case.given_count,
        k,
        excluded,
        {n: (pair.one, pair.other) for n, pair in enumerate(pairs) if not trusted_of[n]},
        decide,
    )
    conflicts = tuple(
        _conflict(
            case,
            pair,
            trusted_of[n],
            selection.reached,
            contested,
            excluded,
            selection.rulings.get(n),
            unsure.get((pair.one, pair.other)) if against_trusted == "drop" else None,
        )
        for n, pair in enumerate(pairs)
    )
    return Resolution(selection, pairs, conflicts, contested)


def select_passages(
    count: int,
    k: int | None,
    excluded: Mapping[int, int],
    conflicts: Mapping[int, tuple[int, int]],
    decide: Callable[[int, int], Ruling],
) -> Selection:
    """Select the first k passages of a list that can stay together under a resolution.

    1. The window is filled up to k, in list order; excluded passages are dropped.
    2. Undecided conflicts inside the window are decided, the strongest first. A conflict with a
       dropped passage is skipped, so a dropped passage drops no other.
    3. If a passage was dropped, step 1 follows again. New passages are judged against those that
       stay, and either may be dropped. A dropped passage does not come back.

    So passages after the last one needed have no effect, unless ``decide`` lets them vote.

    ``excluded``: position -> number of a conflict. ``conflicts``: number -> pair of positions, the
    strongest first. With ``k`` None, the window takes the whole list.
    """
    window: list[int] = []
    dropped: dict[int, int] = {}
    rulings: dict[int, Ruling] = {}
    reached = 0
    while True:
        while reached < count and (k is None or len(window) < k):
            if reached in excluded:
                dropped[reached] = excluded[reached]
            else:
                window.append(reached)
            reached += 1
        staying = set(window)
        for number, (one, other) in conflicts.items():
            if number in rulings or one not in staying or other not in staying:
                continue
            rulings[number] = decide(one, other)
            for position in rulings[number].drop:
                staying.discard(position)
                dropped[position] = number
        if len(staying) == len(window):
            return Selection(tuple(window), dropped, rulings, reached)
        window = [position for position in window if position in staying]


def _checked_ruling(
    strategy: ResolutionStrategy, one: int, other: int, graph: ConflictGraph
) -> Ruling:
    """Return the strategy's ruling, checked because users may write strategies."""
    ruling = strategy.decide(one, other, graph)
    if not isinstance(ruling, Ruling):
        raise InputError(
            f"resolution {strategy.name!r} decides by a Ruling, and gave a {type(ruling).__name__}"
        )
    if not set(ruling.drop) <= {one, other}:
        raise InputError(
            f"resolution {strategy.name!r} may drop the positions {one} and {other}, not"
            f" {ruling.drop!r}"
        )
    return ruling


def _conflict_graph(
    case: ConflictCase, pairs: Sequence[CandidatePair], excluded: Collection[int]
) -> ConflictGraph:
    rivals: list[set[int]] = [set() for _ in range(case.given_count)]
    for pair in pairs:
        if pair.other >= case.given_count:
            continue
        if pair.one not in excluded and pair.other not in excluded:
            rivals[pair.one].add(pair.other)
            rivals[pair.other].add(pair.one)
    grouped = {position for group in case.groups.values() for position in group.members}
    same: dict[tuple[str, ...], set[int]] = {}
    for position in grouped.union(*rivals):
        same.setdefault(tuple(words_of(case.passages[position].text)), set()).add(position)
    copies_of = {position: copies for copies in same.values() for position in copies}
    return ConflictGraph(
        case.passages[: case.given_count],
        [frozenset(positions) for positions in rivals],
        [frozenset(copies_of.get(n, ())) - {n} for n in range(case.given_count)],
        case.groups,
    )


def _conflict(
    case: ConflictCase,
    pair: CandidatePair,
    trusted: set[int],
    reached: int,
    contested: frozenset[int],
    excluded: Collection[int],
    ruling: Ruling | None,
    unsure: str | None,
) -> Conflict:
    one, other = case.passages[pair.one], case.passages[pair.other]
    decision: ConflictDecision
    drop: tuple[int, ...] = ()
    untrusted = [position for position in (pair.one, pair.other) if position not in trusted]
    if any(reached <= position for position in untrusted):
        decision, reason = "unreached", "enough passages were found before"
    elif trusted & contested:
        decision = "contested"
        reason = "trusted passages contradict each other about it, so that they cannot judge"
    elif trusted:
        (judge,) = trusted  # only one: two trusted passages are contested
        reason = f"{case.passages[judge].id!r} is trusted"
        drop = tuple(position for position in untrusted if position in excluded)
        decision = "dropped" if drop else "annotated"
        if unsure is not None:
            decision, reason = "settled" if drop else "abstained", f"{reason}, but {unsure}"
            drop = ()
    elif ruling is not None:
        reason, drop = ruling.reason, ruling.drop
        decision = "dropped" if drop else "abstained" if ruling.abstained else "annotated"
    else:
        decision, reason = "settled", "one of the two was dropped for another conflict"
    return Conflict(
        one.id,
        other.id,
        pair.score,
        pair.probability,
        pair.own_probability,
        decision,
        reason,
        tuple(case.passages[position].id for position in sorted(drop)),
        tuple(case.passages[position].id for position in sorted(trusted)),
        pair_sentences(one.text, other.text) if pair.reading else None,
        conflict_relation(pair.reading) if pair.reading else None,
    )
