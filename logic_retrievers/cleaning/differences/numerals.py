"""Numbers without units, in figures and words: ``1,200``, ``twelve``, ``third``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from logic_retrievers.cleaning.differences.lexicon import LEXICON
from logic_retrievers.cleaning.differences.tokens import Token, key_at

CARDINALS: Mapping[str, int] = LEXICON["maps"]["cardinals"]
_TENS: Mapping[str, int] = LEXICON["maps"]["tens"]
_BELOW_HUNDRED = CARDINALS.keys() | _TENS.keys()
MULTIPLIERS: Mapping[str, int] = LEXICON["maps"]["multipliers"]
ORDINALS: Mapping[str, int] = LEXICON["maps"]["ordinals"]

_FIGURES = re.compile(r"-?\d+(?:[.,]\d+)*", re.ASCII)
_GROUPED_FIGURES = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)

ParsedNumber = tuple[int, float]
"""Index behind the last token of a number, and its value."""


def parse_number(tokens: Sequence[Token], index: int) -> ParsedNumber | None:
    """The number that begins at a token; None where none does."""
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
    """``twelve hundred``, ``two hundred and fifty``."""
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
