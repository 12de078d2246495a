"""The filter once more, in plain Python over ids: deliberately slow, read from its docstring.

Probabilities are a dictionary of frozensets of two ids.
"""

from __future__ import annotations

from collections.abc import Callable

Pairs = dict[frozenset, float]


def conflicts_of(pairs: Pairs, threshold: float) -> Pairs:
    return {pair: p for pair, p in pairs.items() if p >= threshold}


def plain_filter(
    ids: list[str],
    k: int | None,
    pairs: Pairs,
    threshold: float,
    trusted: set[str],
    rule: Callable[[str, str], set[str]],
    against: str = "drop",
) -> tuple[list[str], set[str]]:
    """Who stays, in order, and who goes; `rule` gives the ids that go."""
    found = conflicts_of(pairs, threshold)
    contested = {one for pair in found if pair <= trusted for one in pair}
    judges = trusted - contested
    dropped: set[str] = set()
    decided: set[frozenset] = set()
    waiting, window = list(ids), []
    while True:
        while waiting and (k is None or len(window) < k):
            one = waiting.pop(0)
            refuted = any(one in pair and pair & judges for pair in found) and one not in trusted
            if refuted and against == "drop":
                dropped.add(one)
            else:
                window.append(one)
        changed = False
        while True:  # the strongest that is open, again and again
            here = [
                pair
                for pair in found
                if pair <= set(window) and not pair & trusted and pair not in decided
            ]
            if not here:
                break
            places = {one: place for place, one in enumerate(ids)}
            pair = min(here, key=lambda p: (-found[p], sorted(places[one] for one in p)))
            decided.add(pair)
            going = rule(*sorted(pair, key=places.get))
            dropped |= going
            window = [one for one in window if one not in going]
            changed = changed or bool(going)
        if not changed:
            return window, dropped


def majority(
    ids: list[str], found: Pairs, sources: dict[str, str], copies: set[frozenset]
) -> Callable[[str, str], set[str]]:
    """The rule by voices; `found` are conflicts among those who have a vote."""

    def rivals(one: str) -> set[str]:
        return {other for other in ids if frozenset({one, other}) in found and other != one}

    def voices(side: set[str]) -> int:
        groups = [{one} for one in sorted(side)]
        merged = True
        while merged:
            merged = False
            for left in groups:
                for right in groups:
                    if left is not right and any(
                        frozenset({a, b}) in copies
                        or (a in sources and sources.get(a) == sources.get(b))
                        for a in left
                        for b in right
                    ):
                        left |= right
                        groups.remove(right)
                        merged = True
                        break
                if merged:
                    break
        return len(groups)

    def rule(one: str, other: str) -> set[str]:
        mine = voices({one} | (rivals(other) - rivals(one)))
        theirs = voices({other} | (rivals(one) - rivals(other)))
        return set() if mine == theirs else {other} if mine > theirs else {one}

    return rule
