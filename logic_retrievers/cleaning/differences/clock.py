"""Times of day: ``11.30 am``, ``2 pm``, ``14:00``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.cleaning.differences.numerals import SCALES
from logic_retrievers.cleaning.differences.units import UNITS
from logic_retrievers.cleaning.differences.words import Word, key_at, vocabulary

_HOUR = re.compile(r"[01]?\d|2[0-4]", re.ASCII)
_MINUTES = re.compile(r"[0-5]\d", re.ASCII)
_DOTTED = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d", re.ASCII)
_BEFORE = vocabulary("at from to until till and between by before after around")
_NOON = 12


def clock(words: Sequence[Word], first: int) -> tuple[int, float] | None:
    """One past the last word of a time of day that begins at a word, and its minutes; None: none.

    ``14.00`` is one behind a word such as ``at``, where no unit follows.
    """
    hour = key_at(words, first)
    last, minutes = first + 1, "0"
    if _DOTTED.fullmatch(hour):
        hour, _, minutes = hour.partition(".")
        sure = key_at(words, first - 1) in _BEFORE and not _counted(words, last)
    elif _HOUR.fullmatch(hour):
        sure = _with_colon(words, last)
        if sure:
            minutes, last = words[last].key, last + 1
    else:
        return None
    half = _half(words, last)
    if not half and not sure:
        return None
    late = half.startswith("p") and int(hour) < _NOON
    early = half.startswith("a") and int(hour) == _NOON
    value = (int(hour) + _NOON * late - _NOON * early) * 60.0 + int(minutes)
    return last + len(half.split()), value


def _with_colon(words: Sequence[Word], place: int) -> bool:
    if place >= len(words) or not _MINUTES.fullmatch(words[place].key):
        return False
    return words[place].start - words[place - 1].end == 1


def _counted(words: Sequence[Word], place: int) -> bool:
    after = key_at(words, place)
    return after in UNITS or after in SCALES or after == "per"


def _half(words: Sequence[Word], place: int) -> str:
    """``am``, ``pm``, ``a m``, ``p m`` behind the figures, or nothing."""
    key = key_at(words, place)
    if key in ("am", "pm"):
        return key
    return f"{key} m" if key in ("a", "p") and key_at(words, place + 1) == "m" else ""
