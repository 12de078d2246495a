"""When a passage is valid: as a filter, at one time, and next to another passage. Pure functions.

Two metadata fields hold dates, ``from`` and ``to``. A passage is valid where ``from <= t < to``.
A missing ``from`` is since ever, a missing ``to`` is still. A value that Qdrant does not read as a
date is no bound either, because the engine's filter and these functions must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, TypeAlias

from logic_retrievers.dates import parse_date
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.types import metadata_value

# metadata keys of the dates from which, and up to which, a passage is valid
Validity: TypeAlias = tuple[str, str]
AsOf: TypeAlias = date | str | None

ANY = "any"
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
# the forms that Qdrant reads; a time without seconds has no zone
_STORED = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:[Tt ](\d\d?):(\d\d?)(?::(\d\d?)(?:\.(\d+))?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?)?",
    re.ASCII,
)


def check_validity(validity: Any) -> Validity | None:
    """Return the two metadata keys as a tuple; None stays None.

    Raises:
        ConfigurationError: the value is not two different names.
    """
    if validity is None:
        return None
    is_pair = isinstance(validity, Sequence) and not isinstance(validity, str)
    if not is_pair or len(validity) != 2 or not all(isinstance(k, str) and k for k in validity):
        raise ConfigurationError(
            "validity is the names of two metadata fields, ('valid_from', 'valid_to'), not"
            f" {shown(validity)}"
        )
    start, end = validity
    if start == end:
        raise ConfigurationError(f"validity needs two different fields, not {shown(start)} twice")
    return start, end


def check_as_of(as_of: Any, validity: Validity | None) -> datetime | None:
    """Return the time for which a search asks; None if it asks for no time.

    Of a partial date such as ``2024-05`` the start counts. A time without a zone is UTC.

    Raises:
        ConfigurationError: ``as_of`` is not a date, or no validity is declared.
    """
    if validity is None:
        if as_of is not None:
            raise ConfigurationError("as_of needs the fields that say so: Engine(..., validity=)")
        return None
    if as_of is None:
        return datetime.now(UTC)
    if isinstance(as_of, str) and as_of == ANY:
        return None
    read = parse_date(as_of) if isinstance(as_of, date | str) else None
    if read is None:
        raise ConfigurationError(
            f"as_of is a date, a datetime, ISO 8601 text or 'any', not {shown(as_of)}"
        )
    return read.start.replace(tzinfo=UTC)


def validity_filter(validity: Validity, moment: datetime) -> dict[str, Any]:
    """Return the filter, ``{key: wanted}``, for the passages that are valid at a time."""
    start, end = validity
    # negated, so that passages without a date match too
    return {start: {"not": {"gt": moment}}, end: {"not": {"lte": moment}}}


def read_bound(value: Any) -> datetime | None:
    """Return the moment that Qdrant reads in a stored value, or None.

    A day is its midnight, and a time without a zone is UTC. Qdrant reads ISO 8601 text with a day.
    It reads no numbers and no partial dates.
    """
    if isinstance(value, date):
        value = value.isoformat()  # as it is stored
    match = _STORED.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction, zone = match.groups()[6:]
    microsecond = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, microsecond, _zone(zone))
    except ValueError:  # a thirteenth month
        return None


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:]) if len(text) > 3 else 0
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def bounds(metadata: Mapping[str, Any], validity: Validity) -> tuple[datetime, datetime]:
    """Return from when (inclusive) and up to when (exclusive) a passage is valid.

    Of a list of dates the narrowest bound counts, as in Qdrant.
    """
    start, end = (_moments(metadata_value(metadata, key)) for key in validity)
    return max(start, default=_FIRST), min(end, default=_LAST)


def _moments(value: Any) -> list[datetime]:
    values = value if isinstance(value, list | tuple) else [value]
    return [moment for each in values if (moment := read_bound(each)) is not None]


def is_valid(metadata: Mapping[str, Any], validity: Validity, moment: datetime) -> bool:
    """Whether a passage is valid at a time, as :func:`validity_filter` has it."""
    start, end = bounds(metadata, validity)
    return start <= moment < end


def are_apart(one: Mapping[str, Any], other: Mapping[str, Any], validity: Validity | None) -> bool:
    """Whether there is no time at which both passages are valid."""
    if validity is None:
        return False
    start, end = bounds(one, validity)
    other_start, other_end = bounds(other, validity)
    return max(start, other_start) >= min(end, other_end)


def as_bound(value: Any) -> str | None:
    """Return a date of any form as text that Qdrant reads, or None if it is not a date."""
    if isinstance(value, str) and read_bound(value) is not None:
        return value  # unchanged, so that one validity ends where the next begins
    read = parse_date(value)
    return None if read is None else read.start.replace(tzinfo=UTC).isoformat()
