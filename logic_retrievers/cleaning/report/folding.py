"""Long texts: what differs stays in sight, and the rest is folded away, never left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.findings import Span
from logic_retrievers.cleaning.report.marking import Mark, Piece, pieces

LONG = 2000
"""Characters that are shown without a fold, and at most around differences of a longer text."""

AROUND = 300
"""Characters in sight on each side of a difference."""

REACH = 40
"""How far a cut is moved to fall between two words."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a text.

    Args:
        folded: it takes a click to see it.
        length: its characters.
        marked: how many marks it has, or has a share in.
        pieces: the stretch, cut at its marks.
    """

    folded: bool
    length: int
    marked: int
    pieces: tuple[Piece, ...]


def parts(text: str, marked: Sequence[Mark]) -> tuple[Part, ...]:
    """The text in parts that are in sight and parts that are folded; joined, they are the text.

    Args:
        text: of a passage.
        marked: its marks.
    """
    found: list[Part] = []
    at = 0
    for begin, end in _in_sight(text, marked):
        if begin > at:
            found.append(_part(text, marked, at, begin, folded=True))
        found.append(_part(text, marked, begin, end, folded=False))
        at = end
    if at < len(text):
        found.append(_part(text, marked, at, len(text), folded=True))
    return tuple(found)


def _in_sight(text: str, marked: Sequence[Mark]) -> list[Span]:
    if len(text) <= LONG:
        return [(0, len(text))]
    shown: list[Span] = []
    for mark in marked:
        begin = _backward(text, mark.begin - AROUND)
        end = _forward(text, min(mark.end, mark.begin + AROUND) + AROUND)
        if shown and begin - shown[-1][1] < AROUND:  # a fold of a few words only hides them
            begin = shown.pop()[0]
        shown.append((begin, end))
        if sum(last - first for first, last in shown) >= LONG:
            break
    return shown or [(0, _forward(text, 2 * AROUND))]


def _part(text: str, marked: Sequence[Mark], begin: int, end: int, *, folded: bool) -> Part:
    found = pieces(text, marked, begin, end)
    return Part(folded, end - begin, sum(bool(piece.types) for piece in found), found)


def _backward(text: str, place: int) -> int:
    """The place or one shortly before it, where a word begins."""
    if place <= 0:
        return 0
    for at in range(place, max(0, place - REACH), -1):
        if text[at - 1].isspace():
            return at
    return place


def _forward(text: str, place: int) -> int:
    """The place or one shortly behind it, where a word has ended."""
    if place >= len(text):
        return len(text)
    for at in range(place, min(len(text), place + REACH)):
        if text[at].isspace():
            return at
    return place
