"""Numbers without units, in figures and words: ``1,200``, ``twelve``, ``third``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from logic_retrievers.cleaning.differences.lexicon import LEXICON, listed_words
from logic_retrievers.cleaning.differences.tokens import Token, key_at

CARDINALS: Mapping[str, int] = LEXICON["maps"]["cardinals"]
_TENS: Mapping[str, int] = LEXICON["maps"]["tens"]
MULTIPLIERS: Mapping[str, int] = LEXICON["maps"]["multipliers"]
ORDINALS: Mapping[str, int] = LEXICON["maps"]["ordinals"]

_BEFORE_PRONOUN_ONE = listed_words("before_pronoun_one")
_AFTER_PRONOUN_ONE = listed_words("after_pronoun_one")
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
    """``twelve hundred``, ``two hundred and fifty``."""
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
    return (index, total + group) if index > start else None


def _joins_number_words(tokens: Sequence[Token], index: int) -> bool:
    """Whether an "and" stands inside a number: ``two hundred and fifty``."""
    following = key_at(tokens, index + 1)
    return key_at(tokens, index - 1) in MULTIPLIERS and (
        following in CARDINALS or following in _TENS
    )


def _is_counting_one(tokens: Sequence[Token], index: int) -> bool:
    """Whether ``one`` is a number and no pronoun."""
    preceding, following = key_at(tokens, index - 1), key_at(tokens, index + 1)
    return (
        following[:1].isalnum()
        and following not in _AFTER_PRONOUN_ONE
        and preceding not in _BEFORE_PRONOUN_ONE
    )
