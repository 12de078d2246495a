"""A text as words with their places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

MOST_CHARACTERS = 20_000
"""What stands behind them is not read: some 3,000 words are more than a passage has."""

_WORD = re.compile(
    r"(?<![\w.,])[-\u2212]?\d+(?:[.,]\d+)*"  # -5, 1,200.50, 2.1.0
    r"|\d+(?:[.,]\d+)*"
    r"|[^\W\d]\w*(?:['\u2019]\w+)*(?:(?<=\d)(?:[.-]\w*\d)+|-\d\w*)?"  # don't, X200, XR-500, v3.2
    r"|[%\u2030\u00b0$\u20ac\u00a3\u00a5<>\u2264\u2265\u00b1\u00bd\u00bc\u00be]"
)
_FRACTIONS = "\u00bd\u00bc\u00be"
_SENTENCE = re.compile(r"[.!?;\n\u3002]")
_LEAST_STEM = 3


def vocabulary(words: str) -> frozenset[str]:
    """Words that are written one behind the other."""
    return frozenset(words.split())


STOP = vocabulary(
    """
    a an the of in on at to for from by with and or but is are was were be been being it its
    this that these those as their they them which who whom whose his her he she i me my we you
    your our us not no can could may might must will would should shall do does did done has have
    had having than then there here also too into onto over under up out about after before when
    while if so such only more most very any each every all both either neither nor one ones other
    another some what where how why just even still per via within during through between same own
    s t d m rd th st nd
    """
)
"""Words that say nothing of what a text is about."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text.

    Args:
        key: how it is compared: lower case, plain apostrophes, compatible forms of letters joined.
        text: as it is written.
        start, end: its characters.
        opens: whether it is the first of its sentence.
    """

    key: str
    text: str
    start: int
    end: int
    opens: bool

    @property
    def content(self) -> bool:
        """Whether it says what a text is about."""
        return self.key not in STOP and self.key[0].isalnum()


def words_of(text: str) -> tuple[Word, ...]:
    """The words of the first :data:`MOST_CHARACTERS` characters, signs such as ``%`` among them."""
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text[:MOST_CHARACTERS]):
        opens = not found or _SENTENCE.search(text, end, match.start()) is not None
        end = match.end()
        found.append(Word(key_of(match[0]), match[0], match.start(), end, opens))
    return tuple(found)


def same_words(one: str, other: str) -> bool:
    """Whether two texts of any length differ by case, punctuation and white space at most."""
    left, right = _WORD.finditer(one), _WORD.finditer(other)
    for here in left:
        there = next(right, None)
        if there is None or key_of(here[0]) != key_of(there[0]):
            return False
    return next(right, None) is None


def key_at(words: Sequence[Word], place: int) -> str:
    """The key of a word; nothing before the first and behind the last."""
    return words[place].key if 0 <= place < len(words) else ""


def key_of(word: str) -> str:
    """How a word is compared with others."""
    joined = word.isascii() or word in _FRACTIONS
    plain = word if joined else unicodedata.normalize("NFKC", word)
    return plain.replace("\u2019", "'").replace("\u2212", "-").casefold()


def stem(key: str) -> str:
    """A key without the endings that a word has in one sentence and not in the next."""
    key = key.removesuffix("'s").replace("'", "")
    for ending, instead in (
        ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""),
        ("e", ""),
    ):  # fmt: skip
        if (
            key.endswith(ending)
            and not key.endswith("ss")
            and len(key) - len(ending) >= _LEAST_STEM
        ):
            return key[: len(key) - len(ending)] + instead
    return key
