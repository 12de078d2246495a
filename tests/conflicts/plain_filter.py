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
