"""Dates in a text: ``3 April 2023``, ``2020/21``, ``03/04/2023``.

Dates in metadata are read by ``logic_retrievers/dates.py``.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from logic_retrievers.cleaning.differences.lexicon import LEXICON, compile_phrase, listed_words
from logic_retrievers.cleaning.differences.quantities import CURRENCY_SIGNS, UNITS
from logic_retrievers.cleaning.differences.tokens import MAX_CHARACTERS, Token, key_at
from logic_retrievers.text import comparable

_MONTHS: Mapping[str, int] = LEXICON["maps"]["months"]
_FORMATS = tuple(
    compile_phrase(rf"(?:(?<![\w./-])|(?<=[a-z]-)){form}(?![\w/]|[-.]\d)", re.I | re.A)
    for form in LEXICON["date_formats"]
)
_BEFORE_YEAR = listed_words("before_year")
_PLURAL = re.compile(r"[a-z]{3,}s", re.ASCII)


class PartialDate(NamedTuple):
    """A date of which parts may be missing.

    Args:
        year, month, day: None where the text does not state it.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def agrees(self, other: PartialDate) -> bool:
        """Whether both may be the same date: both state a part, and none differs."""
        stated = [pair for pair in zip(self, other, strict=True) if None not in pair]
        return bool(stated) and all(left == right for left, right in stated)

    def is_later(self, other: PartialDate) -> bool:
        """Whether it is certainly the later one."""
        for left, right in zip(self, other, strict=True):
            if left != right:  # a part that neither states decides nothing
                return left is not None and right is not None and left > right
        return False


def find_dates(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, PartialDate]]:
    """First token, index behind the last, and the date, in their order."""
    dates: list[tuple[int, int, PartialDate]] = []
    unread = text[:MAX_CHARACTERS]
    for date_format in _FORMATS:
        for match in date_format.finditer(unread):
            date = _parse_match(match)
            first, end = _token_span(tokens, *match.span())
            is_bare = date_format is _FORMATS[-1]
            if date is None or first == end or (is_bare and not _is_year(tokens, first)):
                continue
            dates.append((first, end, date))
            unread = f"{unread[: match.start()]}{' ' * len(match[0])}{unread[match.end() :]}"
    yield from sorted(dates, key=lambda placed: placed[:2])


def _parse_match(match: re.Match[str]) -> PartialDate | None:
    """The date of a match; None if it is in no calendar."""
    parts = {name: comparable(part) for name, part in match.groupdict().items() if part}
    year, month, day = (parts.get(name, "") for name in PartialDate._fields)
    date = PartialDate(
        int(year) if year else None,
        int(month) if month.isdigit() else _MONTHS.get(month),
        int(day) if day else None,
    )
    is_in_calendar = date.month in (None, *range(1, 13)) and date.day in (None, *range(1, 32))
    return date if is_in_calendar else None


def _is_year(tokens: Sequence[Token], index: int) -> bool:
    """Whether four figures are a year: they count nothing, or the word before says so."""
    before, after = key_at(tokens, index - 1), key_at(tokens, index + 1)
    if before in CURRENCY_SIGNS or after in UNITS or after in ("per", "million", "x"):
        return False
    if not _PLURAL.fullmatch(after) or before in _BEFORE_YEAR:
        return True
    return tokens[index + 1].opens_sentence or not tokens[index + 1].text.islower()


def _token_span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """The tokens that have characters in a span of the text."""
    first = bisect_right(tokens, start, key=lambda token: token.end_char)
    return first, bisect_left(tokens, end, first, key=lambda token: token.start_char)
