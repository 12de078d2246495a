"""Quantities: numbers with units, and times of day: ``2.5 kg``, ``30 euros a month``, ``2 pm``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import NamedTuple

from logic_retrievers.cleaning.differences.lexicon import LEXICON
from logic_retrievers.cleaning.differences.numerals import ORDINALS, parse_number
from logic_retrievers.cleaning.differences.tokens import Token, key_at
from logic_retrievers.text import stem


class Unit(NamedTuple):
    """A unit of measurement: a name, the same for all its spellings, and what it measures."""

    name: str
    kind: str


def _read_units() -> dict[str, Unit]:
    return {
        spelling: Unit(name, kind)
        for kind, definitions in LEXICON["units"].items()
        for name, spellings in definitions.items()
        for spelling in spellings.split()
    }


UNITS: Mapping[str, Unit] = _read_units()
"""Spelling -> unit; all currencies are of one kind."""

CURRENCY_SIGNS = {sign: UNITS[sign] for sign in "$\u20ac\u00a3\u00a5"}
"""Signs that stand before the number."""

_CALENDAR: Mapping[str, float] = {
    "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 365.25 / 12, "year": 365.25
}  # fmt: skip
"""Units that every reader converts -> days: "two weeks" and "14 days" are no different units."""

_CLOCK = Unit("clock", "clock")  # minutes since midnight
_ORDINAL = Unit("ordinal", "ordinal")
_PERIODS: Mapping[str, str] = LEXICON["maps"]["periods"]
_PERIOD_REACH = 3
"""Tokens behind a quantity among which its period may stand: "27 euros for adults a day"."""

_HOUR = re.compile(r"[01]?\d|2[0-4]", re.ASCII)
_MINUTES = re.compile(r"[0-5]\d", re.ASCII)
_NOON = 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts.

    Args:
        value: as it is written.
        unit: None where there is no known one.
        counted: stem of what is counted where that is no unit: ``photo`` in "340 photos".
        period: "month" in "30 euros a month".
    """

    value: float
    unit: Unit | None = None
    counted: str = ""
    period: str = ""

    @property
    def kind(self) -> str:
        """What it measures; empty without a unit."""
        return self.unit.kind if self.unit is not None else ""

    def equals(self, other: Quantity) -> bool:
        """Whether both are the same number, in one unit and period where both have any."""
        left, right = self.value, other.value
        if self.unit is not None and other.unit is not None:
            left *= _CALENDAR.get(self.unit.name, 1.0)
            right *= _CALENDAR.get(other.unit.name, 1.0)
        return isclose(left, right) and not self.has_other_unit(other)

    def has_other_unit(self, other: Quantity) -> bool:
        """Whether the units or periods differ, calendar units aside."""
        if self.period and other.period and self.period != other.period:
            return True
        if self.unit is None or other.unit is None or self.unit == other.unit:
            return False
        return not {self.unit.name, other.unit.name} <= _CALENDAR.keys()

    def is_comparable(self, other: Quantity) -> bool:
        """Whether both may answer one question: they are of one kind or count the same."""
        if self.kind or other.kind:
            return self.kind == other.kind
        return not self.counted or not other.counted or self.counted == other.counted


PlacedQuantity = tuple[int, int, Quantity]
"""First token, index behind the last, and the quantity."""


def find_quantities(tokens: Sequence[Token]) -> Iterator[PlacedQuantity]:
    """All quantities in their order."""
    index = 0
    while index < len(tokens):
        if quantity := _quantity_at(tokens, index):
            yield quantity
        index = quantity[1] if quantity else index + 1


def _quantity_at(tokens: Sequence[Token], index: int) -> PlacedQuantity | None:
    """The quantity that begins at a token."""
    if (time := _clock_time_at(tokens, index)) is not None:
        return index, time[0], Quantity(time[1], _CLOCK)
    currency = CURRENCY_SIGNS.get(tokens[index].key)
    number = parse_number(tokens, index + (currency is not None))
    if number is None:
        return None
    end, value = number
    unit, counted = currency, ""
    if key_at(tokens, end - 1) in ORDINALS:
        unit = _ORDINAL
    elif unit is None:
        end, unit, counted = _unit_at(tokens, end)
    end, period = _period_at(tokens, end)
    return index, end, Quantity(value, unit, counted, period)


def _unit_at(tokens: Sequence[Token], index: int) -> tuple[int, Unit | None, str]:
    """Index behind the unit of a number, the unit, and what is counted where there is none."""
    key, following = key_at(tokens, index), key_at(tokens, index + 1)
    if key in ("\u00b0", "degree", "degrees"):
        has_scale = f"\u00b0{following}" in UNITS
        return index + 1 + has_scale, UNITS[f"\u00b0{following if has_scale else 'c'}"], ""
    if key in ("square", "sq") and (unit := UNITS.get(following)) and unit.kind == "length":
        return index + 2, Unit(f"square {unit.name}", "area"), ""
    if (unit := UNITS.get(key)) is not None:
        return index + 1, unit, ""
    is_noun = index < len(tokens) and tokens[index].is_content and key[0].isalpha()
    return index, None, stem(key) if is_noun else ""


def _period_at(tokens: Sequence[Token], index: int) -> tuple[int, str]:
    """``a month`` or ``per year`` behind a number, and the index behind it."""
    for offset in range(_PERIOD_REACH):
        article, following = (key_at(tokens, index + offset + n) for n in (0, 1))
        if article in ("per", "a", "an", "each", "every") and following in _PERIODS:
            return (index if offset else index + 2), _PERIODS[following]
    return index, ""


def _clock_time_at(tokens: Sequence[Token], index: int) -> tuple[int, float] | None:
    """Index behind the time of day that begins at a token, and its minutes since midnight."""
    hour, dot, minutes = key_at(tokens, index).partition(".")
    end, following = index + 1, key_at(tokens, index + 1)
    has_sign = end < len(tokens) and tokens[end].start_char - tokens[index].end_char == 1
    if has_sign and not dot and _MINUTES.fullmatch(following):  # 14:30
        minutes, end = following, end + 1
    if not _HOUR.fullmatch(hour) or (dot and not _MINUTES.fullmatch(minutes)):
        return None
    half = _half_of_day(tokens, end)
    if not half and (dot or not minutes):
        return None
    is_afternoon = half.startswith("p") and int(hour) < _NOON
    is_midnight = half.startswith("a") and int(hour) == _NOON
    value = (int(hour) + _NOON * is_afternoon - _NOON * is_midnight) * 60.0 + int(minutes or 0)
    return end + len(half.split()), value


def _half_of_day(tokens: Sequence[Token], index: int) -> str:
    """``am``, ``pm``, ``a m`` or ``p m`` behind the figures; empty: none of them."""
    key = key_at(tokens, index)
    if key in ("am", "pm"):
        return key
    return f"{key} m" if key in ("a", "p") and key_at(tokens, index + 1) == "m" else ""
