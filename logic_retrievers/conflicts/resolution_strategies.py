"""Resolution strategies, which decide which of two contradicting passages is dropped.

To add one, subclass :class:`ResolutionStrategy` and give it a name in :data:`RESOLUTIONS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from logic_retrievers.checks import check_texts
from logic_retrievers.conflicts.stances import ConflictGraph as ConflictGraph
from logic_retrievers.conflicts.stances import Group, minority_probabilities
from logic_retrievers.dates import is_later, parse_date
from logic_retrievers.errors import ConfigurationError, InputError, UnknownResolutionError, shown
from logic_retrievers.types import Passage, metadata_value

# two passages in conflict -> the one that stays, or None if the function cannot decide
ChoiceFunction: TypeAlias = Callable[[Passage, Passage], Passage | None]

# A passage is dropped if it is in the minority with at least this probability; fitted on
# ConflictQA's development part.
MINORITY_PROBABILITY = 0.7


@dataclass(frozen=True, slots=True)
class Ruling:
    """A strategy's decision about two passages in conflict.

    Args:
        reason: a few words for people.
        drop: positions of the dropped passages: none, one or both of the two.
        abstained: whether both stay because the strategy could not decide.
    """

    reason: str
    drop: tuple[int, ...] = ()
    abstained: bool = False


class ResolutionStrategy(ABC):
    """Decides conflicts; subclass this for your own strategy.

    A strategy must be pure: the same two passages in the same graph get the same ruling. The order
    of the two only says which one comes first in the list.

    Attributes:
        name: name in results, logs and the ledger.
        needs_all_conflicts: whether a ruling depends on conflicts of other pairs. If not, a filter
            with k leaves most of a long list unread.
    """

    name: ClassVar[str]
    needs_all_conflicts: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        # a new ``decide`` may look at other conflicts even if that of the base class does not
        if "decide" in vars(cls) and "needs_all_conflicts" not in vars(cls):
            cls.needs_all_conflicts = True

    @abstractmethod
    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """Return the ruling on two passages of the graph that contradict each other."""


AnyResolution: TypeAlias = str | ResolutionStrategy | ChoiceFunction | Sequence["AnyResolution"]


@dataclass(frozen=True)
class Annotate(ResolutionStrategy):
    """Keeps both, and the evidence of each names the other."""

    name: ClassVar[str] = "annotate"
    needs_all_conflicts: ClassVar[bool] = False

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:  # noqa: ARG002
        return Ruling("nothing is dropped under 'annotate'")


@dataclass(frozen=True)
class DropBoth(ResolutionStrategy):
    """Drops both of two passages that contradict each other."""

    name: ClassVar[str] = "drop_both"
    needs_all_conflicts: ClassVar[bool] = False

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:  # noqa: ARG002
        return Ruling("of two that contradict each other neither stays", (one, other))


@dataclass(frozen=True)
class QuarantineAll(DropBoth):
    """Hides both of two passages that contradict each other; a cleaner's name for ``DropBoth``."""

    name: ClassVar[str] = "quarantine_all"


@dataclass(frozen=True)
class InOrder(ResolutionStrategy):
    """Tries several strategies in order until one decides."""

    strategies: tuple[ResolutionStrategy, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return ", ".join(strategy.name for strategy in self.strategies)

    @property
    def needs_all_conflicts(self) -> bool:  # type: ignore[override]
        return any(strategy.needs_all_conflicts for strategy in self.strategies)

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        reasons = []
        for strategy in self.strategies:
            ruling = strategy.decide(one, other, graph)
            if not ruling.abstained:
                return ruling
            reasons.append(ruling.reason)
        return Ruling("; ".join(reasons), abstained=True)


@dataclass(frozen=True)
class ByFunction(ResolutionStrategy):
    """Calls a user's function to decide.

    Args:
        choose: takes both passages in list order, and returns the one that stays, or None to keep
            both.

    Raises:
        InputError: raised when filtering if the function returns anything else.
    """

    choose: ChoiceFunction
    name: ClassVar[str] = "function"
    needs_all_conflicts: ClassVar[bool] = False

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        first, second = graph.passages[one], graph.passages[other]
        winner = self.choose(first, second)
        if winner is None:
            return Ruling("the given function did not decide", abstained=True)
        if winner is not first and winner is not second:
            raise InputError(
                "a resolution function gives back one of its two passages (the one that stays), or"
                f" None; it gave a {type(winner).__name__}"
            )
        loser = other if winner is first else one
        return Ruling(f"the given function prefers {winner.id!r}", (loser,))


@dataclass(frozen=True)
class PreferNewest(ResolutionStrategy):
    """Keeps the newer of two passages; abstains if neither is certainly newer.

    Args:
        key: metadata key of the date; nested keys are written ``a.b``. The date may have any form
            that :func:`~logic_retrievers.dates.parse_date` reads.
    """

    key: str = "date"
    name: ClassVar[str] = "prefer_newest"
    needs_all_conflicts: ClassVar[bool] = False

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        found = []
        for position in (one, other):
            passage = graph.passages[position]
            value = metadata_value(passage.metadata, self.key)
            if value is None:
                return Ruling(f"{passage.id!r} has no {self.key!r}", abstained=True)
            if (date := parse_date(value)) is None:
                return Ruling(f"the {self.key!r} of {passage.id!r} cannot be read", abstained=True)
            found.append((position, value, date))
        for (stays, newer, late), (drop, older, early) in (found, found[::-1]):
            if is_later(late, early):
                reason = f"{graph.passages[stays].id!r} is newer: {newer} after {older}"
                return Ruling(reason, (drop,))
        return Ruling(
            f"neither is certainly newer: {found[0][1]} and {found[1][1]}", abstained=True
        )


@dataclass(frozen=True)
class PreferSource(ResolutionStrategy):
    """Keeps the passage from the better source; abstains if a source is unknown or both are equal.

    Args:
        order: sources, best first.
        key: metadata key of the source; for a passage without the key, its own ``source`` counts.

    Raises:
        ConfigurationError: the order is empty or a string.
    """

    order: tuple[str, ...]
    key: str = "source"
    name: ClassVar[str] = "prefer_source"
    needs_all_conflicts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.order, str) or not self.order:
            raise ConfigurationError(
                "prefer_source needs source_order: a list of sources, the best first"
            )

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        ranks = []
        for passage in (graph.passages[one], graph.passages[other]):
            source = passage_source(passage, self.key)
            if source is None:
                return Ruling(f"{passage.id!r} has no {self.key!r}", abstained=True)
            if source not in self.order:
                return Ruling(
                    f"the {self.key!r} of {passage.id!r} does not stand in the order",
                    abstained=True,
                )
            ranks.append(self.order.index(source))
        if ranks[0] == ranks[1]:
            return Ruling(f"both come from {self.order[ranks[0]]!r}", abstained=True)
        drop = other if ranks[0] < ranks[1] else one
        better, worse = sorted(ranks)
        return Ruling(f"{self.order[better]!r} stands before {self.order[worse]!r}", (drop,))


@dataclass(frozen=True)
class PreferMajority(ResolutionStrategy):
    """Keeps the passage with more votes; abstains if the votes are equal.

    Each of the two votes for itself. A passage that conflicts with only one of the two votes for
    the other. If the graph has a :class:`Group` for the pair, all partitions of the group into two
    stances are weighed. A passage is then dropped if its stance has fewer votes with a probability
    of at least .7.

    Copies of one text share one vote, and so do passages of one source, because repeating a claim
    adds no support.

    Args:
        key: metadata key of the source; for a passage without the key, its own ``source`` counts. A
            passage without any source has its own vote.
    """

    key: str = "source"
    name: ClassVar[str] = "prefer_majority"

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        group = graph.groups.get((one, other)) or graph.groups.get((other, one))
        if group is not None:
            return self._decide_by_stances(group, graph)
        votes = {}
        for position, rival in ((one, other), (other, one)):
            agreeing = graph.rivals[rival] - graph.rivals[position] - {position}
            votes[position] = len(set(self._voters([position, *agreeing], graph)))
        if votes[one] == votes[other]:
            return Ruling(f"each has {votes[one]} of the passages on its side", abstained=True)
        drop, stays = sorted(votes, key=lambda position: votes[position])
        return Ruling(
            f"{graph.passages[stays].id!r} has {votes[stays]} voices (itself and those that agree"
            f" with it) against {votes[drop]}",
            (drop,),
        )

    def _decide_by_stances(self, group: Group, graph: ConflictGraph) -> Ruling:
        """Drop that one of the group's first two whose stance probably has fewer votes."""
        minority = minority_probabilities(group, self._voters(group.members, graph))
        if max(minority) < MINORITY_PROBABILITY:
            return Ruling("neither probably has more voices on its side", abstained=True)
        one, other = group.members[:2]
        stays, drop = (other, one) if minority[0] > minority[1] else (one, other)
        return Ruling(
            f"{graph.passages[stays].id!r} probably ({max(minority):.2f}) has more voices on its"
            " side",
            (drop,),
        )

    def _voters(self, positions: Sequence[int], graph: ConflictGraph) -> list[int]:
        """Return the number of each passage's vote; copies and passages of one source share it."""
        sources = [passage_source(graph.passages[position], self.key) for position in positions]
        voters = list(range(len(positions)))
        for n, position in enumerate(positions):
            for m in range(n):
                is_copy = positions[m] in graph.copies[position]
                if is_copy or sources[m] == sources[n] is not None:
                    voters = [voters[n] if voter == voters[m] else voter for voter in voters]
        return voters


# name -> function that makes the strategy from date key, source key and source order
RESOLUTIONS: Mapping[str, Callable[[str, str, tuple[str, ...]], ResolutionStrategy]] = {
    "annotate": lambda _date, _source, _order: Annotate(),
    "prefer_newest": lambda date, _source, _order: PreferNewest(date),
    "prefer_source": lambda _date, source, order: PreferSource(order, source),
    "prefer_majority": lambda _date, source, _order: PreferMajority(source),
    "drop_both": lambda _date, _source, _order: DropBoth(),
    "quarantine_all": lambda _date, _source, _order: QuarantineAll(),
}


def resolution_strategy(
    resolution: AnyResolution,
    date_key: str = "date",
    source_key: str = "source",
    source_order: Sequence[str] = (),
) -> ResolutionStrategy:
    """Return the strategy for a name, for a function of two passages, or for a list of these.

    Raises:
        UnknownResolutionError: no strategy has that name.
        ConfigurationError: the value is none of these, or the strategy cannot work with the
            settings.
    """
    for name, key in (("date_key", date_key), ("source_key", source_key)):
        if not isinstance(key, str) or not key:
            raise ConfigurationError(
                f"{name} must be the name of a metadata field, not {shown(key)}"
            )
    check_texts("source_order", source_order)
    if isinstance(resolution, str):
        if resolution not in RESOLUTIONS:
            names = ", ".join(RESOLUTIONS)
            raise UnknownResolutionError(f"unknown resolution {shown(resolution)}; one of {names}")
        return RESOLUTIONS[resolution](date_key, source_key, tuple(source_order))
    if isinstance(resolution, ResolutionStrategy):
        return resolution
    if isinstance(resolution, Sequence):
        if not resolution:
            raise ConfigurationError("resolution= is an empty list; name one or several")
        settings = (date_key, source_key, source_order)
        return InOrder(tuple(resolution_strategy(single, *settings) for single in resolution))
    if not callable(resolution) or isinstance(resolution, type):
        raise ConfigurationError(
            "a resolution is a name, a ResolutionStrategy, a function of two passages that gives"
            f" back the one that stays, or a list of these; not {shown(resolution)}"
        )
    return ByFunction(resolution)


def passage_source(passage: Passage, key: str) -> Any:
    """Return a passage's source: the metadata value, else the document it was cut from."""
    value = metadata_value(passage.metadata, key)
    is_missing = value is None or (isinstance(value, str) and not value)
    return passage.source if is_missing else value
