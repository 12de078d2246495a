"""From pairs in conflict to what becomes of every passage: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from logic_retrievers.contradiction.conflicts import Pair
from logic_retrievers.contradiction.filtered import Conflict, Decision
from logic_retrievers.contradiction.rules import ConflictGraph, ConflictPolicy, Group, Ruling
from logic_retrievers.contradiction.settling import Settled, settle
from logic_retrievers.errors import InputError
from logic_retrievers.types import Passage

AgainstTrusted: TypeAlias = Literal["drop", "annotate"]


@dataclass(frozen=True, slots=True)
class Case:
    """What there is to decide on.

    Args:
        passages: the given ones in their order, and behind them trusted ones that were not given.
        given: how many are given.
        trusted: places of the trusted ones, given or not.
        unjudged: place -> why a passage could not be judged.
        pairs: that may contradict each other, by these places.
        copies: place -> places of the given passages that say the same in nearly the same words.
        silent: id -> why a trusted passage, given or not, could not be judged, and judges nobody.
        groups: what lies near to pairs in conflict, where that is known; see ConflictGraph.
    """

    passages: Sequence[Passage]
    given: int
    trusted: frozenset[int]
    unjudged: Mapping[int, str]
    pairs: tuple[Pair, ...]
    copies: Mapping[int, frozenset[int]]
    silent: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of the passages.

    Args:
        settled: who stays and who goes.
        pairs: those in conflict, the strongest first.
        conflicts: the same pairs for people, with the decisions.
        cause: place of a dropped passage -> number of the conflict that took it out.
        contested: places of trusted passages that contradict each other.
    """

    settled: Settled
    pairs: tuple[Pair, ...]
    conflicts: tuple[Conflict, ...]
    cause: Mapping[int, int]
    contested: frozenset[int]


def verdict(
    case: Case, rule: ConflictPolicy, threshold: float, against: AgainstTrusted, k: int | None
) -> Verdict:
    """Decides every conflict, first those with trusted passages, then those among the others.

    Args:
        case: with its pairs, the strongest first.
        rule: for conflicts among passages that are not trusted.
        threshold: least probability of a conflict.
        against: what becomes of a passage that contradicts a trusted one.
        k: how many passages are wanted; all where None.
    """
    pairs = tuple(pair for pair in case.pairs if pair.probability >= threshold)
    vouched = [{pair.one, pair.other} & case.trusted for pair in pairs]
    contested = frozenset[int]().union(*(both for both in vouched if len(both) == 2))
    barred: dict[int, int] = {}
    if against == "drop":
        for number, (pair, side) in enumerate(zip(pairs, vouched, strict=True)):
            if len(side) == 1 and not side & contested:
                (loser,) = {pair.one, pair.other} - side
                barred.setdefault(loser, number)
    disputes = [number for number, side in enumerate(vouched) if not side]
    graph = _graph(case, pairs, barred)
    settled = settle(
        case.given,
        k,
        barred,
        [(pairs[number].one, pairs[number].other) for number in disputes],
        lambda one, other: _ruling(rule, one, other, graph),
    )
    rulings = {disputes[at]: ruling for at, ruling in settled.rulings.items()}
    cause = {
        place: barred[place] if dispute is None else disputes[dispute]
        for place, dispute in settled.dropped.items()
    }
    conflicts = tuple(
        _conflict(case, number, pair, vouched[number], settled.reached, contested, barred, rulings)
        for number, pair in enumerate(pairs)
    )
    return Verdict(settled, pairs, conflicts, cause, contested)


def _ruling(rule: ConflictPolicy, one: int, other: int, graph: ConflictGraph) -> Ruling:
    """The rule's own ruling, if it is one: a policy may be the user's.

    Raises:
        InputError: it is none, or drops somebody else than the two.
    """
    ruling = rule.decide(one, other, graph)
    if not isinstance(ruling, Ruling):
        raise InputError(
            f"policy {rule.name!r} decides by a Ruling, and gave a {type(ruling).__name__}"
        )
    if not set(ruling.drop) <= {one, other}:
        raise InputError(
            f"policy {rule.name!r} may drop the places {one} and {other}, not {ruling.drop!r}"
        )
    return ruling


def _graph(case: Case, pairs: Sequence[Pair], barred: Mapping[int, int]) -> ConflictGraph:
    rivals: list[set[int]] = [set() for _ in range(case.given)]
    for pair in pairs:
        if pair.other < case.given and pair.one not in barred and pair.other not in barred:
            rivals[pair.one].add(pair.other)
            rivals[pair.other].add(pair.one)
    return ConflictGraph(
        case.passages[: case.given],
        [frozenset(places) for places in rivals],
        [case.copies.get(place, frozenset()) for place in range(case.given)],
        case.groups,
    )


def _conflict(
    case: Case,
    number: int,
    pair: Pair,
    vouched: set[int],
    reached: int,
    contested: frozenset[int],
    barred: Mapping[int, int],
    rulings: Mapping[int, Ruling],
) -> Conflict:
    def name(place: int) -> str:
        return case.passages[place].id

    decision: Decision
    drop: tuple[int, ...] = ()
    untrusted = [place for place in (pair.one, pair.other) if place not in vouched]
    if any(reached <= place for place in untrusted):
        decision, reason = "unreached", "enough passages were found before"
    elif vouched & contested:
        decision = "contested"
        reason = "trusted passages contradict each other about it, so that they cannot judge"
    elif vouched:
        (judge,) = vouched  # where both are, they contest each other
        reason = f"{name(judge)!r} is trusted"
        drop = tuple(place for place in untrusted if place in barred)
        decision = "dropped" if drop else "annotated"
    elif (ruling := rulings.get(number)) is not None:
        reason, drop = ruling.reason, ruling.drop
        decision = "dropped" if drop else "abstained" if ruling.abstained else "annotated"
    else:
        decision, reason = "settled", "one of the two was dropped for another conflict"
    return Conflict(
        name(pair.one),
        name(pair.other),
        pair.score,
        pair.probability,
        pair.own,
        decision,
        reason,
        tuple(name(place) for place in sorted(drop)),
        tuple(name(place) for place in sorted(vouched)),
    )
