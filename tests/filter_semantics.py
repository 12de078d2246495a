"""Metadata filters in plain Python: the expected results of an index and a reranker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any


def matches(metadata: Mapping[str, Any], conditions: Mapping[Any, Any]) -> bool:
    """Whether metadata pass a filter, by the documentation of filters."""
    return all(_holds(_values_at(metadata, key), wanted) for key, wanted in conditions.items())


def _values_at(metadata: Any, key: str) -> list[Any]:
    """The values under a path such as ``a.b``, ``a[].b`` and ``a[0]``, and under the key itself."""
    found = [metadata[key]] if key in metadata and not re.search(r'["\\]', key) else []
    step = r'(?:[\w\-]+|"[^"\\]*")(?:\[\d{0,18}\])*'
    if not re.fullmatch(rf"{step}(?:\.{step})*", key) or re.fullmatch(r"[\w\-]+", key):
        return found
    values = [metadata]
    for part in re.findall(r'\[\d*\]|[\w\-]+|"[^"]*"', key):
        if part[0] == "[":
            lists = [value for value in values if isinstance(value, list)]
            at = part[1:-1]
            values = [v for value in lists for n, v in enumerate(value) if at in ("", str(n))]
        else:
            name = part.strip('"')
            values = [value[name] for value in values if isinstance(value, dict) and name in value]
    return found + values


def _holds(values: list[Any], wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and set(wanted) == {"not"}:
        return not _holds(values, wanted["not"])
    if wanted is None:
        return all(value is None or value == [] for value in values)
    leaves = [leaf for value in values for leaf in (value if isinstance(value, list) else [value])]
    if isinstance(wanted, list | tuple | set | frozenset):
        return any(_holds(values, one) for one in wanted)
    if isinstance(wanted, Mapping) and set(wanted) == {"text"}:
        parts = [words for part in set(wanted["text"].split()) if (words := _words(part))]
        texts = [_words(leaf) for leaf in leaves if isinstance(leaf, str)]
        return all(any(part <= text for text in texts) for part in parts)
    return any(_equals(leaf, wanted) for leaf in leaves)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def _equals(leaf: Any, wanted: Any) -> bool:
    if isinstance(wanted, date):
        wanted = {"gte": wanted, "lte": wanted}
    if isinstance(wanted, Mapping):
        return _in_range(leaf, wanted)
    return isinstance(leaf, bool) == isinstance(wanted, bool) and leaf == wanted


def _in_range(leaf: Any, bounds: Mapping[str, Any]) -> bool:
    if any(isinstance(bound, str | date) for bound in bounds.values()):
        bounds, leaf = {name: _moment(bound) for name, bound in bounds.items()}, _moment(leaf)
    elif isinstance(leaf, bool) or not isinstance(leaf, int | float):
        return False
    else:  # the engine compares numbers as floats
        bounds, leaf = {name: float(bound) for name, bound in bounds.items()}, float(leaf)
    compare = {
        "gt": lambda bound: leaf > bound,
        "gte": lambda bound: leaf >= bound,
        "lt": lambda bound: leaf < bound,
        "lte": lambda bound: leaf <= bound,
    }
    return leaf is not None and all(compare[name](bound) for name, bound in bounds.items())


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, date):
        return None
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
