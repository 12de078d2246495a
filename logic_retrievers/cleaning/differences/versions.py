"""Versions of software, documents and rules: ``version 2.1``, ``v3``, ``release 22``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.numerals import ORDINALS
from logic_retrievers.cleaning.differences.quantities import UNITS
from logic_retrievers.cleaning.differences.tokens import Token, key_at

_CUES = listed_words("version_cues")
_ORDINAL_ENDINGS = ("st", "nd", "rd", "th")
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
        is_named = index > 0 and tokens[index - 1].key in _CUES
        if prefixed := _PREFIXED.fullmatch(token.key):
            yield index, index + 1, Version(_parse_parts(prefixed[1]))
        elif is_named and _FIGURES.fullmatch(token.key):
            yield index - 1, index + 1, Version(_parse_parts(token.key))
        elif is_named and _CAPITAL.fullmatch(token.text):
            yield index - 1, index + 1, Version((ord(token.key) - ord("a") + 1,))
        elif token.key in _CUES and (ordinal := _ordinal_ending_at(tokens, index - 1)):
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
    key, figures = key_at(tokens, index), key_at(tokens, index - 1)
    if key in ORDINALS:
        return index, ORDINALS[key]
    return (index - 1, int(figures)) if key in _ORDINAL_ENDINGS and figures.isdecimal() else None


def _follows_product(tokens: Sequence[Token], index: int) -> bool:
    """``Python 3.7``: a name stands before it, and no unit behind it."""
    if index == 0 or tokens[index].opens_sentence or key_at(tokens, index + 1) in UNITS:
        return False
    name = tokens[index - 1].text
    return name[0].isupper() and name[-1].isalnum()


def _parse_parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
