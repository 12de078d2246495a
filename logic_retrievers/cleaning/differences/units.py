"""Units of measurement, and what one of them is in the base unit of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.words import vocabulary


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit.

    Args:
        name: one for all its spellings.
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
"""Two weeks are 14 days to anybody: another way of writing, and no other unit."""

_TABLE = """
metre: length 1 = m metre metres meter meters
kilometre: length 1000 = km kilometre kilometres kilometer kilometers kms
centimetre: length 0.01 = cm centimetre centimetres centimeter centimeters
millimetre: length 0.001 = mm millimetre millimetres millimeter millimeters
mile: length 1609.344 = mile miles mi
foot: length 0.3048 = ft foot feet
inch: length 0.0254 = inch inches
yard: length 0.9144 = yd yard yards
kilogram: mass 1 = kg kilogram kilograms kilo kilos kgs
gram: mass 0.001 = g gram grams gramme grammes
milligram: mass 0.000001 = mg milligram milligrams
microgram: mass 0.000000001 = mcg microgram micrograms
tonne: mass 1000 = tonne tonnes
pound: mass 0.45359237 = lb lbs
stone: mass 6.35029318 = stone
ounce: mass 0.028349523 = oz ounce ounces
pounds: pounds 1 = pound pounds
litre: volume 1 = l litre litres liter liters
millilitre: volume 0.001 = ml millilitre millilitres milliliter milliliters
centilitre: volume 0.01 = cl centilitre centilitres centiliter centiliters
gallon: volume 3.785411784 = gallon gallons gal
pint: volume 0.473176473 = pint pints
quart: volume 0.946352946 = quart quarts
cup: volume 0.24 = cup cups
tablespoon: volume 0.015 = tbsp tablespoon tablespoons
teaspoon: volume 0.005 = tsp teaspoon teaspoons
barrel: volume 158.987295 = bbl barrel barrels
second: time 1 = s sec secs second seconds
millisecond: time 0.001 = ms millisecond milliseconds
minute: time 60 = min mins minute minutes
hour: time 3600 = h hr hrs hour hours
day: time 86400 = day days
week: time 604800 = week weeks
fortnight: time 1209600 = fortnight fortnights
month: time 2629800 = month months
year: time 31557600 = year years yr yrs
bit: data 0.125 = bit bits
kilobit: data 125 = kbit kilobit kilobits kbps
megabit: data 125000 = mbit megabit megabits mbps
gigabit: data 125000000 = gbit gigabit gigabits gbps
byte: data 1 = byte bytes
kilobyte: data 1000 = kb kilobyte kilobytes
megabyte: data 1000000 = mb megabyte megabytes
gigabyte: data 1000000000 = gb gigabyte gigabytes
terabyte: data 1000000000000 = tb terabyte terabytes
kibibyte: data 1024 = kib
mebibyte: data 1048576 = mib
gibibyte: data 1073741824 = gib
watt: power 1 = w watt watts
kilowatt: power 1000 = kw kilowatt kilowatts
megawatt: power 1000000 = mw megawatt megawatts
gigawatt: power 1000000000 = gw gigawatt gigawatts
horsepower: power 735.5 = hp bhp horsepower
joule: energy 1 = j joule joules
kilojoule: energy 1000 = kj kilojoule kilojoules
megajoule: energy 1000000 = mj megajoule megajoules
calorie: energy 4184 = kcal cal calorie calories kilocalories
kilowatt-hour: energy 3600000 = kwh
megawatt-hour: energy 3600000000 = mwh
btu: energy 1055.06 = btu btus
volt: voltage 1 = v volt volts
hertz: frequency 1 = hz hertz
megahertz: frequency 1000000 = mhz
gigahertz: frequency 1000000000 = ghz
hectare: area 10000 = ha hectare hectares
acre: area 4046.8564224 = acre acres
bar: pressure 1 = bar bars
millibar: pressure 0.001 = mbar hpa millibar millibars hectopascal hectopascals
kilopascal: pressure 0.01 = kpa kilopascal kilopascals
psi: pressure 0.0689475729 = psi
mmhg: pressure 0.00133322 = mmhg
newton: force 1 = newton newtons
kilonewton: force 1000 = kn kilonewton kilonewtons
milliamp: current 0.001 = ma milliamp milliamps
amp: current 1 = amp amps ampere amperes
nautical: length 1852 = nmi
micrometre: length 0.000001 = micron microns micrometre micrometres micrometer micrometers
nanometre: length 0.000000001 = nm nanometre nanometres nanometer nanometers
knot: speed 1.852 = knot knots
kmh: speed 1 = kmh kph
mph: speed 1.609344 = mph
percent: share 0.01 = % percent pct
permille: share 0.001 = ‰
euro: euro 1 = € eur euro euros
cent: euro 0.01 = cent cents
dollar: dollar 1 = $ usd dollar dollars
sterling: sterling 1 = £ gbp
yen: yen 1 = ¥ jpy yen
franc: franc 1 = chf franc francs
krona: krona 1 = sek krona kronor
krone: krone 1 = nok dkk krone kroner
rupee: rupee 1 = inr rupee rupees
yuan: yuan 1 = cny rmb yuan renminbi
won: won 1 = krw
zloty: zloty 1 = pln zloty zlotys
koruna: koruna 1 = czk koruna crowns
forint: forint 1 = huf forint forints
lira: lira 1 = lira liras
rouble: rouble 1 = rub rouble roubles ruble rubles
peso: peso 1 = mxn peso pesos
real: real 1 = brl reais
rand: rand 1 = zar rand
shekel: shekel 1 = ils shekel shekels
dirham: dirham 1 = aed dirham dirhams
baht: baht 1 = thb baht
shilling: shilling 1 = kes shilling shillings
"""


def _read(table: str) -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for line in table.strip().splitlines():
        head, spellings = line.split(" = ")
        names, value = head.split(": ")
        kind, factor = value.split(" ")
        unit = Unit(names.split(" ")[0], kind, float(factor))
        found.update(dict.fromkeys(spellings.split(" "), unit))
    return found


UNITS: Mapping[str, Unit] = _read(_TABLE)
"""Spelling -> the unit."""

CURRENCIES = {sign: UNITS[sign] for sign in "$\u20ac\u00a3\u00a5"}
"""Signs that stand before the number."""

MONEY = frozenset(
    unit.kind
    for unit in map(
        UNITS.__getitem__,
        vocabulary(
            "euro dollar gbp yen franc krona krone rupee yuan krw zloty koruna forint lira "
            "rouble peso reais rand shekel dirham baht shilling"
        ),
    )
)
"""Kinds that are currencies: an amount in one is none in another, but answers what it answers."""

SPEEDS: Mapping[str, str] = {"mph": "mile", "kmh": "kilometre", "knot": "nmi"}
"""Units of speed -> the length that they are per hour."""

CELSIUS = Unit("celsius", "temperature")
FAHRENHEIT = Unit("fahrenheit", "temperature", 5 / 9, -160 / 9)
KELVIN = Unit("kelvin", "temperature", 1.0, -273.15)
CLOCK = Unit("clock", "clock")
"""Minutes since midnight."""
ORDINAL = Unit("ordinal", "ordinal")
"""First, second, third."""

SQUARES: Mapping[str, float] = {"length": 2.0}
"""Kinds of which ``square`` before the unit makes another one, and the power of the factor."""

PERIODS: Mapping[str, str] = {
    **{word: word for word in ("second", "minute", "hour", "day", "week", "month", "year")},
    "night": "day", "annum": "year", "quarter": "quarter", "hourly": "hour", "daily": "day",
    "nightly": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annual": "year", "annually": "year", "h": "hour", "mo": "month",
    "yr": "year", "pa": "year",
}  # fmt: skip
"""Words behind ``per``, and adverbs, -> the period that they name."""

SECONDS: Mapping[str, float] = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY,
    "month": YEAR / 12, "quarter": YEAR / 4, "year": YEAR,
}  # fmt: skip
