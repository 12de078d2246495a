"""Which of the passages stay: a window over the list that is settled, filled up, settled again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from logic_retrievers.contradiction.rules import Ruling


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of each passage and of each dispute.

    Args:
        kept: places of those that stay, in the order of the list.
        dropped: places of those that were met and went -> the dispute that took them out, None
            where they were barred.
        rulings: of the disputes that had to be decided, by their numbers.
        reached: how many of the list were met; what follows was not needed.
    """

    kept: tuple[int, ...]
    dropped: Mapping[int, int | None]
    rulings: Mapping[int, Ruling]
    reached: int


def settle(
    count: int,
    k: int | None,
    barred: Collection[int],
    disputes: Sequence[tuple[int, int]],
    decide: Callable[[int, int], Ruling],
) -> Settled:
    """The first k passages of a list that can stand beside each other under a rule.

    1. The window is filled up to k from the list, in its order; those that are barred are dropped.
    2. The disputes inside the window that have not been decided are decided, the strongest first.
       One whose passage has gone in the meantime is not: who is dropped takes nobody along.
    3. Where anything was dropped, 1 follows again: those that come in are judged against those that
       stayed, and either may go. What was dropped does not come back.

    So nothing depends on what stands behind the last passage that was needed.

    Args:
        count: how many passages there are; their places are 0 to count - 1.
        k: how many are wanted; all where None.
        barred: places of those that may not stay whatever else is there.
        disputes: pairs of places, the strongest first.
        decide: gives the ruling on a pair.
    """
    window: list[int] = []
    dropped: dict[int, int | None] = {}
    rulings: dict[int, Ruling] = {}
    reached = 0
    while True:
        while reached < count and (k is None or len(window) < k):
            if reached in barred:
                dropped[reached] = None
            else:
                window.append(reached)
            reached += 1
        inside = set(window)
        for number, (one, other) in enumerate(disputes):
            if number in rulings or one not in inside or other not in inside:
                continue
            rulings[number] = decide(one, other)
            for place in rulings[number].drop:
                inside.discard(place)
                dropped[place] = number
        if len(inside) == len(window):
            return Settled(tuple(window), dropped, rulings, reached)
        window = [place for place in window if place in inside]
