"""Dates in a text: ``3 April 2023``, ``2020/21``, ``03/04/2023``, ``Q3 2022``.

Dates in metadata are read by ``contradiction/metadata_dates.py``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.lexicon import LEXICON, compile_phrase, listed_words
from logic_retrievers.cleaning.differences.tokens import MAX_CHARACTERS, Token, normalize
from logic_retrievers.cleaning.differences.units import UNITS

_MONTHS: Mapping[str, int] = LEXICON["maps"]["months"]
_FORMATS = tuple(
    compile_phrase(rf"(?:(?<![\w./-])|(?<=[a-z]-)){form}(?![\w/]|[-.]\d)", re.I | re.A)
    for form in LEXICON["date_formats"]
)
_BEFORE_YEAR = listed_words("before_year")
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PLURAL = re.compile(r"[a-z]{3,}s", re.ASCII)
_CURRENCY_SIGNS = ("$", "\u20ac", "\u00a3", "\u00a5")


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date of which parts may be missing.

    Args:
        year, month, day: None where the text does not state it.
        qualifier: a quarter, or the last year of a span: ``q3``, ``21`` of ``2020/21``.
        alternative: the other reading of ``03/04/2023``, month before day.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    qualifier: str = ""
    alternative: PartialDate | None = None

    def agrees(self, other: PartialDate) -> bool:
        """Whether both may be the same date in some reading: no stated part differs."""
        return any(
            left._agrees(right)
            for left in (self, self.alternative)
            if left is not None
            for right in (other, other.alternative)
            if right is not None
        )

    def is_later(self, other: PartialDate) -> bool:
        """Whether it is certainly the later one."""
        for left, right in zip(self._parts(), other._parts(), strict=True):
            if left is None and right is None:
                continue  # neither states it, so that the next part decides
            if left is None or right is None:
                return False
            if left != right:
                return left > right
        return False

    def _parts(self) -> tuple[int | None, ...]:
        quarter_end = 3 * int(self.qualifier[1:]) if self.qualifier.startswith("q") else None
        return self.year, self.month or quarter_end, self.day

    def _agrees(self, other: PartialDate) -> bool:
        if self.qualifier and other.qualifier and self.qualifier != other.qualifier:
            return False
        parts = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        stated = [pair for pair in parts if None not in pair]
        if any(left != right for left, right in stated):
            return False
        return bool(stated) or (self.qualifier == other.qualifier != "")


def find_dates(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, PartialDate]]:
    """First token, index behind the last, and the date, in their order."""
    dates: list[tuple[int, int, PartialDate]] = []
    unread = text[:MAX_CHARACTERS]
    for date_format in _FORMATS:
        for match in date_format.finditer(unread):
            date = _parse_match(match)
            span = _token_span(tokens, *match.span())
            if date is None or span is None:
                continue
            if date_format is _FORMATS[-1] and not _is_year(tokens, span[0]):
                continue
            dates.append((*span, date))
            unread = f"{unread[: match.start()]}{' ' * len(match[0])}{unread[match.end() :]}"
    yield from sorted(dates, key=lambda placed: placed[:2])


def _parse_match(match: re.Match[str]) -> PartialDate | None:
    """The date of a match; None if it is in no calendar."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    if parts.get("one"):
        first, second = int(parts["one"]), int(parts["two"])
        readings = [
            PartialDate(year, month, day)
            for day, month in ((first, second), (second, first))
            if _is_day(month, day)
        ]
        if not readings:
            return None
        alternative = readings[-1] if readings[1:] else None
        return PartialDate(year, readings[0].month, readings[0].day, alternative=alternative)
    month = None
    if parts.get("month"):
        key = normalize(parts["month"])
        month = int(key) if key.isdigit() else _MONTHS[key]
    day = int(parts["day"]) if parts.get("day") else None
    if not _is_day(1 if month is None else month, day or 1):
        return None
    quarter = parts.get("quarter") or _QUARTERS.get(normalize(parts.get("named") or ""))
    qualifier = f"q{quarter}" if quarter else (parts.get("last") or "")[-2:]
    return PartialDate(year, month, day, qualifier)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _is_year(tokens: Sequence[Token], index: int) -> bool:
    """Whether four figures are a year: they count nothing, or the word before says so."""
    preceding = tokens[index - 1].key if index else ""
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    if preceding in _CURRENCY_SIGNS:
        return False
    if following is None:
        return True
    if following.key in UNITS or following.key in ("per", "million", "x") or following.text == "%":
        return False
    counts = not following.opens_sentence and _PLURAL.fullmatch(following.text) is not None
    return not counts or preceding in _BEFORE_YEAR


def _token_span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int] | None:
    """The tokens that have characters in a span of the text."""
    first = bisect_right(tokens, start, key=lambda token: token.end_char)
    last = first
    while last < len(tokens) and tokens[last].start_char < end:
        last += 1
    return (first, last) if last > first else None
