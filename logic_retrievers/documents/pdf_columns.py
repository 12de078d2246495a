"""Columns of a page that are drawn row by row: PDFium reads across them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from statistics import median
from typing import Any, NamedTuple, TypeAlias

_MOST_PIECES = 4_000
"""Pieces of text of a page that is looked at: a newspaper has 3,000 words on one."""
_MIN_LINES, _MIN_WIDTH, _MAX_LEADING = 8, 12, 3
"""Lines of a column; its width, and the greatest distance of two lines, in heights of a line."""
_MIN_FILL = 0.85
"""Length of a usual line in widths of its column: prose fills its lines, cells do not."""

_MIN_INSIDE = 0.3
"""Share of lines that begin with a small letter, or one of a script without capitals."""


class _Piece(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float
    number: int


_Line: TypeAlias = Sequence[_Piece]
_Gaps: TypeAlias = list[tuple[float, float]]


def read_in_columns(page: Any) -> str:
    """The text of one of PDFium's text pages, columns one after the other.

    Columns are eight lines or more on both sides of a gap that no line crosses. Their lines are
    drawn in turn, are full and go on in the next; else it is a table, whose rows stay whole.
    """
    count = page.count_rects()
    pieces = (
        [_Piece._make((*page.get_rect(n), n)) for n in range(count)]
        if count <= _MOST_PIECES
        else []
    )
    lines = _lines(pieces)
    texts: list[str] = []
    top = None  # of what was not read yet
    for start, end, gaps in _columns(lines):
        above, below = _border(lines, start), _border(lines, end)
        edges = [None, *(sum(gap) / 2 for gap in gaps), None]
        columns = [
            page.get_text_bounded(left, below, right, above) for left, right in pairwise(edges)
        ]
        if all(map(_goes_on, columns)):
            if start:
                texts.append(page.get_text_bounded(bottom=above, top=top))
            # a space at a line's end stands for the gap
            texts += [column.replace(" \r", "") for column in columns]
            top = below
    if not texts:
        return _read_all(page)
    if top is not None:
        texts.append(page.get_text_bounded(top=top))
    return "\n".join(text.strip() for text in texts)


def _read_all(page: Any) -> str:
    """The text in PDFium's order.

    Within bounds PDFium joins a cell of one figure to the cell before: "Town 1" and "7" are "Town
    17". Without them it takes what lies outside of the page too, and no emoji.
    """
    bounded: str = page.get_text_bounded()
    text: str = page.get_text_range().replace("\ufffe", "\x02")
    return text if "".join(text.split()) == "".join(bounded.split()) else bounded


def _goes_on(text: str) -> bool:
    """Whether lines begin inside of a sentence, as cells of a table do not."""
    starts = [line.strip()[:1] for line in text.splitlines() if line.strip()]
    return sum(s.isalpha() and not s.isupper() for s in starts) >= _MIN_INSIDE * len(starts)


def _lines(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """From the top down, each from left to right."""
    lines: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -(piece.bottom + piece.top)):
        if lines and (piece.bottom + piece.top) / 2 > lines[-1][0].bottom:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [sorted(line) for line in lines]


def _border(lines: Sequence[_Line], number: int) -> float | None:
    """The height above a line; None at the ends of the page."""
    if not 0 < number < len(lines):
        return None
    return (min(p.bottom for p in lines[number - 1]) + max(p.top for p in lines[number])) / 2


def _gaps(line: _Line) -> _Gaps:
    """What a line leaves free, both sides of it included."""
    gaps, edge = [], -inf
    for piece in line:
        if piece.left > edge:
            gaps.append((edge, piece.left))
        edge = max(edge, piece.right)
    return [*gaps, (edge, inf)]


def _shared(one: _Gaps, other: _Gaps, least: float) -> _Gaps:
    """Where gaps of both overlap."""
    shared, n, m = [], 0, 0
    while n < len(one) and m < len(other):
        (a, b), (c, d) = one[n], other[m]
        if min(b, d) - max(a, c) >= least:
            shared.append((max(a, c), min(b, d)))
        n, m = n + (b <= d), m + (d <= b)
    return shared


def _columns(lines: Sequence[_Line]) -> Iterator[tuple[int, int, _Gaps]]:
    """The lines [start, end) that stand in columns, and the gaps between those."""
    start = 0
    while start < len(lines):
        end, common = start, _gaps(lines[start])[1:-1]
        height = max(piece.top - piece.bottom for piece in lines[start])
        while end < len(lines):
            shared = _shared(common, _gaps(lines[end]), height)
            leading = lines[end - 1][0].bottom - lines[end][0].top if end > start else 0
            is_crossed = len(shared) < len(common) and end - start >= _MIN_LINES  # before: chance
            if not shared or is_crossed or leading > _MAX_LEADING * height:
                break
            end, common = end + 1, shared
        if end - start >= _MIN_LINES and _are_prose(lines[start:end], common, height):
            yield start, end, common
        start = max(end, start + 1)


def _are_prose(lines: Sequence[_Line], gaps: _Gaps, height: float) -> bool:
    edges = [-inf, *(sum(gap) / 2 for gap in gaps), inf]
    columns = [
        [[piece for piece in line if low < piece.left < high] for line in lines]
        for low, high in pairwise(edges)
    ]
    for column in columns:
        spans = [(cell[0].left, max(piece.right for piece in cell)) for cell in column if cell]
        width = max(right for _, right in spans) - min(left for left, _ in spans)
        usual = median(right - left for left, right in spans)
        if len(spans) < _MIN_LINES or width < _MIN_WIDTH * height or usual < _MIN_FILL * width:
            return False
    in_turn = [
        min(piece.number for piece in right) - max(piece.number for piece in left) == 1
        for one, next_one in pairwise(columns)
        for left, right in zip(one, next_one, strict=True)
        if left and right
    ]
    return 2 * sum(in_turn) > len(in_turn)
