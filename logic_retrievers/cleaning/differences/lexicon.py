"""The word lists of ``lexicon.toml``, which is read once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

LEXICON: Mapping[str, Any] = tomllib.loads(
    files("logic_retrievers.cleaning.differences").joinpath("lexicon.toml").read_text("utf-8")
)
"""``antonyms``, ``words``, ``axes``, ``units`` and ``currencies``, described in the file."""


def listed_words(name: str) -> frozenset[str]:
    """A list of the table ``words``."""
    return frozenset(LEXICON["words"][name].split())


def word_set(words: str) -> frozenset[str]:
    """A set of words that are written with white space between them."""
    return frozenset(words.split())


def phrase_pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table ``phrases``, with the patterns that it names put in."""
    phrases = {key: "".join(pieces) for key, pieces in LEXICON["phrases"].items()}
    pattern = phrases[name]
    while (filled := _NAMED.sub(lambda match: phrases[match[1]], pattern)) != pattern:
        pattern = filled
    return re.compile(pattern, re.IGNORECASE)


_NAMED = re.compile(r"\{([A-Z]+)\}")
