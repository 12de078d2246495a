"""Rules by the metadata of two passages: another scope, another category, a newer version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from logic_retrievers.cleaning.differences.dates import Version, parse_version
from logic_retrievers.cleaning.differences.tokens import listed_words
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair, later_side, shortened
from logic_retrievers.cleaning.result import Side
from logic_retrievers.contradiction.resolution_strategies import metadata_value, passage_source
from logic_retrievers.dates import is_later, parse_date
from logic_retrievers.text import comparable

_Parsed = TypeVar("_Parsed")

_KEY_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TIME_WORDS = listed_words("time_keys")
_VERSION_WORDS = listed_words("version_key_words")
_TEXT_WORDS = listed_words("text_keys")
_VAGUE_WORDS = listed_words("vague_key_words")
_MAX_DEPTH = 3
_MIN_OVERLAP_DOCUMENT = 0.1
_DOCUMENT_KEYS = listed_words("document_keys")
_TITLE_WORDS = listed_words("title_key_words")
_CATEGORY_NAME = re.compile(r"(?!.*(?:[/\\@]|\d{3}))(?=.*[^\W\d]{2}).{1,40}")
_UNIVERSAL = listed_words("universal")
_MIN_COSINE_CATEGORY = 0.75


class KeyValues(NamedTuple):
    """A key of the metadata and the values of both passages under it."""

    key: str
    left: Any
    right: Any


def find_metadata_scope(pair: PassagePair) -> str:
    """Find a scope key of the metadata that differs, for related texts.

    ``{"country": "ES"}`` and ``{"country": "IE"}``: "16 weeks of leave", "10 weeks of leave".
    """
    difference = _differing_scope(pair) if pair.is_related else None
    return "" if difference is None else _key_reason(difference)


def find_metadata_category(pair: PassagePair) -> str:
    """Find a key of any name that has two category names, for texts that are nearly the same.

    ``{"dept": "Forestry"}`` and ``{"dept": "Fisheries"}``.
    """
    if not pair.scope_keys or pair.cosine < _MIN_COSINE_CATEGORY:
        return ""
    for item in _keys_about_content(pair):
        if _is_category(item.left) and _is_category(item.right) and _are_disjoint(item):
            return _key_reason(item)
    return ""


def find_newer_by_metadata(pair: PassagePair) -> tuple[Side, str] | None:
    """Find the newer passage of one document by a date or version in the metadata.

    ``{"title": "Leave", "version": 3}`` and ``{"title": "Leave", "version": 5}``.
    """
    if pair.overlap < _MIN_OVERLAP_DOCUMENT or not _is_same_document(pair):
        return None
    if (newer := later_by_metadata(pair)) is None:
        return None
    side, (key, left, right) = newer
    return side, f"two versions of one document: the {key} of one is {left}, of the other {right}"


def later_by_metadata(pair: PassagePair) -> tuple[Side, KeyValues] | None:
    """Find which of two passages has the later date or version, and the key that says so."""
    dates = _values_under(pair.date_key, pair)
    if side := _later_side(dates, parse_date, is_later):
        return side, dates
    for item in _shared_items(pair):
        if _names(item.key, _TIME_WORDS) and (side := _later_side(item, parse_date, is_later)):
            return side, item
        by_version = _names(item.key, _VERSION_WORDS)
        if by_version and (side := _later_side(item, parse_version, Version.is_later)):
            return side, item
    return None


def _key_reason(item: KeyValues) -> str:
    left, right = shortened(str(item.left)), shortened(str(item.right))
    return f"the {item.key} of one is {left}, of the other {right}"


def _differing_scope(pair: PassagePair) -> KeyValues | None:
    """Find the first scope key that both have and that differs.

    ``fiscalYear``, ``fiscal_year`` and ``Fiscal year`` are one key, nested or not.
    """
    shared = {_normalize_key(item.key): item for item in _shared_items(pair)}
    for key in pair.scope_keys if shared else ():
        if (name := _normalize_key(key)) in shared or "." in key:
            item = _values_under(key, pair)
            if item.left is None and item.right is None:
                item = shared.get(name, item)
            if _are_disjoint(item):
                return item
    scope_words = {_key_words(key) for key in pair.scope_keys}
    for item in _keys_about_content(pair):
        # the last word is a scope key: school_year, rank_group
        if _key_words(item.key)[-1:] in scope_words and _are_disjoint(item):
            return item
    return None


def _keys_about_content(pair: PassagePair) -> Iterator[KeyValues]:
    """Yield the shared keys that name neither a part of the text nor a time or version."""
    for item in _shared_items(pair):
        is_vague = _VAGUE_WORDS.issuperset(_key_words(item.key))
        if not is_vague and not _names(item.key, _TEXT_WORDS | _TIME_WORDS | _VERSION_WORDS):
            yield item


def _is_same_document(pair: PassagePair) -> bool:
    """Whether both come from one source, or under one title."""
    sources = (passage_source(passage, pair.source_key) for passage in (pair.left, pair.right))
    items = [KeyValues(pair.source_key, *sources)]
    items += [
        item
        for item in _shared_items(pair)
        if item.key in _DOCUMENT_KEYS or _names(item.key, _TITLE_WORDS)
    ]
    return any(_value_set(item.left) and item.left == item.right for item in items)


def _later_side(
    item: KeyValues,
    parse: Callable[[Any], _Parsed | None],
    is_later: Callable[[_Parsed, _Parsed], bool],
) -> Side | None:
    """Return which of two values is the later date or version; None if neither certainly is."""
    left, right = parse(item.left), parse(item.right)
    return None if left is None or right is None else later_side(left, right, is_later)


def _is_category(value: Any) -> bool:
    """Whether a value may name a category: it is short, and no path, long number or date."""
    return isinstance(value, str) and _CATEGORY_NAME.fullmatch(value.strip()) is not None


def _are_disjoint(item: KeyValues) -> bool:
    """Whether two scopes have nothing in common; "all" has something in common with each."""
    left, right = _value_set(item.left), _value_set(item.right)
    return bool(left and right) and left.isdisjoint(right) and _UNIVERSAL.isdisjoint(left | right)


def _value_set(value: Any) -> set[str]:
    """Return the names and numbers in a value or a list of values; empty for anything else."""
    values = value if isinstance(value, list | tuple) else [value]
    return {
        comparable(str(int(v) if isinstance(v, float) and v.is_integer() else v)).strip()
        for v in values
        if isinstance(v, str | int | float)
    } - {""}


@lru_cache(maxsize=4096)
def _key_words(key: str) -> tuple[str, ...]:
    """Return the words of a key: ``reportingPeriod`` and ``reporting_period`` have the same."""
    return tuple(word.casefold() for word in _KEY_WORD.findall(key.rsplit(".", 1)[-1]))


@lru_cache(maxsize=4096)
def _normalize_key(key: str) -> str:
    """Return a key in lower case without separators, the same for ``aKey`` and ``a_key``."""
    return re.sub(r"[\W_]+", "", key.rsplit(".", 1)[-1]).casefold()


def _names(key: str, words: frozenset[str]) -> bool:
    """Whether one of these words is in a key: ``crawl_date`` names a time."""
    return not words.isdisjoint(_key_words(key))


def _nested_items(metadata: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[str, Any]]:
    for key, value in metadata.items():
        if isinstance(value, Mapping) and depth < _MAX_DEPTH:
            yield from _nested_items(value, depth + 1)
        else:
            yield str(key), value


def _values_under(key: str, pair: PassagePair) -> KeyValues:
    """Return the values under the path of a key: ``a.b`` for a nested one."""
    passages = (pair.left, pair.right)
    return KeyValues(key, *(metadata_value(passage.metadata, key) for passage in passages))


def _shared_items(pair: PassagePair) -> Iterator[KeyValues]:
    """Yield the keys that both passages have, nested ones too, in alphabetical order."""
    right = {_normalize_key(key): value for key, value in _nested_items(pair.right.metadata)}
    left = _nested_items(pair.left.metadata)
    for key, value in sorted(left, key=lambda item: _normalize_key(item[0])):
        if (name := _normalize_key(key)) in right:
            yield KeyValues(key, value, right[name])
