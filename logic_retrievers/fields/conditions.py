"""A comparison that a query states about a declared field: as a filter, and as a preference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, TypeAlias

from logic_retrievers.dates import parse_date

Bound: TypeAlias = float | date

# Differences at which a value is half as good as one that meets the condition: of a number as a
# share of the bound, of a date in days.
_HALF_SHARE = 0.25
_HALF_DAYS = 60
_HALF_YEARS = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """What a query says of one field.

    Args:
        field: name of the metadata field.
        low, high: bounds of the values, inclusive unless the bound is strict; None is no bound.
            Numbers, or dates without a time.
        low_strict, high_strict: whether the bound itself is left out.
        words: the words of the query that say so.
        preferred: whether it is a preference ("around 200") and no filter.
        of_years: whether the values are years.
    """

    field: str
    low: Bound | None = None
    high: Bound | None = None
    low_strict: bool = False
    high_strict: bool = False
    words: str = ""
    preferred: bool = False
    of_years: bool = False

    def to_filter(self) -> dict[str, Any]:
        """Return the range that a filter gives the field, as JSON types.

        A date's range ends before the next day, since stored values may have a time.
        """
        wanted: dict[str, Any] = {}
        if isinstance(self.low, date):
            wanted["gte"] = (self.low + timedelta(days=self.low_strict)).isoformat()
        elif self.low is not None:
            wanted["gt" if self.low_strict else "gte"] = self.low
        if isinstance(self.high, date):
            wanted["lt"] = (self.high + timedelta(days=not self.high_strict)).isoformat()
        elif self.high is not None:
            wanted["lt" if self.high_strict else "lte"] = self.high
        return wanted

    def closeness(self, value: Any) -> float:
        """Return how near a stored value is to the condition: 1 if it meets it, 0 if far or none.

        The best value of a list counts. A value at a strict bound counts as one that is just off.
        """
        if isinstance(value, list | tuple):
            return max(map(self.closeness, value), default=0.0)
        number = self._comparable(value)
        if number is None:
            return 0.0
        low, high = _number(self.low, -math.inf), _number(self.high, math.inf)
        gap = max(low - number, number - high, 0.0)
        is_off = (self.low_strict and number == low) or (self.high_strict and number == high)
        if gap == 0.0 and not is_off:
            return 1.0
        bound = low if number <= low else high
        return 0.99 * math.pow(0.5, gap / self._half(bound))

    def _comparable(self, value: Any) -> float | None:
        if isinstance(self.low if self.high is None else self.high, date):
            read = parse_date(value)
            return None if read is None else float(read.start.toordinal())
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if is_number and math.isfinite(value) else None

    def _half(self, bound: float) -> float:
        if isinstance(self.low if self.high is None else self.high, date):
            return _HALF_DAYS
        return _HALF_YEARS if self.of_years else max(abs(bound) * _HALF_SHARE, 1e-9)

    def __str__(self) -> str:
        """Return the condition for people: ``price < 200``, ``2 <= bedrooms <= 3``."""
        low, high = _shown(self.low), _shown(self.high)
        if low and low == high:
            return f"{self.field} {'~' if self.preferred else '=='} {low}"
        left = f"{low} <{'' if self.low_strict else '='} " if low and high else ""
        right = ""
        if high:
            right = f" <{'' if self.high_strict else '='} {high}"
        elif low:
            right = f" >{'' if self.low_strict else '='} {low}"
        said = f"{left}{self.field}{right}"
        return f"preferably {said}" if self.preferred else said

    def to_dict(self) -> dict[str, Any]:
        return {"condition": str(self), "words": self.words, "preferred": self.preferred}


@dataclass(frozen=True, slots=True)
class FieldReading:
    """What a query says of declared fields, and what remains of it.

    Args:
        text: the query.
        rest: the query without the words of required conditions; the whole query if no word is
            left.
        conditions: at most a few; all are meant.
    """

    text: str
    rest: str
    conditions: tuple[Condition, ...] = ()

    @property
    def required(self) -> tuple[Condition, ...]:
        return tuple(each for each in self.conditions if not each.preferred)

    def preferring(self) -> FieldReading:
        """Return the reading with preferences in place of required conditions."""
        preferred = tuple(replace(each, preferred=True) for each in self.conditions)
        return replace(self, conditions=preferred)


def mean_closeness(conditions: Sequence[Condition], metadata: Mapping[str, Any]) -> float:
    """Return the mean of the conditions' closeness over a passage's metadata."""
    total = sum(each.closeness(metadata.get(each.field)) for each in conditions)
    return total / len(conditions)


def _number(bound: Bound | None, absent: float) -> float:
    if bound is None:
        return absent
    return float(bound.toordinal()) if isinstance(bound, date) else float(bound)


def _shown(bound: Bound | None) -> str:
    if bound is None:
        return ""
    return bound.isoformat() if isinstance(bound, date) else f"{bound:.12g}"
