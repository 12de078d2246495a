"""Differences marked in a text; no character is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.result import Difference, Side


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked stretch of a text.

    Args:
        begin, end: its characters, the end excluded; equal where only the other text has words.
        types: of its differences, each once; wording, which says least, is last.
    """

    begin: int
    end: int
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is marked as a whole, or not at all where it has no types."""

    text: str
    types: tuple[str, ...] = ()


def find_marks(text: str, differences: Iterable[Difference], side: Side) -> tuple[Mark, ...]:
    """The marks of one of two texts; spans that overlap become one mark of all their types.

    Spans are clipped to the text, and left out if they end before they begin.
    """
    spans: list[tuple[int, int, str]] = []
    for difference in differences:
        begin, end = difference.one if side == "one" else difference.other
        if begin <= end:
            spans.append((_clip(begin, text), _clip(end, text), difference.type))
    marks: list[Mark] = []
    for begin, end, type_ in sorted(spans):
        last = marks[-1] if marks else None
        if last is not None and (begin < last.end or (begin, end) == (last.begin, last.end)):
            types = tuple(sorted(dict.fromkeys((*last.types, type_)), key="wording".__eq__))
            marks[-1] = Mark(last.begin, max(last.end, end), types)
        else:
            marks.append(Mark(begin, end, (type_,)))
    return tuple(marks)


def split_at_marks(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """The text split at its marks; joined, the pieces are the text."""
    pieces: list[Piece] = []
    position = 0
    for mark in marks:
        if mark.begin > position:
            pieces.append(Piece(text[position : mark.begin]))
        pieces.append(Piece(text[mark.begin : mark.end], mark.types))
        position = mark.end
    if position < len(text):
        pieces.append(Piece(text[position:]))
    return tuple(pieces)


def _clip(position: int, text: str) -> int:
    """A position inside the text, and not inside a two-character line end."""
    position = max(0, min(position, len(text)))
    return position - (text[max(0, position - 1) : position + 1] == "\r\n")
