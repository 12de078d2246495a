"""Dates and versions in a text: ``3 April 2023``, ``2020/21``, ``version 2.1``, ``release 22``."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from logic_retrievers.cleaning.differences.quantities import CURRENCY_SIGNS, ORDINALS, UNITS
from logic_retrievers.cleaning.differences.tokens import (
    LEXICON,
    MAX_CHARACTERS,
    Token,
    compile_phrase,
    key_at,
    listed_words,
)
from logic_retrievers.text import comparable

_MONTHS: Mapping[str, int] = LEXICON["maps"]["months"]
_FORMATS = tuple(
    compile_phrase(rf"(?:(?<![\w./-])|(?<=[a-z]-)){form}(?![\w/]|[-.]\d)", re.I | re.A)
    for form in LEXICON["date_formats"]
)
_BEFORE_YEAR = listed_words("before_year")
_PLURAL = re.compile(r"[a-z]{3,}s", re.ASCII)
_CUES = listed_words("version_cues")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_PREFIXED = re.compile(r"v(\d+(?:\.\d+)*)", re.ASCII)
_DOTTED = re.compile(r"\d+(?:\.\d+)+", re.ASCII)
_FIGURES = re.compile(r"\d{1,4}(?:\.\d+)*", re.ASCII)
_LETTER = re.compile(r"[a-z]")
_CAPITAL = re.compile(r"[A-Z]")


class PartialDate(NamedTuple):
    """A date of which parts may be missing.

    Args:
        year, month, day: None where the text does not state it.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def agrees(self, other: PartialDate) -> bool:
        """Whether both may be the same date: they share a part, and no shared part differs."""
        stated = [pair for pair in zip(self, other, strict=True) if None not in pair]
        return bool(stated) and all(left == right for left, right in stated)

    def is_later(self, other: PartialDate) -> bool:
        """Whether this date is certainly later."""
        for left, right in zip(self, other, strict=True):
            if left != right:  # a part that neither states decides nothing
                return left is not None and right is not None and left > right
        return False


def find_dates(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, PartialDate]]:
    """Find dates, in order: first token, index after the last, and the date."""
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
    """Whether four digits are a year: they count nothing, or the word before says so."""
    before, after = key_at(tokens, index - 1), key_at(tokens, index + 1)
    if before in CURRENCY_SIGNS or after in UNITS or after in ("per", "million", "x"):
        return False
    if not _PLURAL.fullmatch(after) or before in _BEFORE_YEAR:
        return True
    return tokens[index + 1].opens_sentence or not tokens[index + 1].text.islower()


def _token_span(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """Return the tokens that have characters in a span of the text."""
    first = bisect_right(tokens, start, key=lambda token: token.end_char)
    return first, bisect_left(tokens, end, first, key=lambda token: token.start_char)


@dataclass(frozen=True, slots=True)
class Version:
    """A version; later ones have greater parts.

    Args:
        parts: ``(2, 1)`` for ``2.1``; a letter counts by its place in the alphabet.
    """

    parts: tuple[int, ...]

    def is_later(self, other: Version) -> bool:
        """Whether this version is later; 2 and 2.0 are the same."""
        left, right = zip(*zip_longest(self.parts, other.parts, fillvalue=0), strict=True)
        return left > right


def find_versions(tokens: Sequence[Token]) -> Iterator[tuple[int, int, Version]]:
    """Find versions, in order: first token, index after the last, and the version."""
    for index, token in enumerate(tokens):
        is_named = index > 0 and tokens[index - 1].key in _CUES
        if prefixed := _PREFIXED.fullmatch(token.key):
            yield index, index + 1, Version(_parse_parts(prefixed[1]))
        elif is_named and _FIGURES.fullmatch(token.key):
            yield index - 1, index + 1, Version(_parse_parts(token.key))
        elif is_named and _CAPITAL.fullmatch(token.text):
            yield index - 1, index + 1, Version((ord(token.key) - ord("a") + 1,))
        elif token.key in _CUES and (ordinal := _ordinal_ending_at(tokens, index - 1)):
            yield ordinal[0], index + 1, Version((ordinal[1],))
        elif _DOTTED.fullmatch(token.key) and (
            token.key.count(".") > 1 or _follows_product(tokens, index)
        ):
            yield index, index + 1, Version(_parse_parts(token.key))


def parse_version(value: object) -> Version | None:
    """Parse a version in metadata: ``3``, ``"2.1.0"``, ``"v3"``, ``"C"``; else return None."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip().casefold().removeprefix("version").removeprefix("rev").strip(" .")
    text = text.removeprefix("v")
    if _FIGURES.fullmatch(text):
        return Version(_parse_parts(text))
    return Version((ord(text) - ord("a") + 1,)) if _LETTER.fullmatch(text) else None


def _ordinal_ending_at(tokens: Sequence[Token], index: int) -> tuple[int, int] | None:
    """Return first token and value of ``third`` or ``3rd``, if it ends at the index."""
    key, figures = key_at(tokens, index), key_at(tokens, index - 1)
    if key in ORDINALS:
        return index, ORDINALS[key]
    return (index - 1, int(figures)) if key in _ORDINAL_ENDINGS and figures.isdecimal() else None


def _follows_product(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name is before a number and no unit after it: ``Python 3.7``."""
    if index == 0 or tokens[index].opens_sentence or key_at(tokens, index + 1) in UNITS:
        return False
    name = tokens[index - 1].text
    return name[0].isupper() and name[-1].isalnum()


def _parse_parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
