"""Versions of software, documents and rules: ``version 2.1``, ``v3``, ``release 22``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from logic_retrievers.cleaning.differences.numerals import CARDINALS, ORDINALS
from logic_retrievers.cleaning.differences.units import UNITS
from logic_retrievers.cleaning.differences.words import STOP, Word, vocabulary

_CUES = vocabulary(
    "version versions release releases firmware revision rev build update v ver patch sdk api "
    "ios android windows macos kernel protocol draft edition editions ed issue interface "
    "generation gen mark mk amendment schema specification spec software app bios driver "
    "beta alpha rc preview"
)
_LETTERED = vocabulary("version revision rev draft edition issue amendment mark mk")
_ROMAN = {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
    "vi": 6,
    "vii": 7,
    "viii": 8,
    "ix": 9,
    "x": 10,
}
_ORDERED = vocabulary("edition revision version generation issue amendment draft release printing")
_ENDINGS = ("st", "nd", "rd", "th")
_COUNTED = vocabulary("% percent per million billion")
_PREFIXED = re.compile(r"v(\d+(?:\.\d+)*)", re.ASCII)
_DOTTED = re.compile(r"\d+(?:\.\d+)+", re.ASCII)
_FIGURES = re.compile(r"\d{1,4}(?:\.\d+)*", re.ASCII)
_LETTER = re.compile(r"[a-z]")
_PARTS = 2


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version; later ones are greater.

    Args:
        parts: ``(2, 1)`` of ``2.1``; a letter counts by its place in the alphabet.
        of: the word before it, so that Python's are not compared with Parsekit's.
    """

    parts: tuple[int, ...]
    of: str = ""

    def later(self, other: Version) -> bool:
        """Whether it is the later one; 2 and 2.0 are the same."""
        most = max(len(self.parts), len(other.parts))
        here, there = (one.parts + (0,) * (most - len(one.parts)) for one in (self, other))
        return here > there


def versions(words: Sequence[Word]) -> Iterator[tuple[int, int, Version]]:
    """First word, one past the last, and the version, in their order."""
    for place, word in enumerate(words):
        before = words[place - 1] if place else None
        cue = before is not None and before.key in _CUES and not word.opens
        if prefixed := _PREFIXED.fullmatch(word.key):
            yield place, place + 1, Version(_parts(prefixed[1]))
        elif cue and before is not None and _FIGURES.fullmatch(word.key):
            yield place - 1, place + 1, Version(_parts(word.key), _of(words, place - 1))
        elif before is not None and cue and _roman(before, word):
            yield place - 1, place + 1, Version((_ROMAN[word.key],))
        elif cue and before is not None and before.key in _LETTERED and _lettered(word):
            yield place - 1, place + 1, Version((ord(word.key) - ord("a") + 1,))
        elif before is not None and before.key in _ORDERED and cue and word.key in CARDINALS:
            yield place - 1, place + 1, Version((int(CARDINALS[word.key]),))
        elif word.key in _ORDERED and not word.opens and (number := _ordinal(words, place - 1)):
            yield number[0], place + 1, Version((number[1],))
        elif _cued_name(words, place):
            yield place - 1, place + 1, Version(_parts(word.key), words[place - 1].key)
        elif _DOTTED.fullmatch(word.key) and (
            word.key.count(".") >= _PARTS or _named(words, place)
        ):
            yield place, place + 1, Version(_parts(word.key), _of(words, place))


def version_of(value: object) -> Version | None:
    """A version in metadata: ``3``, ``"2.1.0"``, ``"v3"``, ``"C"``; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip().casefold().removeprefix("version").removeprefix("rev").strip(" .")
    text = text.removeprefix("v")
    if _FIGURES.fullmatch(text):
        return Version(_parts(text))
    return Version((ord(text) - ord("a") + 1,)) if _LETTER.fullmatch(text) else None


def _cued_name(words: Sequence[Word], place: int) -> bool:
    """``firmware Falcon 6``: figures behind a name that stands behind a cue."""
    if place < _PARTS or words[place].opens or not _FIGURES.fullmatch(words[place].key):
        return False
    name, cue = words[place - 1], words[place - _PARTS]
    return cue.key in _CUES and name.text[0].isupper() and not name.opens and name.text.isalpha()


def _ordinal(words: Sequence[Word], place: int) -> tuple[int, int] | None:
    """First word and value of ``third`` or ``3rd`` that ends at a word."""
    if place < 0:
        return None
    key = words[place].key
    if key in ORDINALS:
        return place, int(ORDINALS[key])
    if key in _ENDINGS and place and words[place - 1].key.isdecimal():
        return place - 1, int(words[place - 1].key)
    return None


def _roman(before: Word, word: Word) -> bool:
    """A Roman number; a single letter is one only behind a mark, as in ``Mk I``."""
    if not word.text.isupper() or word.key not in _ROMAN:
        return False
    return len(word.key) > 1 or before.key in ("mk", "mark")


def _lettered(word: Word) -> bool:
    return len(word.text) == 1 and word.text.isupper() and word.text.isascii()


def _named(words: Sequence[Word], place: int) -> bool:
    """``Python 3.7``: a name stands before it and no unit or noun that it counts behind it."""
    before = words[place - 1] if place else None
    after = words[place + 1] if place + 1 < len(words) else None
    name = before is not None and before.text[0].isupper() and before.text[-1].isalnum()
    counts = after is not None and (after.key in _COUNTED or after.key in UNITS)
    if before is not None and words[place].start - before.end > 1:
        return False  # "Cable: 2.40 euros"
    return name and not words[place].opens and not counts and not (before and before.key == "at")


def _of(words: Sequence[Word], place: int) -> str:
    """The name before a version; a mere cue names nothing."""
    if not place or words[place].opens:
        return ""
    before = words[place - 1]
    named = before.text[0].isupper() and before.key not in _CUES and before.key not in STOP
    return before.key if named else ""


def _parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
