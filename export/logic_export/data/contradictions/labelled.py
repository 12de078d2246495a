"""Sides from data that say who contradicts whom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from logic_export.data.contradictions.sides import Sides, unique_sides
from logic_export.data.pairs import SIDES


def question_sides(rows: Sequence[Mapping[str, str]], *, answers: bool = True) -> list[Sides]:
    """ConflictQA by question: what supports one answer, against what supports the other.

    Rows of one question come from several generators, which may have begun with opposite answers:
    where one's answer is the other's counter-answer its sides change places, and where it is
    neither, nobody knows which side it is on and the row is left out.

    Args:
        rows: with ``question`` and the fields of :data:`logic_export.data.pairs.SIDES`.
        answers: whether the short answers join their sides, or the passages alone are taken.
    """
    by_question: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        by_question[row["question"]].append(row)
    found = []
    for same in by_question.values():
        first = [same[0][names[0]].strip() for names in SIDES]
        texts: tuple[dict[str, None], dict[str, None]] = ({}, {})
        for row in same:
            answer = row[SIDES[0][0]].strip()
            if answer not in first:
                continue
            for names, side in zip(
                SIDES, texts if answer == first[0] else texts[::-1], strict=True
            ):
                side.update((row[n].strip(), None) for n in (names if answers else names[1:]))
        left, right = ({t: None for t in side if t} for side in texts)
        both = left.keys() & right.keys()
        sides = [tuple(t for t in side if t not in both) for side in (left, right)]
        if all(sides):
            found.append(Sides(sides[0], sides[1], "questions"))
    return unique_sides(found)


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
