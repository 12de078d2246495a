"""Filters: translates the user's filter and composes it with tenant, exclusions and quarantine."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence, Set
from datetime import date, datetime
from typing import Any, TypeAlias

from qdrant_client import models

from logic_retrievers.errors import InputError, shown
from logic_retrievers.index.point_format import METADATA, TENANT
from logic_retrievers.validation import MAX_DEPTH, MAX_INTEGER, is_encodable, plain_value

UserFilter: TypeAlias = models.Filter | Mapping[str, Any] | None

LARGEST = sys.float_info.max
_RANGE = frozenset({"gt", "gte", "lt", "lte"})
_WORD = re.compile(r"\w")
_PLAIN_KEY = re.compile(r"[\w\-]+(\[\d*\])?(\.[\w\-]+(\[\d*\])?)*")


def to_qdrant_filter(
    user: UserFilter = None,
    *,
    tenant: str | None = None,
    prefixes: Sequence[str] = (METADATA,),
    must_not: Mapping[str, Any] | None = None,
    hiding_flags: Sequence[str] = (),
) -> models.Filter | None:
    """One Qdrant filter that every vector query carries; None where it would exclude nothing.

    Args:
        user: a Qdrant filter as it is, or ``{key: wanted}`` over metadata keys, all of which must
            hold. ``wanted`` is a value (equal), a list (any of), ``None`` (absent or empty),
            ``{"gte": 2020, "lt": 2024}`` (a range of numbers or dates), ``{"text": "..."}`` (each
            of its words, in any case) or ``{"not": wanted}``, which also matches passages without
            the field.
        tenant: only passages of this tenant.
        prefixes: payload keys that hold metadata ("" for the top level); any of them may match.
        must_not: metadata values that no passage may have: ``{key: [values]}``.
        hiding_flags: payload keys that hide a passage where they are true.

    Raises:
        InputError: a filter that cannot be read.
    """
    must: list[models.Condition] = []
    if tenant is not None:
        must.append(models.FieldCondition(key=TENANT, match=models.MatchValue(value=tenant)))
    must.extend(_flag_not_set(key) for key in hiding_flags)
    for key, values in (must_not or {}).items():
        must.append(_condition(key, {"not": values}, prefixes))
    if isinstance(user, models.Filter):
        _check_depth(user)
        if not must:
            return user
        must.append(user)
    elif isinstance(user, Mapping):
        must.extend(_condition(key, wanted, prefixes) for key, wanted in user.items())
    elif user is not None:
        raise InputError(
            f"A filter is a dict over metadata keys or a qdrant_client.models.Filter, not"
            f" {type(user).__name__}."
        )
    return models.Filter(must=must) if must else None


def flag_conditions(keys: Sequence[str]) -> list[models.Condition]:
    """For each payload key the condition that the flag under it is set."""
    return [models.FieldCondition(key=key, match=models.MatchValue(value=True)) for key in keys]


def _check_depth(user: models.Filter) -> None:
    """Refuses a filter that is nested more deeply than a server reads, or that contains itself."""
    level: list[Any] = [user]
    for _ in range(MAX_DEPTH):
        level = [
            condition
            for part in level
            for condition in conditions_of(getattr(getattr(part, "nested", None), "filter", part))
        ]
        if not level:
            return
    raise InputError(f"A filter may have {MAX_DEPTH} levels at most.")


def conditions_of(group: Any) -> list[Any]:
    """All conditions right inside a Qdrant filter; those of anything else are none."""
    if not isinstance(group, models.Filter):
        return []
    parts = (group.must, group.should, group.must_not, group.min_should)
    return [each for part in parts for each in as_list(getattr(part, "conditions", part))]


def as_list(conditions: Any) -> list[Any]:
    """The conditions of one part of a Qdrant filter, which may be a single one."""
    return conditions if isinstance(conditions, list) else [conditions] if conditions else []


def _flag_not_set(key: str) -> models.Condition:
    """The condition that a flag is not set.

    Not ``must_not``: for that Qdrant's engine tests every point (2.2 ms per search of 20,000);
    absence has a payload index (.3 ms, as without a filter).
    """
    absent = models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
    return models.Filter(
        should=[absent, models.FieldCondition(key=key, match=models.MatchValue(value=False))]
    )


def _condition(key: Any, wanted: Any, prefixes: Sequence[str]) -> models.Condition:
    if not isinstance(key, str) or not key or not is_encodable(key):
        raise InputError(f"A filter's keys are names of metadata fields, not {shown(key)}.")
    paths = [metadata_path(prefix, key) for prefix in prefixes]
    negated = isinstance(wanted, Mapping) and set(wanted) == {"not"}
    conditions = [_match(path, key, wanted["not"] if negated else wanted) for path in paths]
    if negated:
        return models.Filter(must_not=conditions)
    if len(conditions) == 1:
        return conditions[0]
    # absent means absent everywhere; anything else may be found in either place
    return models.Filter(must=conditions) if wanted is None else models.Filter(should=conditions)


def comparable(value: Any) -> Any:
    """A value that a filter asks for, as metadata are stored; a date stays one, for ranges."""
    if value is None or isinstance(value, Mapping | list | tuple | Set):
        return value
    try:
        plain = plain_value(value, "")
    except InputError:
        return value  # is refused by its type
    if plain is None:
        return math.nan  # is refused: stored, it is no value
    return value if isinstance(value, date) else plain


def metadata_path(prefix: str, key: str) -> str:
    """The payload key of a field of the metadata.

    Raises:
        InputError: Qdrant has no such keys.
    """
    if not _PLAIN_KEY.fullmatch(key):
        if '"' in key:
            raise InputError(
                f"The filter's key {key!r} holds a quotation mark; Qdrant has no such keys."
            )
        key = f'"{key}"'
    return f"{prefix}.{key}" if prefix else key


def _match(path: str, key: str, wanted: Any) -> models.Condition:
    wanted = comparable(wanted)
    if wanted is None:
        return models.IsEmptyCondition(is_empty=models.PayloadField(key=path))
    if isinstance(wanted, Mapping):
        text = wanted.get("text")
        if set(wanted) == {"text"} and isinstance(text, str) and _WORD.search(text):
            _check_plain(key, text)
            return models.FieldCondition(key=path, match=models.MatchText(text=text))
        return _range(path, key, wanted)
    if isinstance(wanted, list | tuple | set | frozenset):
        return _any_of(path, key, list(wanted))
    if isinstance(wanted, bool | int | str):
        _check_plain(key, wanted)
        return models.FieldCondition(key=path, match=models.MatchValue(value=wanted))
    if isinstance(wanted, datetime | date):
        return _range(path, key, {"gte": wanted, "lte": wanted})
    if isinstance(wanted, float):  # Qdrant matches no floats, and keeps all but their last bit
        _check_plain(key, wanted)
        low, high = (math.nextafter(wanted, limit) for limit in (-LARGEST, LARGEST))
        return models.FieldCondition(key=path, range=models.Range(gte=low, lte=high))
    raise InputError(
        f"The filter on {key!r} asks for a {type(wanted).__name__}. Use a string, number, boolean,"
        " None, a list of them, a range such as {'gte': 1}, or {'not': ...}."
    )


def _any_of(path: str, key: str, wanted: list[Any]) -> models.Condition:
    if not wanted:
        raise InputError(f"The filter on {key!r} has an empty list, which nothing can match.")
    if any(isinstance(value, list | tuple | set | frozenset | Mapping) for value in wanted):
        raise InputError(f"The filter on {key!r} has a list in which not every value is plain.")
    wanted = list(map(comparable, wanted))
    for value in wanted:
        _check_plain(key, value)
    if all(isinstance(value, str) for value in wanted) or all(
        type(value) is int for value in wanted
    ):
        return models.FieldCondition(key=path, match=models.MatchAny(any=wanted))
    return models.Filter(should=[_match(path, key, value) for value in wanted])


def _range(path: str, key: str, wanted: Mapping[str, Any]) -> models.Condition:
    if not wanted or not set(wanted) <= _RANGE:
        operators = sorted(operator[:40] for operator in wanted if isinstance(operator, str))
        raise InputError(
            f"The filter on {key!r} has {operators}. A range is written with {sorted(_RANGE)}, a"
            " negation as {'not': ...} and a text of one word or more as {'text': ...}, each alone."
        )
    wanted = {operator: comparable(bound) for operator, bound in wanted.items()}
    bounds = list(wanted.values())
    if all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds):
        for bound in bounds:
            _check_plain(key, bound)
        return models.FieldCondition(key=path, range=models.Range(**wanted))
    try:
        dates = {operator: _to_date(bound) for operator, bound in wanted.items()}
    except (TypeError, ValueError):
        raise InputError(
            f"The range on {key!r} is neither of numbers nor of dates (ISO 8601)."
        ) from None
    return models.FieldCondition(key=path, range=models.DatetimeRange(**dates))


def _check_plain(key: str, value: Any) -> None:
    """Refuses a number or a text that no metadata can hold."""
    if isinstance(value, str) and not is_encodable(value):
        raise InputError(f"The filter on {key!r} holds half a character (a lone surrogate).")
    is_too_large = isinstance(value, int) and abs(value) > MAX_INTEGER
    if is_too_large or (isinstance(value, float) and not math.isfinite(value)):
        raise InputError(f"The filter on {key!r} has a number that is infinite or over 64 bits.")


def _to_date(bound: Any) -> datetime | date:
    return bound if isinstance(bound, datetime | date) else datetime.fromisoformat(bound)
