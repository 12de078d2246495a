"""The word lists of ``lexicon.toml``, and the words of a text with their places in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import zip_longest
from typing import Any

from logic_retrievers.text import INVISIBLE_CLASS, comparable

LEXICON: Mapping[str, Any] = tomllib.loads(
    files("logic_retrievers.cleaning.differences").joinpath("lexicon.toml").read_text("utf-8")
)
# reference to a pattern of the table ``phrases`` inside another pattern
_NAMED = re.compile(r"\{([A-Z_]+)\}")


def listed_words(name: str) -> frozenset[str]:
    """Return a list of the table ``words``."""
    return frozenset(LEXICON["words"][name].split())


def phrase_pattern(name: str) -> re.Pattern[str]:
    """Compile a pattern of the table ``phrases``; it ignores case."""
    return compile_phrase(f"{{{name}}}", re.IGNORECASE)


def compile_phrase(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    """Compile a pattern after putting in the patterns of ``phrases`` that it names."""
    phrases = {key: "".join(pieces) for key, pieces in LEXICON["phrases"].items()}
    while (filled := _NAMED.sub(lambda match: phrases[match[1]], pattern)) != pattern:
        pattern = filled
    return re.compile(pattern, flags)


# characters of a text that are read: some 3,000 words, more than a passage has
MAX_CHARACTERS = 20_000

_TOKEN = re.compile(
    r"(?<![\w.,])[-\u2212]?\d+(?:[.,]\d+)*"  # -5, 1,200.50, 2.1.0
    r"|\d+(?:[.,]\d+)*"
    rf"|[^\W\d][\w{INVISIBLE_CLASS}]*(?:['\u2019]\w+)*"  # don't, X200
    r"(?:(?<=\d)(?:[.-]\w*\d)+|-\d\w*)?"  # XR-500, v3.2
    r"|[%\u2030\u00b0$\u20ac\u00a3\u00a5<>\u2264\u2265\u00b1\u00bd\u00bc\u00be]"
)
_SENTENCE_END = re.compile(r"[.!?;\n\u3002]")

STOPWORDS = listed_words("stopwords")


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, or a sign such as ``%``.

    Args:
        key: its comparable form.
        text: as it is written.
        start_char, end_char: its characters in the text, the end excluded.
        opens_sentence: whether it is the first of its sentence.
    """

    key: str
    text: str
    start_char: int
    end_char: int
    opens_sentence: bool

    @property
    def is_content(self) -> bool:
        """Whether it says what the text is about: no stop word and no sign."""
        return self.key not in STOPWORDS and self.key[:1].isalnum()


def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens in the first :data:`MAX_CHARACTERS` characters."""
    tokens: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text[:MAX_CHARACTERS]):
        opens = not tokens or _SENTENCE_END.search(text, end, match.start()) is not None
        end = match.end()
        tokens.append(Token(comparable(match[0]), match[0], match.start(), end, opens))
    return tuple(tokens)


def have_same_words(left: str, right: str) -> bool:
    """Whether two texts of any length differ in case, punctuation and white space at most."""
    words = zip_longest(_TOKEN.finditer(left), _TOKEN.finditer(right))
    return all(a and b and comparable(a[0]) == comparable(b[0]) for a, b in words)


def key_at(tokens: Sequence[Token], index: int) -> str:
    """Return the key of the token at an index; empty outside the text."""
    return tokens[index].key if 0 <= index < len(tokens) else ""
