"""Find numbers in a query: "1,200", "1.5k", "two hundred", "2-3", "€40 to €50"."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files

WORDS = tomllib.loads(files("logic_retrievers.fields").joinpath("english.toml").read_text("utf-8"))

_UNITS = WORDS["numbers"]["units"].split()
_TENS = WORDS["numbers"]["tens"].split()
_MAGNITUDES: dict[str, int] = WORDS["numbers"]["magnitudes"]
_WORDS = {word: value for value, word in enumerate(_UNITS)}
_WORDS |= {word: 10 * tens for tens, word in enumerate(_TENS, 2)}
_ANY_WORD = "|".join(sorted([*_WORDS, "hundred", "thousand", "million", "dozen"], key=len)[::-1])
# "two", "twenty-five", "one hundred and fifty thousand", "a hundred", "half a million", "half a"
NUMBER_WORD = (
    rf"(?:(?:half )?an? (?:hundred|thousand|million|dozen)|half an?|(?:{_ANY_WORD})"
    rf"(?:[ -](?:{_ANY_WORD})|,? and (?:{_ANY_WORD})(?! (?:hundred|thousand)))*(?: and a half)?)"
)
_DIGITS = r"(?:\d{1,3}(?:[, \u00a0\u202f'\u2019]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
_MAGNITUDE = "|".join(sorted(_MAGNITUDES, key=len)[::-1])
_CURRENCY_SIGN = r"[$£€¥]|(?:usd|eur|gbp|nok|sek|dkk|chf)(?=[ \d])"
_PATTERN = re.compile(
    rf"(?<![\w.,'\u2019/#])(?<![^\W\dk]-)(?P<currency>{_CURRENCY_SIGN})? ?"
    rf"(?P<digits>{_DIGITS})(?: ?(?P<magnitude>{_MAGNITUDE})(?![\w'\u2019]))?"
    rf"|(?<![\w'\u2019/-])(?P<words>{NUMBER_WORD})(?: (?P<scale>k|grand)\b)?(?![\w'\u2019])",
    re.IGNORECASE,
)
_YEARS = range(1500, 2101)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or a range of numbers, that a query names.

    Args:
        start, end: its place in the text, with a currency's sign before it.
        low, high: the number; two of them for a range.
        currency: a currency's sign or code before the number.
        magnitude: what the number was multiplied by.
        is_choice: whether only the two ends of the range are meant: "42 or 44".
        bare: whether it is written as a year is: four digits and nothing else.
    """

    start: int
    end: int
    low: float
    high: float
    currency: str = ""
    magnitude: int = 1
    bare: bool = False
    is_choice: bool = False

    @property
    def is_range(self) -> bool:
        return self.low != self.high

    @property
    def may_be_year(self) -> bool:
        return self.bare and all(int(number) in _YEARS for number in (self.low, self.high))

    def up_to(self, other: Amount) -> Amount:
        """Return the range from this number to another one: "40" and "50k" are 40,000 to 50,000."""
        low = self.low
        if self.magnitude == 1 and low * other.magnitude <= other.high:
            low *= other.magnitude
        low, high = sorted((low, other.high))
        return replace(
            other,
            start=self.start,
            low=low,
            high=high,
            currency=self.currency or other.currency,
            bare=self.bare and other.bare,
        )


def find_amounts(text: str) -> list[Amount]:
    """Find the numbers of a query, in order."""
    return [_amount(match) for match in _PATTERN.finditer(text)]


def read_number(text: str) -> float | None:
    """Return the value of digits or of number words; None if it is neither."""
    match = _PATTERN.fullmatch(text.strip())
    return None if match is None else _amount(match).low


def _amount(match: re.Match[str]) -> Amount:
    magnitude = _MAGNITUDES.get((match["magnitude"] or match["scale"] or "").lower(), 1)
    digits = match["digits"]
    value = _value_of_words(match["words"]) if digits is None else _value_of_digits(digits)
    bare = digits is not None and re.fullmatch(r"\d{4}", match[0].strip()) is not None
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    currency = (match["currency"] or "").lower()
    value *= magnitude
    return Amount(start, match.end(), value, value, currency, magnitude, bare)


def _value_of_digits(digits: str) -> float:
    if re.fullmatch(r"\d+,\d+", digits) and not re.fullmatch(r"\d{1,3},\d{3}", digits):
        return float(digits.replace(",", "."))  # a decimal comma
    return float(re.sub(r"[^\d.]", "", digits))


def _value_of_words(words: str) -> float:
    total = group = 0.0
    said = words.lower()
    if said.endswith(" and a half"):
        return _value_of_words(said.removesuffix(" and a half")) + 0.5
    for word in re.findall("[a-z]+", said):
        if word in _WORDS:
            group += _WORDS[word]
        elif word == "half":
            group = 0.5
        elif word in _MAGNITUDES:
            scale = _MAGNITUDES[word]
            if scale >= 1000:
                total += (group or 1) * scale
                group = 0.0
            else:
                group = (group or 1) * scale
    return total + group
