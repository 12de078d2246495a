"""Where the words that differ stand in a text: clipped, in order, and none over another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from logic_retrievers.cleaning.findings import Difference

Which: TypeAlias = Literal["one", "other"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Words to be marked.

    Args:
        begin, end: first and one-past-last character; the same where the other text has more.
        types: of the differences that stand there, each once; wording, which says least, is last.
    """

    begin: int
    end: int
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is marked as a whole, or not at all where it has no types."""

    text: str
    types: tuple[str, ...] = ()


def marks(text: str, differences: Iterable[Difference], which: Which) -> tuple[Mark, ...]:
    """The marks of one of the two texts. Spans that overlap become one mark of all their types.

    Args:
        text: the passage's.
        differences: of the pair; a span that runs out of the text is clipped to it, and one that
            ends before it begins is left out.
        which: of the two texts.
    """
    spans: list[tuple[int, int, str]] = []
    for difference in differences:
        begin, end = difference.one if which == "one" else difference.other
        if begin <= end:
            spans.append((_clipped(begin, text), _clipped(end, text), difference.type))
    found: list[Mark] = []
    for begin, end, type_ in sorted(spans):
        last = found[-1] if found else None
        if last is not None and (begin < last.end or (begin, end) == (last.begin, last.end)):
            types = tuple(sorted(dict.fromkeys((*last.types, type_)), key="wording".__eq__))
            found[-1] = Mark(last.begin, max(last.end, end), types)
        else:
            found.append(Mark(begin, end, (type_,)))
    return tuple(found)


def pieces(text: str, marked: Sequence[Mark], begin: int, end: int) -> tuple[Piece, ...]:
    """A part of the text, cut at the marks; joined, the pieces are that part again.

    Args:
        text: the whole.
        marked: the marks of the whole text.
        begin: first character of the part.
        end: one past its last character; a gap that stands there belongs to this part only where
            the text ends with it.
    """
    found: list[Piece] = []
    at = begin
    for mark in marked:
        first, last = max(mark.begin, begin), min(mark.end, end)
        empty = mark.begin == mark.end
        if first > last or (first == last and not empty):
            continue
        if empty and first == end < len(text):
            continue
        if first > at:
            found.append(Piece(text[at:first]))
        found.append(Piece(text[first:last], mark.types))
        at = last
    if at < end:
        found.append(Piece(text[at:end]))
    return tuple(found)


def _clipped(place: int, text: str) -> int:
    """Inside the text, and not inside the end of a line: two halves of it would be two ends."""
    place = max(0, min(place, len(text)))
    return place - (text[max(0, place - 1) : place + 1] == "\r\n")
