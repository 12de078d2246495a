"""What the metadata of two passages says about their scopes and versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from logic_retrievers.cleaning.differences.versions import version_of
from logic_retrievers.cleaning.differences.words import vocabulary
from logic_retrievers.contradiction.rules.base import source_of, value_at
from logic_retrievers.contradiction.rules.moments import is_later, moment_of
from logic_retrievers.types import Passage

Side: TypeAlias = Literal["one", "other"]

TIMES = frozenset({"year", "fiscalyear", "quarter", "period", "season", "month", "term"})
"""Scope keys, as :func:`plain` has them, that tell a time."""

_VERSIONS = (
    "version", "revision", "rev", "release", "edition", "issue", "build", "draft", "firmware",
    "amendment", "generation",
)  # fmt: skip
_DATES = (
    "date", "updated", "updated_at", "last_updated", "modified", "modified_at", "last_modified",
    "revised", "last_revised", "reviewed", "last_reviewed", "effective", "effective_date",
    "effective_from", "valid_from", "valid_since", "in_force", "in_force_since", "as_of", "status",
    "published", "published_at", "publication_date", "issued", "issue_date", "created",
    "created_at", "crawled", "retrieved", "accessed", "posted", "printed", "timestamp", "stand",
    "valid_until", "valid_to", "expires",
)  # fmt: skip
_DOCUMENTS = (
    "title", "document", "doc", "doc_id", "file", "filename", "path", "url", "uri", "page", "name",
    "policy", "leaflet", "sheet", "manual", "handbook", "guide", "form", "article", "entry", "id",
    "section", "notice", "slug", "key",
)  # fmt: skip
_ALL = vocabulary(
    "all any every everyone everybody everywhere global worldwide general universal both various"
)
_DEEP = 3


def differing_scope(
    one: Passage, other: Passage, keys: Sequence[str]
) -> tuple[str, Any, Any] | None:
    """The first scope key that both have and that differs, with both values.

    ``fiscalYear``, ``fiscal_year`` and ``Fiscal year`` are one key, nested or not.
    """
    here, there = dict(_leaves(one.metadata)), dict(_leaves(other.metadata))
    if not here or not there:
        return None
    for key in keys:
        mine, theirs = value_at(one.metadata, key), value_at(other.metadata, key)
        if mine is None and theirs is None:
            mine, theirs = (_leaf(leaves, plain(key)) for leaves in (here, there))
        if _told(mine) and _told(theirs) and _apart(_values(mine), _values(theirs)):
            return key, mine, theirs
    return None


def newer_by_metadata(
    one: Passage, other: Passage, date_key: str, source_key: str
) -> tuple[Side, str, Any, Any] | None:
    """Which of two of one document is the newer version, the key that says so, and both values."""
    if not same_document(one, other, source_key):
        return None
    for key in (date_key, *_DATES):
        mine, theirs = value_at(one.metadata, key), value_at(other.metadata, key)
        here, there = moment_of(mine), moment_of(theirs)
        if here is not None and there is not None:
            if is_later(here, there):
                return "one", key, mine, theirs
            if is_later(there, here):
                return "other", key, mine, theirs
    for key in _VERSIONS:
        mine, theirs = value_at(one.metadata, key), value_at(other.metadata, key)
        first, second = version_of(mine), version_of(theirs)
        if first is not None and second is not None:
            if first.later(second):
                return "one", key, mine, theirs
            if second.later(first):
                return "other", key, mine, theirs
    return None


def same_document(one: Passage, other: Passage, source_key: str) -> bool:
    """Whether both come from one source, or one title stands over both."""
    here, there = source_of(one, source_key), source_of(other, source_key)
    if _told(here) and here == there:
        return True
    return any(
        _told(value := value_at(one.metadata, key)) and value == value_at(other.metadata, key)
        for key in _DOCUMENTS
    )


@lru_cache(maxsize=4096)
def plain(key: str) -> str:
    """A key without its manner of writing."""
    return re.sub(r"[\W_]+", "", key.rsplit(".", 1)[-1]).casefold()


def _leaves(metadata: Mapping[str, Any], depth: int = 1) -> Iterator[tuple[str, Any]]:
    for key, value in metadata.items():
        if isinstance(value, Mapping) and depth < _DEEP:
            yield from _leaves(value, depth + 1)
        else:
            yield plain(str(key)), value


def _told(value: Any) -> bool:
    return isinstance(value, str | int | float | list | tuple) and value not in ("", [], ())


def _leaf(leaves: Mapping[str, Any], key: str) -> Any:
    """The value of a key in the singular or the plural."""
    return leaves.get(key, leaves.get(f"{key}s"))


def _apart(mine: set[str], theirs: set[str]) -> bool:
    """Whether two scopes have nothing in common: "all" has something in common with each."""
    return mine.isdisjoint(theirs) and _ALL.isdisjoint(mine | theirs)


def _values(value: Any) -> set[str]:
    return set(map(_value, value)) if isinstance(value, list | tuple) else {_value(value)}


def _value(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()
