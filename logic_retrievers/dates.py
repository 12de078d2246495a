"""Dates in metadata as people write them, and which of two is certainly later."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from numbers import Real
from typing import Any

MAX_UTC_OFFSET = timedelta(hours=14)  # no time zone is farther from UTC

_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d+)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_EPOCH = 1e8  # March 1973; a number of eight digits is a day
# (bound, units per second): smaller numbers count seconds, milli-, micro-, nanoseconds since 1970
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))


@dataclass(frozen=True, slots=True)
class DateRange:
    """A span of time that a date may mean: ``2024`` is a whole year.

    Args:
        start, end: times without a time zone, in UTC if ``zoned``. The end is exclusive. For a
            point in time, both are equal.
        zoned: whether the time zone is known.
    """

    start: datetime
    end: datetime
    zoned: bool = False


def is_later(one: DateRange, other: DateRange) -> bool:
    """Whether ``one`` is certainly later than ``other``, whatever the time zones.

    Two dates without a time zone are assumed to be in the same zone. If only one date has a time
    zone, they may be 14 hours apart and still be the same moment.
    """
    margin = timedelta(0) if one.zoned is other.zoned else MAX_UTC_OFFSET
    try:
        return one.start >= other.end + margin and one.start > other.start + margin
    except OverflowError:
        return False  # at the end of the calendar


def parse_date(value: Any) -> DateRange | None:
    """Return the date that a metadata value means, or None if it cannot be read.

    A date may be a ``datetime``, a ``date``, or ISO 8601 text (``2024-05-01T10:00:00Z``,
    ``2024-05-01``, ``2024-05``, ``2024``). A number, also as text, means a year up to 9999, or a
    day if it has eight digits (``20240501``). A larger number counts seconds, milliseconds,
    microseconds or nanoseconds since 1970; its size decides which. ``01/02/2024`` may mean two
    days, so it is not read.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, datetime):
            return _from_time(value)
        if isinstance(value, date):
            return _from_day(value)
        if isinstance(value, Real):
            return _from_number(float(value))
        return _from_text(value.strip()) if isinstance(value, str) else None
    except (ValueError, OverflowError):  # a thirteenth month, a year that no calendar has
        return None


def _from_text(text: str) -> DateRange | None:
    if match := _MONTH.fullmatch(text):
        start = datetime(int(match[1]), int(match[2]), 1)
        return DateRange(start, (start + timedelta(days=31)).replace(day=1))
    if _NUMBER.fullmatch(text):
        return _from_number(float(text))
    try:
        return _from_day(date.fromisoformat(text))
    except ValueError:
        return _from_time(datetime.fromisoformat(text))


def _from_number(number: float) -> DateRange | None:
    if number >= _FIRST_EPOCH:
        for bound, per_second in _UNITS:
            if number < bound:
                return _from_time(_EPOCH + timedelta(seconds=number / per_second))
    if not number.is_integer():
        return None
    whole = int(number)
    if 1 <= whole <= 9999:
        start = datetime(whole, 1, 1)
        return DateRange(start, datetime.max if whole == 9999 else datetime(whole + 1, 1, 1))
    return _from_day(date(whole // 10_000, whole // 100 % 100, whole % 100))


def _from_day(day: date) -> DateRange:
    start = datetime.combine(day, time())
    return DateRange(start, datetime.max if day == date.max else start + timedelta(days=1))


def _from_time(moment: datetime) -> DateRange:
    if moment.tzinfo is None:
        return DateRange(moment, moment)
    plain = moment.astimezone(UTC).replace(tzinfo=None)
    return DateRange(plain, plain, zoned=True)
