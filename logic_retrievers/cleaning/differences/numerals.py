"""Numbers without their units: figures, number words, fractions: ``1,200``, ``twelve``, ``1/3``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.cleaning.differences.words import Word, key_at, vocabulary

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
CARDINALS = {word: number for number, word in enumerate(_BELOW_TWENTY.split())}
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
    "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
    "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
_SIGNS = {"\u00bd": 0.5, "\u00bc": 0.25, "\u00be": 0.75}
_PARTS = {
    "half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, **_SIGNS,
}  # fmt: skip
_MOST_PARTS = 10
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}

_NOT_AFTER = vocabulary("the this that each every no any some which longer another by")
_NOT_BEFORE = vocabulary("of or and that who which can may is are has another s day more")
"""Words beside a "one" that stands for somebody or something and counts nothing."""

_FIGURE = re.compile(r"-?\d+(?:[.,]\d+)*", re.ASCII)
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_LONGEST = 30
"""Figures; more of them are no number but a key or a checksum."""

Numeral = tuple[int, float]
"""One past the last word of a number, and its value."""


def numeral(words: Sequence[Word], place: int) -> Numeral | None:
    """The number that begins at a word; None where none does."""
    key = key_at(words, place)
    if _FIGURE.fullmatch(key) and len(key) <= _LONGEST:
        return _figures(words, place, key)
    return _spelled(words, place) or _alone(words, place)


def figure(key: str) -> float | None:
    """The value of figures; None where they mean none, as in ``1.2.3``."""
    if _GROUPED.fullmatch(key):
        return float(key.replace(",", ""))
    if key.count(".") + key.count(",") > 1:
        return None
    return float(key.replace(",", "."))


def _figures(words: Sequence[Word], place: int, key: str) -> Numeral | None:
    value = figure(key)
    if value is None:
        return None
    after = key_at(words, place + 1)
    if after in SCALES:
        return place + 2, value * SCALES[after]
    if _divided(words, place) and float(after):
        return place + 2, value / float(after)
    return place + 1, value


def _divided(words: Sequence[Word], place: int) -> bool:
    """``1/3``: the sign between the words is not kept, their distance is."""
    if place + 1 >= len(words) or not _FIGURE.fullmatch(words[place + 1].key):
        return False
    here, after = words[place], words[place + 1]
    return after.start - here.end == 1 and len(here.key) == len(after.key) == 1


def _spelled(words: Sequence[Word], place: int) -> Numeral | None:
    """``twelve hundred``, ``two hundred and fifty``, ``three quarters``."""
    begun, total, part = place, 0.0, 0.0
    while place < len(words):
        key, known = words[place].key, place > begun
        if key in CARDINALS and (not known or part % 10 == 0):
            if key == "one" and not known and not _counts(words, place):
                return None
            part += CARDINALS[key]
        elif key in _TENS and (not known or part % 100 == 0):
            part += _TENS[key]
        elif key in SCALES and (known or key == "dozen" or key_at(words, place - 1) == "a"):
            part = max(part, 1.0) * SCALES[key]
            if SCALES[key] >= SCALES["thousand"]:
                total, part = total + part, 0.0
        elif not (key == "and" and known and _goes_on(words, place)):
            break
        place += 1
    if place == begun:
        return None
    value = total + part
    if key_at(words, place) in _PARTS and value < _MOST_PARTS:
        return place + 1, value * _PARTS[words[place].key]
    return place, value


def _goes_on(words: Sequence[Word], place: int) -> bool:
    """``two hundred and fifty``."""
    after = key_at(words, place + 1)
    return key_at(words, place - 1) in SCALES and (after in CARDINALS or after in _TENS)


def _alone(words: Sequence[Word], place: int) -> Numeral | None:
    """``twice``, ``half``, ``a third``, ``the third``."""
    key = key_at(words, place)
    if key in _TIMES:
        return place + 1, _TIMES[key]
    if key in _PARTS and (key == "half" or key in _SIGNS or key_at(words, place - 1) == "a"):
        return place + 1, _PARTS[key]
    return (place + 1, float(ORDINALS[key])) if key in ORDINALS else None


def _counts(words: Sequence[Word], place: int) -> bool:
    """Whether ``one`` counts and does not stand for somebody."""
    before, after = key_at(words, place - 1), key_at(words, place + 1)
    return after[:1].isalnum() and after not in _NOT_BEFORE and before not in _NOT_AFTER
