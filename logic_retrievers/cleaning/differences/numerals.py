"""Numbers without units, in figures, words and fractions: ``1,200``, ``twelve``, ``1/3``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.cleaning.differences.lexicon import word_set
from logic_retrievers.cleaning.differences.tokens import Token, key_at

_BELOW_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
CARDINALS = {word: number for number, word in enumerate(_BELOW_TWENTY.split())}
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
MULTIPLIERS = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
    "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
    "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
}  # fmt: skip
_FRACTION_SIGNS = {"\u00bd": 0.5, "\u00bc": 0.25, "\u00be": 0.75}
_FRACTIONS = {
    "half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, **_FRACTION_SIGNS,
}  # fmt: skip
_MAX_NUMERATOR = 10
_FREQUENCIES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}

_BEFORE_PRONOUN_ONE = word_set("the this that each every no any some which longer another by")
_AFTER_PRONOUN_ONE = word_set("of or and that who which can may is are has another s day more")
"""Words beside a "one" that is a pronoun and no number."""

_FIGURES = re.compile(r"-?\d+(?:[.,]\d+)*", re.ASCII)
_GROUPED_FIGURES = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_MAX_FIGURES = 30
"""Longer strings of figures are keys or checksums."""

ParsedNumber = tuple[int, float]
"""Index behind the last token of a number, and its value."""


def parse_number(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """The number that begins at a token; None where none does."""
    key = key_at(tokens, index)
    if _FIGURES.fullmatch(key) and len(key) <= _MAX_FIGURES:
        return _parse_figures(tokens, index, key)
    return _parse_number_words(tokens, index) or _parse_single_word(tokens, index)


def _figures_value(key: str) -> float | None:
    """The value of figures; None where they are no number, as in ``1.2.3``."""
    if _GROUPED_FIGURES.fullmatch(key):
        return float(key.replace(",", ""))
    if key.count(".") + key.count(",") > 1:
        return None
    return float(key.replace(",", "."))


def _parse_figures(tokens: Sequence[Token], index: int, key: str) -> ParsedNumber | None:
    value = _figures_value(key)
    if value is None:
        return None
    following = key_at(tokens, index + 1)
    if following in MULTIPLIERS:
        return index + 2, value * MULTIPLIERS[following]
    if _is_fraction(tokens, index) and float(following):
        return index + 2, value / float(following)
    return index + 1, value


def _is_fraction(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token is the numerator of ``1/3``; the sign itself is no token."""
    if index + 1 >= len(tokens) or not _FIGURES.fullmatch(tokens[index + 1].key):
        return False
    token, following = tokens[index], tokens[index + 1]
    adjacent = following.start_char - token.end_char == 1
    return adjacent and len(token.key) == len(following.key) == 1


def _parse_number_words(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """``twelve hundred``, ``two hundred and fifty``, ``three quarters``."""
    start, total, group = index, 0.0, 0.0
    while index < len(tokens):
        key, begun = tokens[index].key, index > start
        if key in CARDINALS and (not begun or group % 10 == 0):
            if key == "one" and not begun and not _is_counting_one(tokens, index):
                return None
            group += CARDINALS[key]
        elif key in _TENS and (not begun or group % 100 == 0):
            group += _TENS[key]
        elif key in MULTIPLIERS and (begun or key == "dozen" or key_at(tokens, index - 1) == "a"):
            group = max(group, 1.0) * MULTIPLIERS[key]
            if MULTIPLIERS[key] >= MULTIPLIERS["thousand"]:
                total, group = total + group, 0.0
        elif not (key == "and" and begun and _joins_number_words(tokens, index)):
            break
        index += 1
    if index == start:
        return None
    value = total + group
    if key_at(tokens, index) in _FRACTIONS and value < _MAX_NUMERATOR:
        return index + 1, value * _FRACTIONS[tokens[index].key]
    return index, value


def _joins_number_words(tokens: Sequence[Token], index: int) -> bool:
    """Whether an "and" stands inside a number: ``two hundred and fifty``."""
    following = key_at(tokens, index + 1)
    return key_at(tokens, index - 1) in MULTIPLIERS and (
        following in CARDINALS or following in _TENS
    )


def _parse_single_word(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """``twice``, ``half``, ``a third``, ``the third``."""
    key = key_at(tokens, index)
    if key in _FREQUENCIES:
        return index + 1, _FREQUENCIES[key]
    after_article = key_at(tokens, index - 1) == "a"
    if key in _FRACTIONS and (key == "half" or key in _FRACTION_SIGNS or after_article):
        return index + 1, _FRACTIONS[key]
    return (index + 1, float(ORDINALS[key])) if key in ORDINALS else None


def _is_counting_one(tokens: Sequence[Token], index: int) -> bool:
    """Whether ``one`` is a number and no pronoun."""
    preceding, following = key_at(tokens, index - 1), key_at(tokens, index + 1)
    return (
        following[:1].isalnum()
        and following not in _AFTER_PRONOUN_ONE
        and preceding not in _BEFORE_PRONOUN_ONE
    )
