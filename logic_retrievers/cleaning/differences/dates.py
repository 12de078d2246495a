"""Dates as they are written in a text: ``3 April 2023``, ``2020/21``, ``03/04/2023``, ``Q3 2022``.

Those of the metadata are read elsewhere: ``contradiction/rules/moments.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.units import UNITS
from logic_retrievers.cleaning.differences.words import MOST_CHARACTERS, Word, key_of, vocabulary

_NAMES = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
]  # fmt: skip
_MONTHS = {
    **{name: number for number, name in enumerate(_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_NAMES, 1) if name != "may"},
    "sept": 9,
}
_MONTH = rf"(?P<month>(?-i:{'|'.join(sorted((n.capitalize() for n in _MONTHS), key=len)[::-1])}))"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1[0-9]\d\d|20\d\d)"
_QUARTER = r"(?:q(?P<quarter>[1-4])|(?P<named>first|second|third|fourth) quarter)"
_FORMS = tuple(
    re.compile(rf"(?:(?<![\w./-])|(?<=[a-z]-)){form}(?![\w/]|[-.]\d)", re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}-(?P<month>[01]?\d)-(?P<day>[0-3]?\d)",
        rf"{_DAY}(?: of)? {_MONTH}\.?,?(?: {_YEAR})?",
        rf"{_MONTH}\.? {_DAY}(?:,? {_YEAR})?(?![.:]\d)",
        rf"{_MONTH}\.?,?(?: of)? {_YEAR}",
        rf"(?P<one>[0-3]?\d)[/.](?P<two>[0-3]?\d)[/.]{_YEAR}",
        rf"(?P<month>[01]?\d)/{_YEAR}",
        rf"{_YEAR}-(?P<month>0\d|1[0-2])",
        rf"{_QUARTER}(?: of)?[ /-]*{_YEAR}",
        _QUARTER,
        rf"{_YEAR}[-/\u2013](?P<last>\d\d(?:\d\d)?)",
        rf"{_YEAR}s",
        rf"(?:fy ?|'){_YEAR}",
        r"(?P<month>(?-i:" + "|".join(n.capitalize() for n in _NAMES if n not in ("may", "march"))
        + r"))(?= each\b|[,.;]| and\b| to\b|$)",
        _YEAR,
    )
)  # fmt: skip
_BEFORE_A_YEAR = vocabulary(
    "in of since by from until till to for before after during year years fiscal season summer "
    "winter spring autumn fall and between around circa early late mid the as closed"
)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PLURAL = re.compile(r"[a-z]{3,}s", re.ASCII)


@dataclass(frozen=True, slots=True)
class When:
    """A date, as far as it is told.

    Args:
        year, month, day: None where it is not told.
        more: a quarter, or the last year of a span: ``q3``, ``21`` of ``2020/21``.
        other: the date that ``03/04/2023`` is to other readers.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    more: str = ""
    other: When | None = None

    def agrees(self, other: When) -> bool:
        """Whether both may be one date: what the one tells, the other tells so too or not."""
        return any(
            one._agrees(two)
            for one in (self, self.other)
            if one is not None
            for two in (other, other.other)
            if two is not None
        )

    def later(self, other: When) -> bool:
        """Whether it is certainly the later one."""
        here, there = self._parts(), other._parts()
        for mine, theirs in zip(here, there, strict=True):
            if mine is None and theirs is None:
                continue  # of one year, where neither tells it
            if mine is None or theirs is None:
                return False
            if mine != theirs:
                return mine > theirs
        return False

    def _parts(self) -> tuple[int | None, ...]:
        return self.year, self.month or self._quarter(), self.day

    def _quarter(self) -> int | None:
        return 3 * int(self.more[1:]) if self.more.startswith("q") else None

    def _agrees(self, other: When) -> bool:
        if self.more and other.more and self.more != other.more:
            return False
        shared = 0
        for mine, theirs in (
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
        ):
            if mine is not None and theirs is not None:
                if mine != theirs:
                    return False
                shared += 1
        return shared > 0 or (self.more == other.more != "")


def dates(text: str, words: Sequence[Word]) -> Iterator[tuple[int, int, When]]:
    """First word, one past the last, and the date, in their order."""
    taken: list[tuple[int, int, When]] = []
    free = text[:MOST_CHARACTERS]
    for form in _FORMS:
        for match in form.finditer(free):
            when = _when(match)
            place = _words_at(words, *match.span())
            if when is None or place is None or (form is _FORMS[-1] and not _year(words, place[0])):
                continue
            taken.append((*place, when))
            free = f"{free[: match.start()]}{' ' * len(match[0])}{free[match.end() :]}"
    yield from sorted(taken, key=lambda found: found[:2])


def _when(match: re.Match[str]) -> When | None:
    """The date of a match; None where no calendar has it."""
    parts = match.groupdict()
    year = int(parts["year"]) if parts.get("year") else None
    if parts.get("one"):
        day, month = int(parts["one"]), int(parts["two"])
        found = [When(year, m, d) for d, m in ((day, month), (month, day)) if _is_day(m, d)]
        if not found:
            return None
        return When(year, found[0].month, found[0].day, other=found[-1] if found[1:] else None)
    month_name = parts.get("month")
    month_number = None
    if month_name:
        key = key_of(month_name)
        month_number = int(key) if key.isdigit() else _MONTHS[key]
    day_number = int(parts["day"]) if parts.get("day") else None
    if not _is_day(1 if month_number is None else month_number, day_number or 1):
        return None
    quarter = parts.get("quarter") or _QUARTERS.get(key_of(parts.get("named") or ""))
    more = f"q{quarter}" if quarter else (parts.get("last") or "")[-2:]
    return When(year, month_number, day_number, more)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _year(words: Sequence[Word], place: int) -> bool:
    """Whether four figures are a year: nothing is counted by them, or a word before says so."""
    before = words[place - 1].key if place else ""
    after = words[place + 1] if place + 1 < len(words) else None
    if before in ("$", "\u20ac", "\u00a3", "\u00a5") or (after and after.key in UNITS):
        return False
    if after and (after.key in ("per", "million", "x") or after.text == "%"):
        return False
    counts = after is not None and not after.opens and bool(_PLURAL.fullmatch(after.text))
    return not counts or before in _BEFORE_A_YEAR


def _words_at(words: Sequence[Word], start: int, end: int) -> tuple[int, int] | None:
    """The words that have characters in a span, found by halving."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high) // 2
        if words[middle].end <= start:
            low = middle + 1
        else:
            high = middle
    last = low
    while last < len(words) and words[last].start < end:
        last += 1
    return (low, last) if last > low else None
