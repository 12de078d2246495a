"""Dates as they stand in metadata: what they mean, and which is certainly the later one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.dates import MAX_UTC_OFFSET, is_later, parse_date

EAST = timezone(timedelta(hours=9))
NOON = datetime(2024, 5, 1, 12)
MAY = (datetime(2024, 5, 1), datetime(2024, 6, 1))
DAY = (datetime(2024, 5, 1), datetime(2024, 5, 2))


@pytest.mark.parametrize(
    ("value", "span", "zoned"),
    [
        ("2024-05-01T12:00:00Z", (NOON, NOON), True),
        (" 2024-05-01T21:00:00+09:00\n", (NOON, NOON), True),
        (NOON.replace(tzinfo=UTC), (NOON, NOON), True),
        (datetime(2024, 5, 1, 21, tzinfo=EAST), (NOON, NOON), True),
        (NOON, (NOON, NOON), False),
        ("2024-05-01 12:00", (NOON, NOON), False),
        (date(2024, 5, 1), DAY, False),
        ("2024-05-01", DAY, False),
        ("20240501", DAY, False),
        (20240501, DAY, False),
        ("2024-05", MAY, False),
        ("2024-12", (datetime(2024, 12, 1), datetime(2025, 1, 1)), False),
        (2024, (datetime(2024, 1, 1), datetime(2025, 1, 1)), False),
        (2024.0, (datetime(2024, 1, 1), datetime(2025, 1, 1)), False),
        ("2024", (datetime(2024, 1, 1), datetime(2025, 1, 1)), False),
        (1714564800, (NOON, NOON), True),
        (1714564800.0, (NOON, NOON), True),
        ("1714564800", (NOON, NOON), True),
        (1714564800_000, (NOON, NOON), True),
        (1714564800_000_000, (NOON, NOON), True),
        (1714564800_000_000_000, (NOON, NOON), True),
        (np.int64(1714564800), (NOON, NOON), True),
        (9999, (datetime(9999, 1, 1), datetime.max), False),
        (date.max, (datetime(9999, 12, 31), datetime.max), False),
    ],
    ids=repr,
)
def test_what_is_read(value, span, zoned):
    """A form that is read wrongly drops the newer passage, and nobody sees why."""
    moment = parse_date(value)
    assert (moment.start, moment.end, moment.zoned) == (*span, zoned)


@pytest.mark.parametrize(
    "value",
    [
        None, True, "", " ", "yesterday", "01/02/2024", "2024-13", "2024-02-30", 20241301, 45000,
        0, -5, -1714564800, 12345.5, float("nan"), float("inf"), 1e30, "١٩٩٩", [2024], {"y": 2024},
        np.datetime64("2024-05-01"), "0000", Fraction(1, 3),
        datetime.min.replace(tzinfo=EAST),
    ],
    ids=repr,
)  # fmt: skip
def test_what_cannot_be_read(value):
    """A guess at a date decides which passage a user sees."""
    assert parse_date(value) is None


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("2024-05-02", "2024-05-01"),
        ("2024-06", "2024-05-31"),
        (2025, "2024-12-31T23:59:59"),
        ("2024-05-01T12:00:00Z", "2024-05-01T20:59:00+09:00"),
        (1714564800, "2024-04-30T20:00:00"),  # 16 hours: no zone makes up for that
        ("2024-05-03", 1714564800),
        ("2024-05-01T12:00:01", "2024-05-01T12:00:00"),
        (9999, 9998),
    ],
)
def test_later_than(later, earlier):
    """Spans, zones and points are compared with each other, in both directions."""
    assert is_later(parse_date(later), parse_date(earlier))
    assert not is_later(parse_date(earlier), parse_date(later))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2024, "2024-05-01"),
        ("2024-05", "2024-05-31T10:00:00"),
        ("2024-05-01", "2024-05-01T23:00:00"),
        ("2024-05-01T12:00:00Z", "2024-05-01T21:00:00+09:00"),
        ("2024-05-01T12:00:00Z", "2024-05-01T23:00:00"),  # naive: it may be east of there
        ("2024-05-01T12:00:00Z", "2024-05-02"),
        (1714564800, "2024-05-01T12:00:00"),
        ("9999-12-31T23:00:00", "9999-12-31T23:00:00Z"),
    ],
)
def test_neither_is_certainly_later(one, other):
    """A year is no point in time: whatever is dropped for it was dropped at random."""
    assert not is_later(parse_date(one), parse_date(other))
    assert not is_later(parse_date(other), parse_date(one))


instants = st.datetimes(min_value=datetime(1980, 1, 1), max_value=datetime(2100, 1, 1))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(instants, instants, st.one_of(st.none(), zones), st.one_of(st.none(), zones))
def test_never_wrong_whatever_the_zones(one, other, zone, zone_2):
    """A naive time may be of any zone on earth; what counts as later must be so in all of them."""
    left, right = one.replace(tzinfo=zone), other.replace(tzinfo=zone_2)
    if is_later(parse_date(left), parse_date(right)) and zone is zone_2 is None:
        assert one > other
    elif is_later(parse_date(left), parse_date(right)):
        earliest = (
            one - MAX_UTC_OFFSET if zone is None else left.astimezone(UTC).replace(tzinfo=None)
        )
        latest = (
            other + MAX_UTC_OFFSET if zone_2 is None else right.astimezone(UTC).replace(tzinfo=None)
        )
        assert earliest > latest
    elif zone is not None and zone_2 is not None:
        assert left <= right
