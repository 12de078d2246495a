"""Compare the metadata of two passages: a different scope, a newer version."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import isnan
from typing import Any

from logic_retrievers.dates import is_later, parse_date
from logic_retrievers.text import comparable
from logic_retrievers.types import Passage, metadata_value
from logic_retrievers.validity import Validity, are_apart

_VERSION = re.compile(r"(?:version|rev|v)?[ .]*(\d{1,9}(?:\.\d{1,9})*)", re.IGNORECASE)


def find_other_scope(one: Passage, other: Passage, keys: Sequence[str]) -> str:
    """Return how the scopes of two passages differ; empty if they do not.

    With ``{"country": "ES"}`` and ``{"country": "IE"}``, "16 weeks of leave" and "10 weeks of
    leave" do not conflict.
    """
    for key in keys:
        left, right = (_names(metadata_value(p.metadata, key)) for p in (one, other))
        if left and right and left.isdisjoint(right):
            return _reason(key, one, other)
    return ""


def find_other_time(one: Passage, other: Passage, validity: Validity | None) -> str:
    """Return that two passages are never valid at the same time; empty if they may be."""
    if validity is None or not are_apart(one.metadata, other.metadata, validity):
        return ""
    left, right = (
        " to ".join(str(metadata_value(p.metadata, key) or "...") for key in validity)
        for p in (one, other)
    )
    return f"they are valid at different times ({left}; {right})"


def find_newer_version(
    one: Passage, other: Passage, document_key: str | None, date_key: str, version_key: str
) -> tuple[Passage, str] | None:
    """Find the newer of two versions of one document, with the reason.

    ``{"document": "Leave", "version": 5}`` is newer than ``{"document": "Leave", "version": 3}``.
    """
    if document_key is None:
        return None
    left, right = (_names(metadata_value(p.metadata, document_key)) for p in (one, other))
    newer = find_later(one, other, date_key, version_key) if left and left == right else None
    if newer is None:
        return None
    passage, key = newer
    return passage, f"two versions of one document: {_reason(key, one, other)}"


def find_later(
    one: Passage, other: Passage, date_key: str, version_key: str
) -> tuple[Passage, str] | None:
    """Find the passage with the later version or date, and the metadata key that decides."""
    ways: tuple[tuple[str, Callable[[Any], Any], Callable[[Any, Any], bool]], ...] = (
        (version_key, _parse_version, _is_later_version),
        (date_key, parse_date, is_later),
    )
    for key, parse, is_after in ways:
        left, right = (parse(metadata_value(p.metadata, key)) for p in (one, other))
        if left is None or right is None:
            continue
        if is_after(left, right):
            return one, key
        if is_after(right, left):
            return other, key
    return None


def _reason(key: str, one: Passage, other: Passage) -> str:
    left, right = (metadata_value(p.metadata, key) for p in (one, other))
    return f"the {key} of one is {left}, of the other {right}"


def _names(value: Any) -> set[str]:
    """Return the names and numbers in a value or a list of values; empty for anything else."""
    values = value if isinstance(value, list | tuple) else [value]
    return {_name(v) for v in values if isinstance(v, str | int | float)} - {""}


def _name(value: str | float) -> str:
    if isinstance(value, str):
        return comparable(value).strip()
    return "" if isnan(value) else f"{value:.15g}"


def _parse_version(value: Any) -> tuple[int, ...] | None:
    """Parse ``3``, ``"2.1.0"`` or ``"v3"``; else return None."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    match = _VERSION.fullmatch(str(value).strip())
    return tuple(map(int, match[1].split("."))) if match else None


def _is_later_version(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether ``left`` is later; 2 and 2.0 are equal."""
    pairs = list(zip_longest(left, right, fillvalue=0))
    return [a for a, _ in pairs] > [b for _, b in pairs]
