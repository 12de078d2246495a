"""Versions of software, documents and rules: ``version 2.1``, ``v3``, ``release 22``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.numerals import CARDINALS, ORDINALS
from logic_retrievers.cleaning.differences.quantities import UNITS
from logic_retrievers.cleaning.differences.tokens import Token

_CUES = listed_words("version_cues")
_LETTER_CUES = listed_words("version_letter_cues")
_ORDINAL_CUES = listed_words("version_ordinal_cues")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
_COUNTS = listed_words("version_counts")
_PREFIXED = re.compile(r"v(\d+(?:\.\d+)*)", re.ASCII)
_DOTTED = re.compile(r"\d+(?:\.\d+)+", re.ASCII)
_FIGURES = re.compile(r"\d{1,4}(?:\.\d+)*", re.ASCII)
_LETTER = re.compile(r"[a-z]")
_CAPITAL = re.compile(r"[A-Z]")


@dataclass(frozen=True, slots=True)
class Version:
    """A version; later ones are greater.

    Args:
        parts: ``(2, 1)`` of ``2.1``; a letter counts by its place in the alphabet.
    """

    parts: tuple[int, ...]

    def is_later(self, other: Version) -> bool:
        """Whether it is the later one; 2 and 2.0 are the same."""
        left, right = zip(*zip_longest(self.parts, other.parts, fillvalue=0), strict=True)
        return left > right


def find_versions(tokens: Sequence[Token]) -> Iterator[tuple[int, int, Version]]:
    """First token, index behind the last, and the version, in their order."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        cue = before if before and before.key in _CUES and not token.opens_sentence else None
        if prefixed := _PREFIXED.fullmatch(token.key):
            yield index, index + 1, Version(_parse_parts(prefixed[1]))
        elif cue and _FIGURES.fullmatch(token.key):
            yield index - 1, index + 1, Version(_parse_parts(token.key))
        elif cue and cue.key in _LETTER_CUES and _CAPITAL.fullmatch(token.text):
            yield index - 1, index + 1, Version((ord(token.key) - ord("a") + 1,))
        elif cue and cue.key in _ORDINAL_CUES and token.key in CARDINALS:
            yield index - 1, index + 1, Version((int(CARDINALS[token.key]),))
        elif (
            token.key in _ORDINAL_CUES
            and not token.opens_sentence
            and (ordinal := _ordinal_ending_at(tokens, index - 1))
        ):
            yield ordinal[0], index + 1, Version((ordinal[1],))
        elif _DOTTED.fullmatch(token.key) and (
            token.key.count(".") > 1 or _follows_product(tokens, index)
        ):
            yield index, index + 1, Version(_parse_parts(token.key))


def parse_version(value: object) -> Version | None:
    """A version in metadata: ``3``, ``"2.1.0"``, ``"v3"``, ``"C"``; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip().casefold().removeprefix("version").removeprefix("rev").strip(" .")
    text = text.removeprefix("v")
    if _FIGURES.fullmatch(text):
        return Version(_parse_parts(text))
    return Version((ord(text) - ord("a") + 1,)) if _LETTER.fullmatch(text) else None


def _ordinal_ending_at(tokens: Sequence[Token], index: int) -> tuple[int, int] | None:
    """First token and value of ``third`` or ``3rd``, if its last token is at the index."""
    if index < 0:
        return None
    key = tokens[index].key
    if key in ORDINALS:
        return index, int(ORDINALS[key])
    if key in _ORDINAL_ENDINGS and index and tokens[index - 1].key.isdecimal():
        return index - 1, int(tokens[index - 1].key)
    return None


def _follows_product(tokens: Sequence[Token], index: int) -> bool:
    """``Python 3.7``: a name stands before it, and no unit or counted noun behind it."""
    before = tokens[index - 1] if index else None
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if before is None or before.key == "at" or tokens[index].opens_sentence:
        return False
    if tokens[index].start_char - before.end_char > 1:
        return False  # "Cable: 2.40 euros"
    is_name = before.text[0].isupper() and before.text[-1].isalnum()
    return is_name and not (after and (after.key in _COUNTS or after.key in UNITS))


def _parse_parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
