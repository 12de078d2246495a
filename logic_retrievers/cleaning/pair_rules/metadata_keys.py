"""Metadata keys: their words, what kind of thing they name, and the values under them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.types import Passage

_KEY_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TIME_WORDS = listed_words("time_keys")
_VERSION_WORDS = listed_words("version_key_words")
_TEXT_WORDS = listed_words("text_keys")
_VAGUE_WORDS = listed_words("vague_key_words")
_MAX_DEPTH = 3


@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """The words of a key: ``reportingPeriod`` and ``reporting_period`` have the same two."""
    return tuple(word.casefold() for word in _KEY_WORD.findall(key.rsplit(".", 1)[-1]))


@lru_cache(maxsize=4096)
def normalize_key(key: str) -> str:
    """A key in lower case without separators: ``fiscalYear`` and ``fiscal_year`` are the same."""
    return re.sub(r"[\W_]+", "", key.rsplit(".", 1)[-1]).casefold()


def is_time_key(key: str) -> bool:
    """Whether a key names when a text was written, read or in force: ``crawl_date``."""
    return not _TIME_WORDS.isdisjoint(key_words(key))


def is_version_key(key: str) -> bool:
    """Whether a key names a version: ``doc_version``, ``releaseNo``."""
    return not _VERSION_WORDS.isdisjoint(key_words(key))


def is_text_key(key: str) -> bool:
    """Whether a key names something of the text itself, or its author: ``source_type``."""
    words = key_words(key)
    return not _TEXT_WORDS.isdisjoint(words) or _VAGUE_WORDS.issuperset(words)


def nested_items(metadata: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Keys and values of metadata and of the mappings inside it."""
    for key, value in metadata.items():
        if isinstance(value, Mapping) and depth < _MAX_DEPTH:
            yield from nested_items(value, depth + 1)
        else:
            yield str(key), value


def normalized_items(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Normalized key -> value, nested ones too."""
    return {normalize_key(key): value for key, value in nested_items(metadata)}


def shared_items(left: Passage, right: Passage) -> Iterator[tuple[str, Any, Any]]:
    """Keys that both passages have, with both values, in alphabetical order."""
    right_values = normalized_items(right.metadata)
    for key, value in sorted(nested_items(left.metadata), key=lambda item: normalize_key(item[0])):
        if normalize_key(key) in right_values:
            yield key, value, right_values[normalize_key(key)]
