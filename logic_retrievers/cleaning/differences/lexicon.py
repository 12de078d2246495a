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
"""Tables and lists that are described in the file."""


def listed_words(name: str) -> frozenset[str]:
    """A list of the table ``words``."""
    return frozenset(LEXICON["words"][name].split())


def phrase_pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table ``phrases``, for letters of either case."""
    return compile_phrase(f"{{{name}}}", re.IGNORECASE)


def compile_phrase(pattern: str, flags: re.RegexFlag) -> re.Pattern[str]:
    """A pattern, with the ones of the table ``phrases`` that it names put in."""
    phrases = {key: "".join(pieces) for key, pieces in LEXICON["phrases"].items()}
    while (filled := _NAMED.sub(lambda match: phrases[match[1]], pattern)) != pattern:
        pattern = filled
    return re.compile(pattern, flags)


_NAMED = re.compile(r"\{([A-Z_]+)\}")
