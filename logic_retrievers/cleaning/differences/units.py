"""Units of measurement: their spellings, and what they measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.lexicon import LEXICON


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement.

    Args:
        name: the same for all its spellings.
        kind: what it measures.
    """

    name: str
    kind: str


def _read_units() -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for kind, definitions in LEXICON["units"].items():
        for name, spellings in definitions.items():
            units.update(dict.fromkeys(spellings.split(), Unit(name, kind)))
    for currency, spellings in LEXICON["currencies"].items():
        units.update(dict.fromkeys(spellings.split(), Unit(currency, currency)))
    return units


UNITS: Mapping[str, Unit] = _read_units()
"""Spelling -> unit."""

CURRENCY_SIGNS = {sign: UNITS[sign] for sign in "$\u20ac\u00a3\u00a5"}
"""Signs that stand before the number."""

CALENDAR: Mapping[str, float] = {
    "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 365.25 / 12, "year": 365.25
}  # fmt: skip
"""Units that every reader converts -> days: "two weeks" and "14 days" are no different units."""

MONEY = frozenset(LEXICON["currencies"])
"""Kinds that are currencies, and comparable with each other."""

CELSIUS = Unit("celsius", "temperature")
FAHRENHEIT = Unit("fahrenheit", "temperature")
KELVIN = Unit("kelvin", "temperature")
CLOCK = Unit("clock", "clock")
"""Minutes since midnight."""
ORDINAL = Unit("ordinal", "ordinal")
"""First, second, third."""

PERIODS: Mapping[str, str] = LEXICON["maps"]["periods"]
