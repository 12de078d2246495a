"""Sides from data that say who contradicts whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from logic_retrievers.evaluation.sides import Sides, unique_sides


def negated_sides(pairs: Iterable[tuple[str, str]]) -> list[Sides]:
    """Pairs of a statement and its negation; statements that share a negation are paraphrases."""
    denied: dict[str, dict[str, None]] = defaultdict(dict)
    for statement, negation in pairs:
        if statement != negation:
            denied[negation][statement] = None
    return unique_sides(
        Sides(tuple(statements), (negation,), "negations")
        for negation, statements in denied.items()
    )


def pair_sides(rows: Iterable[tuple[str, str, str]]) -> list[Sides]:
    """Labelled pairs (text, text, ``entailment`` / ``contradiction`` / anything else).

    A text that entails another stands on its side as a hard negative: it agrees, and contradicts
    whatever the other contradicts. What a text entails says less, and may not.
    """
    agrees: dict[str, dict[str, None]] = defaultdict(dict)
    opposed: dict[tuple[str, str], None] = {}
    for one, other, label in rows:
        kind = label.strip().casefold()
        if one == other:
            continue
        if kind == "entailment":
            agrees[other][one] = None
        elif kind == "contradiction":
            opposed[one, other] = None
    found = []
    for one, other in opposed:
        left = tuple(t for t in (one, *agrees[one]) if t != other)
        right = tuple(t for t in (other, *agrees[other]) if t not in left)
        found.append(Sides(left, right, "pairs"))
    return unique_sides(found)
