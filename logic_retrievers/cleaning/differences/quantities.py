"""Numbers and quantities in a text: ``twelve``, ``2.5 kg``, ``30 euros a month``, ``2 pm``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import NamedTuple

from logic_retrievers.cleaning.differences.tokens import LEXICON, Token, key_at
from logic_retrievers.text import stem

CARDINALS: Mapping[str, int] = LEXICON["maps"]["cardinals"]
_TENS: Mapping[str, int] = LEXICON["maps"]["tens"]
_BELOW_HUNDRED = CARDINALS.keys() | _TENS.keys()
MULTIPLIERS: Mapping[str, int] = LEXICON["maps"]["multipliers"]
ORDINALS: Mapping[str, int] = LEXICON["maps"]["ordinals"]

_FIGURES = re.compile(r"-?\d+(?:[.,]\d+)*", re.ASCII)
_GROUPED_FIGURES = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)

# index after the last token of a number, and its value
ParsedNumber = tuple[int, float]


class Unit(NamedTuple):
    """A unit of measurement: a name, the same for all its spellings, and what it measures."""

    name: str
    kind: str


# spelling -> unit; all currencies are of one kind
UNITS: Mapping[str, Unit] = {
    spelling: Unit(name, kind)
    for kind, definitions in LEXICON["units"].items()
    for name, spellings in definitions.items()
    for spelling in spellings.split()
}
# signs that stand before the number
CURRENCY_SIGNS = {sign: UNITS[sign] for sign in "$\u20ac\u00a3\u00a5"}

# unit that every reader converts -> days, so that "two weeks" equals "14 days"
_CALENDAR: Mapping[str, float] = {
    "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 365.25 / 12, "year": 365.25
}  # fmt: skip

_CLOCK = Unit("clock", "clock")  # minutes since midnight
_ORDINAL = Unit("ordinal", "ordinal")
_PERIODS: Mapping[str, str] = LEXICON["maps"]["periods"]
# tokens after a quantity at which its period may begin: "27 euros for adults a day"
_PERIOD_REACH = 3

_HOUR = re.compile(r"[01]?\d|2[0-4]", re.ASCII)
_MINUTES = re.compile(r"[0-5]\d", re.ASCII)
_NOON = 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts.

    Args:
        value: as it is written.
        unit: None if there is no known unit.
        counted: stem of the counted noun if there is no unit: ``photo`` in "340 photos".
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
        """Whether both are the same number, in the same unit and period if both have them."""
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


# first token, index after the last, and the quantity
PlacedQuantity = tuple[int, int, Quantity]


def find_quantities(tokens: Sequence[Token]) -> Iterator[PlacedQuantity]:
    """Find all quantities, in order."""
    index = 0
    while index < len(tokens):
        if quantity := _quantity_at(tokens, index):
            yield quantity
        index = quantity[1] if quantity else index + 1


def _quantity_at(tokens: Sequence[Token], index: int) -> PlacedQuantity | None:
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
    """Return the index after a number's unit, the unit, and the counted noun if it has none."""
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
    """Return the index to go on at, and a quantity's period: ``a month``, ``per year``."""
    for offset in range(_PERIOD_REACH):
        article, following = (key_at(tokens, index + offset + n) for n in (0, 1))
        if article in ("per", "a", "an", "each", "every") and following in _PERIODS:
            return (index if offset else index + 2), _PERIODS[following]
    return index, ""


def _clock_time_at(tokens: Sequence[Token], index: int) -> tuple[int, float] | None:
    """Return the index after a time of day that begins at a token, and minutes since midnight."""
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
    """Return ``am``, ``pm``, ``a m`` or ``p m`` after the digits; empty if there is none."""
    key = key_at(tokens, index)
    if key in ("am", "pm"):
        return key
    return f"{key} m" if key in ("a", "p") and key_at(tokens, index + 1) == "m" else ""


def parse_number(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """Return the number that begins at a token; None if none does."""
    key = key_at(tokens, index)
    if _FIGURES.fullmatch(key):
        return _parse_figures(tokens, index, key)
    if number := _parse_number_words(tokens, index):
        return number
    return (index + 1, float(ORDINALS[key])) if key in ORDINALS else None


def _parse_figures(tokens: Sequence[Token], index: int, key: str) -> ParsedNumber | None:
    is_grouped = _GROUPED_FIGURES.fullmatch(key) is not None
    if not is_grouped and key.count(".") + key.count(",") > 1:
        return None  # 1.2.3
    value = float(key.replace(",", "" if is_grouped else "."))
    following = key_at(tokens, index + 1)
    if following in MULTIPLIERS:
        return index + 2, value * MULTIPLIERS[following]
    return index + 1, value


def _parse_number_words(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """Parse ``twelve hundred``, ``two hundred and fifty``."""
    start, total, group = index, 0.0, 0.0
    while index < len(tokens):
        key, begun = tokens[index].key, index > start
        if key in CARDINALS and (not begun or group % 10 == 0):
            group += CARDINALS[key]
        elif key in _TENS and (not begun or group % 100 == 0):
            group += _TENS[key]
        elif key in MULTIPLIERS and (begun or key == "dozen" or key_at(tokens, index - 1) == "a"):
            group = max(group, 1.0) * MULTIPLIERS[key]
            if MULTIPLIERS[key] >= MULTIPLIERS["thousand"]:
                total, group = total + group, 0.0
        elif not (
            key == "and"
            and key_at(tokens, index - 1) in MULTIPLIERS
            and key_at(tokens, index + 1) in _BELOW_HUNDRED
        ):
            break
        index += 1
    return (index, total + group) if index > start else None
