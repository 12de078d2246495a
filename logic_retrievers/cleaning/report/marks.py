"""Differences marked in a text, and the rest of a long text folded; no character is left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.result import Difference, Side, Span

LONG_TEXT = 2000
"""Characters that are shown unfolded, and at most around the differences of a longer text."""

CONTEXT = 300
"""Characters that are shown on each side of a difference."""

WORD_SEARCH = 40
"""How far the end of a section is moved to fall between two words."""


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


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a text, shown or folded.

    ``n_marks`` counts the marks that it contains or overlaps; it takes a click to see a folded one.
    """

    is_folded: bool
    length: int
    n_marks: int
    pieces: tuple[Piece, ...]


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


def split_at_marks(text: str, marks: Sequence[Mark], begin: int, end: int) -> tuple[Piece, ...]:
    """A section of a text, split at the marks; joined, the pieces are the section.

    An empty mark at ``end`` belongs to the section only at the end of the text.
    """
    pieces: list[Piece] = []
    position = begin
    for mark in marks:
        first, last = max(mark.begin, begin), min(mark.end, end)
        is_empty = mark.begin == mark.end
        if first > last or (first == last and not is_empty):
            continue
        if is_empty and first == end < len(text):
            continue
        if first > position:
            pieces.append(Piece(text[position:first]))
        pieces.append(Piece(text[first:last], mark.types))
        position = last
    if position < end:
        pieces.append(Piece(text[position:end]))
    return tuple(pieces)


def fold_text(text: str, marks: Sequence[Mark]) -> tuple[Section, ...]:
    """A text in shown and folded sections; joined, they are the text."""
    sections: list[Section] = []
    position = 0
    for begin, end in _shown_spans(text, marks):
        if begin > position:
            sections.append(_section(text, marks, position, begin, is_folded=True))
        sections.append(_section(text, marks, begin, end, is_folded=False))
        position = end
    if position < len(text):
        sections.append(_section(text, marks, position, len(text), is_folded=True))
    return tuple(sections)


def _shown_spans(text: str, marks: Sequence[Mark]) -> list[Span]:
    if len(text) <= LONG_TEXT:
        return [(0, len(text))]
    shown: list[Span] = []
    for mark in marks:
        begin = _word_start(text, mark.begin - CONTEXT)
        end = _word_end(text, min(mark.end, mark.begin + CONTEXT) + CONTEXT)
        if shown and begin - shown[-1][1] < CONTEXT:  # a fold of a few words only hides them
            begin = shown.pop()[0]
        shown.append((begin, end))
        if sum(last - first for first, last in shown) >= LONG_TEXT:
            break
    return shown or [(0, _word_end(text, 2 * CONTEXT))]


def _section(text: str, marks: Sequence[Mark], begin: int, end: int, *, is_folded: bool) -> Section:
    pieces = split_at_marks(text, marks, begin, end)
    return Section(is_folded, end - begin, sum(bool(piece.types) for piece in pieces), pieces)


def _word_start(text: str, position: int) -> int:
    """The position, or one shortly before it where a word begins."""
    if position <= 0:
        return 0
    for candidate in range(position, max(0, position - WORD_SEARCH), -1):
        if text[candidate - 1].isspace():
            return candidate
    return position


def _word_end(text: str, position: int) -> int:
    """The position, or one shortly behind it where a word has ended."""
    if position >= len(text):
        return len(text)
    for candidate in range(position, min(len(text), position + WORD_SEARCH)):
        if text[candidate].isspace():
            return candidate
    return position


def _clip(position: int, text: str) -> int:
    """A position inside the text, and not inside a two-character line end."""
    position = max(0, min(position, len(text)))
    return position - (text[max(0, position - 1) : position + 1] == "\r\n")
