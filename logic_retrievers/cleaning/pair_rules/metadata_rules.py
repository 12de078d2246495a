"""Rules by the metadata of two passages: another scope, another category, a newer version."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.versions import Version, parse_version
from logic_retrievers.cleaning.pair_rules.metadata_keys import (
    is_text_key,
    is_time_key,
    is_version_key,
    key_words,
    normalize_key,
    normalized_items,
    shared_items,
)
from logic_retrievers.cleaning.pair_rules.other_scope import are_related
from logic_retrievers.cleaning.pair_rules.passage_pair import PassagePair
from logic_retrievers.cleaning.pair_rules.sentence_parts import shortened
from logic_retrievers.cleaning.result import Side
from logic_retrievers.contradiction.metadata_dates import is_later, parse_date
from logic_retrievers.contradiction.resolution_strategies import metadata_value, passage_source
from logic_retrievers.types import Passage

_Parsed = TypeVar("_Parsed")

KeyValues = tuple[str, Any, Any]
"""A key and the values of both passages under it."""

_DOCUMENT_KEYS = listed_words("document_keys")
_TITLE_WORDS = listed_words("title_key_words")
_CATEGORY_NAME = re.compile(r"(?!.*(?:[/\\@]|\d{3}))(?=.*[^\W\d]{2}).{1,40}")
_MAX_NAME_WORDS = 5
_UNIVERSAL = listed_words("universal")
_MIN_COSINE_CATEGORY = 0.75


def find_metadata_scope(pair: PassagePair) -> str:
    """A scope key of the metadata that differs, while the texts differ too.

    ``{"country": "ES"}`` and ``{"country": "IE"}``: "16 weeks of leave", "10 weeks of leave".
    """
    if not are_related(pair):
        return ""
    difference = _differing_scope(pair.left, pair.right, pair.scope_keys)
    return "" if difference is None else _key_reason(difference)


def find_metadata_category(pair: PassagePair) -> str:
    """A key of any name that differs in the name of a category, over nearly the same text.

    ``{"dept": "Forestry"}`` and ``{"dept": "Fisheries"}``.
    """
    if not pair.scope_keys or pair.cosine < _MIN_COSINE_CATEGORY or not are_related(pair):
        return ""
    for key, left, right in _keys_about_content(pair.left, pair.right):
        if _is_category(left) and _is_category(right) and _are_disjoint(left, right):
            return _key_reason((key, left, right))
    return ""


def newer_by_metadata(pair: PassagePair) -> tuple[Side, KeyValues] | None:
    """Which of two passages of one document is the newer, and the key that says so."""
    return later_by_metadata(pair) if _is_same_document(pair) else None


def later_by_metadata(pair: PassagePair) -> tuple[Side, KeyValues] | None:
    """Which of two passages has the later date or version, and the key that says so."""
    left, right = pair.left, pair.right
    key = pair.date_key
    values = metadata_value(left.metadata, key), metadata_value(right.metadata, key)
    if side := _later_side(values, parse_date, is_later):
        return side, (key, *values)
    for key, left_value, right_value in shared_items(left, right):
        values = left_value, right_value
        if is_time_key(key) and (side := _later_side(values, parse_date, is_later)):
            return side, (key, *values)
        if is_version_key(key) and (side := _later_side(values, parse_version, Version.is_later)):
            return side, (key, *values)
    return None


def _key_reason(difference: KeyValues) -> str:
    key, left, right = difference
    return f"the {key} of one is {shortened(str(left))}, of the other {shortened(str(right))}"


def _differing_scope(left: Passage, right: Passage, keys: Sequence[str]) -> KeyValues | None:
    """The first scope key that both have and that differs.

    ``fiscalYear``, ``fiscal_year`` and ``Fiscal year`` are one key, nested or not.
    """
    left_items, right_items = normalized_items(left.metadata), normalized_items(right.metadata)
    for key in keys:
        left_value, right_value = (metadata_value(p.metadata, key) for p in (left, right))
        if left_value is None and right_value is None:
            left_value = left_items.get(normalize_key(key))
            right_value = right_items.get(normalize_key(key))
        if _are_disjoint(left_value, right_value):
            return key, left_value, right_value
    scope_words = {key_words(key) for key in keys}
    for key, left_value, right_value in _keys_about_content(left, right):
        # the last word is a scope key: school_year, rank_group
        if key_words(key)[-1:] in scope_words and _are_disjoint(left_value, right_value):
            return key, left_value, right_value
    return None


def _keys_about_content(left: Passage, right: Passage) -> Iterator[KeyValues]:
    """Shared keys that name nothing of the text itself, no time and no version."""
    for key, left_value, right_value in shared_items(left, right):
        if not (is_text_key(key) or is_time_key(key) or is_version_key(key)):
            yield key, left_value, right_value


def _is_same_document(pair: PassagePair) -> bool:
    """Whether both come from one source, or under one title."""
    left, right = pair.left, pair.right
    pairs = [(passage_source(left, pair.source_key), passage_source(right, pair.source_key))]
    pairs += [
        (left_value, right_value)
        for key, left_value, right_value in shared_items(left, right)
        if key in _DOCUMENT_KEYS or not _TITLE_WORDS.isdisjoint(key_words(key))
    ]
    return any(
        _has_value(left_value) and left_value == right_value for left_value, right_value in pairs
    )


def _later_side(
    values: tuple[Any, Any],
    parse: Callable[[Any], _Parsed | None],
    is_later: Callable[[_Parsed, _Parsed], bool],
) -> Side | None:
    """Which of two values is the later date or version; None where neither certainly is."""
    left, right = parse(values[0]), parse(values[1])
    if left is None or right is None:
        return None
    if is_later(left, right):
        return "one"
    return "other" if is_later(right, left) else None


def _is_category(value: Any) -> bool:
    """Whether a value may name a category: a few words, no path, no long number, no date."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_category, value))
    if not isinstance(value, str) or not _CATEGORY_NAME.fullmatch(value.strip()):
        return False
    return len(value.split()) <= _MAX_NAME_WORDS and parse_date(value) is None


def _has_value(value: Any) -> bool:
    return isinstance(value, str | int | float | list | tuple) and value not in ("", [], ())


def _are_disjoint(left: Any, right: Any) -> bool:
    """Whether two scopes have nothing in common; "all" has something in common with each."""
    if not _has_value(left) or not _has_value(right):
        return False
    left_values, right_values = _value_set(left), _value_set(right)
    return left_values.isdisjoint(right_values) and _UNIVERSAL.isdisjoint(
        left_values | right_values
    )


def _value_set(value: Any) -> set[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return {
        str(int(v) if isinstance(v, float) and v.is_integer() else v).strip().casefold()
        for v in values
    }
