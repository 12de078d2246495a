"""Numbers, dates, quantifiers and names of a text that can be exchanged for others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeAlias

Change: TypeAlias = tuple[str, str]
"""What stands in the text, and what it is exchanged for."""

_YEAR = re.compile(r"(?<![\w.,$€£\u2013-])(1[5-9]\d\d|20[0-2]\d)(?![\w%]|[.,\u2013-]\d)")
_LAST = 2024
"""No year after it is made: years to come would tell the made side from the other."""
_NUMBER = re.compile(
    r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?![\w/-])|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w/-])"
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_ANY_MONTH = rf"(?:{'|'.join(_MONTHS)})\b"
_MONTH = re.compile(rf"\b{_ANY_MONTH}(?=,? \d)|(?<=\d )\b{_ANY_MONTH}")
_DAY = re.compile(rf"\b(\d{{1,2}}) {_ANY_MONTH}|\b{_ANY_MONTH} (\d{{1,2}})\b")
_NUMERALS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve")
_NUMERAL = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})\b")
QUANTIFIERS: Mapping[str, str] = {
    **{"always": "never", "never": "always", "most of": "few of", "many": "few"},
    **{"all of": "none of", "none of": "all of", "every": "no", "everyone": "nobody"},
    **{"nobody": "everyone", "more than": "less than", "less than": "more than"},
    **{"at least": "at most", "at most": "at least", "before": "after", "after": "before"},
    **{"the first": "the last", "the last": "the first", "the largest": "the smallest"},
    **{"the smallest": "the largest", "the best": "the worst", "the highest": "the lowest"},
    **{"the oldest": "the youngest", "often": "rarely", "rarely": "often", "majority": "minority"},
    **{"increased": "decreased", "decreased": "increased", "higher": "lower", "lower": "higher"},
}
_QUANTIFIER = re.compile(
    r"(?<![\w-])(?<!named )(?<!look )(?<!looks )(?<!looking )(?<!looked )"
    rf"(?:{'|'.join(sorted(QUANTIFIERS, key=len, reverse=True))})(?![\w-])"
)
_NAME = re.compile(
    r"(?<=[a-z,] )(?:[A-Z][\w'\u2019-]+)(?: (?:(?:of|the|de|van|von) )?[A-Z][\w'\u2019-]+){0,3}"
)
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NO_NAMES = frozenset({*_MONTHS, *_DAYS, "I"})
_VOWELS = tuple("AEIOU")


def number(text: str, random: Random) -> Change | None:
    """Another number of as many digits, with the same signs, or another numeral.

    Not a year, nor the day of a date, which would become "59 December".
    """
    days = {day for pair in _DAY.findall(text) for day in pair}
    found = [m[0] for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m[0]) and m[0] not in days]
    words = _NUMERAL.findall(text)
    if not found and not words:
        return None
    old = random.choice(found + words)
    if old in _NUMERALS:
        return old, random.choice([one for one in _NUMERALS if one != old])
    for _ in range(20):
        digits = [random.choice("0123456789") if one.isdigit() else one for one in old]
        if digits[0] == "0" and len(digits) > 1 and old[0] != "0":
            digits[0] = random.choice("123456789")
        new = "".join(digits)
        if new[0] != old[0] or (len(old) == 1 and new != old):
            return old, new
    return None


def date(text: str, random: Random) -> Change | None:
    """Another year, up to forty away, or another month."""
    found = [m[0] for m in _YEAR.finditer(text)]
    months = [m[0] for m in _MONTH.finditer(text)]
    if not found and not months:
        return None
    old = random.choice(found + months)
    if old in _MONTHS:
        return old, random.choice([one for one in _MONTHS if one != old])
    years = random.choice([-1, 1]) * random.randint(2, 40)
    new = int(old) + years
    return old, str(new if new <= _LAST else min(int(old), _LAST) - abs(years))


def quantifier(text: str, random: Random) -> Change | None:
    """A quantifier or comparison for its contrary."""
    found = _QUANTIFIER.findall(text)
    if not found:
        return None
    old = random.choice(found)
    return old, QUANTIFIERS[old]


def names_of(texts: Iterable[str]) -> dict[int, list[str]]:
    """Names within sentences, by how many words they have."""
    found: dict[int, dict[str, None]] = defaultdict(dict)
    for text in texts:
        for name in _names_in(text):
            found[len(name.split())][name] = None
    return {words: sorted(names) for words, names in found.items()}


def entity(text: str, names: Mapping[int, Sequence[str]], random: Random) -> Change | None:
    """A name for another one of as many words out of other texts, which takes the same article."""
    found = _names_in(text)
    if not found:
        return None
    old = random.choice(found)
    others = [
        name
        for name in names.get(len(old.split()), ())
        if name not in text and name.startswith(_VOWELS) is old.startswith(_VOWELS)
    ]
    return (old, random.choice(others)) if others else None


def exchanged(text: str, change: Change) -> str:
    """The text with every whole occurrence exchanged: it must not still say the old value.

    5 is no whole occurrence in 15, in 5.5 or in 5,000.
    """
    old, new = change
    whole = rf"(?<!\w)(?<!\d[.,/]){re.escape(old)}(?!\w|[.,/]\d)"
    return re.sub(whole, lambda _: new, text)


def _names_in(text: str) -> list[str]:
    names = (_POSSESSIVE.sub("", name) for name in _NAME.findall(text))
    return [name for name in names if name not in _NO_NAMES]
