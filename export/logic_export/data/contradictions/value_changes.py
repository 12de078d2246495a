"""Changes of numbers, dates, quantifiers and names that contradict a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeAlias

# A value in the text and its replacement.
Change: TypeAlias = tuple[str, str]

_YEAR = re.compile(r"(?<![\w.,$€£\u2013-])(1[5-9]\d\d|20[0-2]\d)(?![\w%]|[.,\u2013-]\d)")
# A year in the future would reveal the changed side.
_LATEST_YEAR = 2024
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
_NOT_NAMES = frozenset({*_MONTHS, *_DAYS, "I"})
_VOWELS = tuple("AEIOU")


def change_number(text: str, random: Random) -> Change | None:
    """Change a number, keeping its digit count and separators, or a numeral in words.

    Years and days of dates are not changed: a day could become "59 December".
    """
    days = {day for pair in _DAY.findall(text) for day in pair}
    numbers = [
        m[0] for m in _NUMBER.finditer(text) if not _YEAR.fullmatch(m[0]) and m[0] not in days
    ]
    numerals = _NUMERAL.findall(text)
    if not numbers and not numerals:
        return None
    old = random.choice(numbers + numerals)
    if old in _NUMERALS:
        return old, random.choice([numeral for numeral in _NUMERALS if numeral != old])
    for _ in range(20):
        digits = [random.choice("0123456789") if numeral.isdigit() else numeral for numeral in old]
        if digits[0] == "0" and len(digits) > 1 and old[0] != "0":
            digits[0] = random.choice("123456789")
        new = "".join(digits)
        if new[0] != old[0] or (len(old) == 1 and new != old):
            return old, new
    return None


def change_date(text: str, random: Random) -> Change | None:
    """Change a year by 2 to 40 years, or a month to a different month."""
    years_found = [m[0] for m in _YEAR.finditer(text)]
    months = [m[0] for m in _MONTH.finditer(text)]
    if not years_found and not months:
        return None
    old = random.choice(years_found + months)
    if old in _MONTHS:
        return old, random.choice([month for month in _MONTHS if month != old])
    years = random.choice([-1, 1]) * random.randint(2, 40)
    new = int(old) + years
    return old, str(new if new <= _LATEST_YEAR else min(int(old), _LATEST_YEAR) - abs(years))


def change_quantifier(text: str, random: Random) -> Change | None:
    """Change a quantifier or comparison to its contrary."""
    quantifiers = _QUANTIFIER.findall(text)
    if not quantifiers:
        return None
    old = random.choice(quantifiers)
    return old, QUANTIFIERS[old]


def collect_names(texts: Iterable[str]) -> dict[int, list[str]]:
    """Collect names inside sentences, by number of words."""
    names_by_length: dict[int, dict[str, None]] = defaultdict(dict)
    for text in texts:
        for name in _names_in(text):
            names_by_length[len(name.split())][name] = None
    return {words: sorted(names) for words, names in names_by_length.items()}


def change_name(text: str, names: Mapping[int, Sequence[str]], random: Random) -> Change | None:
    """Change a name to another text's name with as many words and the same article."""
    names_in_text = _names_in(text)
    if not names_in_text:
        return None
    old = random.choice(names_in_text)
    others = [
        name
        for name in names.get(len(old.split()), ())
        if name not in text and name.startswith(_VOWELS) is old.startswith(_VOWELS)
    ]
    return (old, random.choice(others)) if others else None


def apply_change(text: str, change: Change) -> str:
    """Replace every whole occurrence of the old value in the text.

    5 does not occur whole in 15, 5.5 or 5,000.
    """
    old, new = change
    whole = rf"(?<!\w)(?<!\d[.,/]){re.escape(old)}(?!\w|[.,/]\d)"
    return re.sub(whole, lambda _: new, text)


def _names_in(text: str) -> list[str]:
    names = (_POSSESSIVE.sub("", name) for name in _NAME.findall(text))
    return [name for name in names if name not in _NOT_NAMES]
