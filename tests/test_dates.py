"""Dates in metadata: their meaning, and which one is certainly later."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from fractions import Fraction

import numpy as np
import pytest

from logic_retrievers.dates import is_later, parse_date

EAST = timezone(timedelta(hours=9))
NOON = datetime(2024, 5, 1, 12)
MAY = (datetime(2024, 5, 1), datetime(2024, 6, 1))
DAY = (datetime(2024, 5, 1), datetime(2024, 5, 2))


@pytest.mark.parametrize(
    ("value", "span", "zoned"),
    [
        ("2024-05-01T12:00:00Z", (NOON, NOON), True),
        (" 2024-05-01T21:00:00+09:00\n", (NOON, NOON), True),
        (datetime(2024, 5, 1, 21, tzinfo=EAST), (NOON, NOON), True),
        (NOON, (NOON, NOON), False),
        (date(2024, 5, 1), DAY, False),
        ("2024-05-01", DAY, False),
        ("20240501", DAY, False),
        ("2024-05", MAY, False),
        ("2024-12", (datetime(2024, 12, 1), datetime(2025, 1, 1)), False),
        ("2024", (datetime(2024, 1, 1), datetime(2025, 1, 1)), False),
        (1714564800, (NOON, NOON), True),
        ("1714564800", (NOON, NOON), True),
        (1714564800_000_000_000, (NOON, NOON), True),
        (np.int64(1714564800), (NOON, NOON), True),
        (9999, (datetime(9999, 1, 1), datetime.max), False),
        (date.max, (datetime(9999, 12, 31), datetime.max), False),
    ],
    ids=repr,
)
def test_what_is_read(value, span, zoned):
    """A misread form silently drops the newer passage."""
    moment = parse_date(value)
    assert (moment.start, moment.end, moment.zoned) == (*span, zoned)


@pytest.mark.parametrize(
    "value",
    [
        None, True, " ", "yesterday", "01/02/2024", "2024-02-30", 20241301, 45000, -5, 12345.5,
        float("nan"), 1e30, "١٩٩٩", [2024], Fraction(1, 3), datetime.min.replace(tzinfo=EAST),
    ],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_read(value):
    """A guessed date would decide which passage a user sees."""
    assert parse_date(value) is None


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("2024-06", "2024-05-31"),
        (2025, "2024-12-31T23:59:59"),
        ("2024-05-01T12:00:00Z", "2024-05-01T20:59:00+09:00"),
        (1714564800, "2024-04-30T20:00:00"),  # 16 hours: no zone makes up for that
        ("2024-05-01T12:00:01", "2024-05-01T12:00:00"),
    ],
)
def test_later_than(later, earlier):
    """Spans, zones and points in time compare in both directions."""
    assert is_later(parse_date(later), parse_date(earlier))
    assert not is_later(parse_date(earlier), parse_date(later))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2024-05", "2024-05-31T10:00:00"),
        ("2024-05-01", "2024-05-01T23:00:00"),
        ("2024-05-01T12:00:00Z", "2024-05-01T21:00:00+09:00"),
        ("2024-05-01T12:00:00Z", "2024-05-01T23:00:00"),  # naive: its zone may lie east of there
        (1714564800, "2024-05-01T12:00:00"),
        ("9999-12-31T23:00:00", "9999-12-31T23:00:00Z"),
    ],
)
def test_neither_is_certainly_later(one, other):
    """A year is not a point in time, so dropping a passage for it is random."""
    assert not is_later(parse_date(one), parse_date(other))
    assert not is_later(parse_date(other), parse_date(one))
