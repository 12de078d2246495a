"""Units of measurement, and their conversion into the base unit of their kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.lexicon import LEXICON


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement.

    Args:
        name: the same for all its spellings.
        kind: what it measures; units of one kind are converted into each other.
        factor, shift: value in the base unit = value * factor + shift.
    """

    name: str
    kind: str
    factor: float = 1.0
    shift: float = 0.0


DAY = 86_400.0
YEAR = 365.25 * DAY
CALENDAR = frozenset({"day", "week", "fortnight", "month", "year"})
"""Units that every reader converts: "two weeks" and "14 days" are no different units."""


def _read_units() -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for kind, definitions in LEXICON["units"].items():
        for name, definition in definitions.items():
            factor, *spellings = definition.split()
            units.update(dict.fromkeys(spellings, Unit(name, kind, float(factor))))
    for currency, spellings in LEXICON["currencies"].items():
        units.update(dict.fromkeys(spellings.split(), Unit(currency, currency)))
    return units


UNITS: Mapping[str, Unit] = _read_units()
"""Spelling -> unit."""

CURRENCY_SIGNS = {sign: UNITS[sign] for sign in "$\u20ac\u00a3\u00a5"}
"""Signs that stand before the number."""

MONEY = frozenset(LEXICON["currencies"])
"""Kinds that are currencies: comparable with each other, though not converted."""

SPEEDS: Mapping[str, str] = {"mph": "mile", "kmh": "kilometre", "knot": "nmi"}
"""Unit of speed -> the length that it means per hour."""

CELSIUS = Unit("celsius", "temperature")
FAHRENHEIT = Unit("fahrenheit", "temperature", 5 / 9, -160 / 9)
KELVIN = Unit("kelvin", "temperature", 1.0, -273.15)
CLOCK = Unit("clock", "clock")
"""Minutes since midnight."""
ORDINAL = Unit("ordinal", "ordinal")
"""First, second, third."""

PERIODS: Mapping[str, str] = LEXICON["maps"]["periods"]
SECONDS: Mapping[str, float] = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY,
    "month": YEAR / 12, "quarter": YEAR / 4, "year": YEAR,
}  # fmt: skip
"""Period -> its length in seconds."""
