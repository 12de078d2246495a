"""Filters: translate the user's filter, and compose it with tenant, exclusions and quarantine."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from qdrant_client import models
from qdrant_client.local.payload_filters import check_filter

from logic_retrievers.errors import InputError, shown
from logic_retrievers.index.point_format import METADATA, TENANT, WRITTEN
from logic_retrievers.types import Passage
from logic_retrievers.validation import MAX_DEPTH, is_encodable, plain_value

UserFilter: TypeAlias = models.Filter | Mapping[str, Any] | None

LARGEST = sys.float_info.max
# Maximum conditions of a filter. A condition without a payload index reads the payload of every
# passage, which takes the embedded engine 15 ms per 10,000.
MAX_CONDITIONS = 256
# Numbers of a list grouped in one range; the engine compares most passages with the range only.
_TOGETHER = 12
# Up to this, the range of one float step around an integer holds no other integer.
_APART = 2**52
# Whole floats up to this are stored exactly; the engine may change the last bit of other floats.
_UNCHANGED = 2**53 // 10
_RANGE = frozenset({"gt", "gte", "lt", "lte"})
_WORD = re.compile(r"[^\W_]")
_STEP = r'(?:[\w\-]+|"[^"\\]*")(?:\[\d{0,18}\])*'
_PATH = re.compile(rf"{_STEP}(?:\.{_STEP})*")


def to_qdrant_filter(
    user: UserFilter = None,
    *,
    tenant: str | None = None,
    prefixes: Sequence[str] = (METADATA,),
    also: Iterable[Mapping[str, Any]] = (),
    hiding_flags: Sequence[str] = (),
) -> models.Filter | None:
    """Compose the Qdrant filter of a vector query; return None if it would exclude nothing.

    Args:
        user: a Qdrant filter, which is kept as it is, or ``{key: wanted}`` over metadata keys (see
            :func:`metadata_paths`), all of which must match. ``wanted`` is a value (1 equals 1.0),
            a list (any of its values), ``None`` (absent or empty), ``{"gte": 2020, "lt": 2024}`` (a
            range of numbers or dates), ``{"text": "..."}`` (each of its words, in upper or lower
            case) or ``{"not": wanted}``, which also matches passages without the field.
        tenant: only passages of this tenant.
        prefixes: payload keys that hold metadata ("" for the top level); any of them may match.
        also: further filters like ``user``, ``{key: wanted}``, all of which must match.
        hiding_flags: payload keys that hide a passage if true.
    """
    must: list[models.Condition] = []
    if tenant is not None:
        must.append(models.FieldCondition(key=TENANT, match=models.MatchValue(value=tenant)))
    for key in hiding_flags:
        # `must_not` makes the engine test every point (2.2 ms per search of 20,000). The test
        # for absence uses a payload index (.3 ms, like a search without a filter).
        absent = models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
        shown_again = models.FieldCondition(key=key, match=models.MatchValue(value=False))
        must.append(models.Filter(should=[absent, shown_again]))
    must += [_condition(key, wanted, prefixes) for each in also for key, wanted in each.items()]
    if isinstance(user, models.Filter):
        _check_size(user)
        if not must:
            return user
        must.append(user)
    elif isinstance(user, Mapping):
        _check_count(len(user))  # before any condition is built
        asked = [_condition(key, wanted, prefixes) for key, wanted in user.items()]
        _check_size(models.Filter(must=asked))
        must.extend(asked)
    elif user is not None:
        raise InputError(
            f"A filter is a dict over metadata keys or a qdrant_client.models.Filter, not"
            f" {type(user).__name__}."
        )
    return models.Filter(must=must) if must else None


def written_since(moment: datetime) -> models.Filter:
    """Match the passages that were stored or changed at or after a time."""
    return models.Filter(
        must=[models.FieldCondition(key=WRITTEN, range=models.DatetimeRange(gte=moment))]
    )


def matching(
    passages: Iterable[Passage], condition: models.Filter, prefixes: Sequence[str] = (METADATA,)
) -> list[bool]:
    """Apply a filter of this package to passages, with the result that a collection gives.

    Metadata values without a JSON type are compared as text.
    """

    def payload(passage: Passage) -> dict[str, Any]:
        metadata: dict[str, Any] = {}
        for key, value in passage.metadata.items():
            with suppress(InputError):  # not storable, so no filter finds it
                metadata |= plain_value({key: value}, "metadata")
        top = dict(metadata) if "" in prefixes else {}
        return top | {prefix: metadata for prefix in prefixes if prefix}

    return [check_filter(condition, payload(each), each.id, {}) for each in passages]


def _check_size(user: models.Filter) -> None:
    """Refuse a filter that has too many conditions, or more levels than a server reads."""
    level: list[Any] = [user]
    conditions = 0
    for _ in range(MAX_DEPTH):
        groups = [getattr(getattr(part, "nested", None), "filter", part) for part in level]
        conditions += sum(not isinstance(group, models.Filter) for group in groups)
        _check_count(max(conditions, len(groups)))  # groups grow where a filter contains itself
        level = [condition for group in groups for condition in conditions_of(group)]
        if not level:
            return
    raise InputError(f"A filter may have {MAX_DEPTH} levels at most.")


def _check_count(conditions: int) -> None:
    if conditions > MAX_CONDITIONS:
        raise InputError(
            f"The filter has more than {MAX_CONDITIONS} conditions. Fields count, numbers of a list"
            " and words of a text; a list of texts is one condition, however long."
        )


def conditions_of(group: Any) -> list[Any]:
    """List the conditions directly inside a Qdrant filter; anything else has none."""
    if not isinstance(group, models.Filter):
        return []
    parts = (group.must, group.should, group.must_not, group.min_should)
    return [each for part in parts for each in as_list(getattr(part, "conditions", part))]


def as_list(conditions: Any) -> list[Any]:
    """Return one part of a Qdrant filter as a list; the part may be a single condition."""
    return conditions if isinstance(conditions, list) else [conditions] if conditions else []


def _condition(key: Any, wanted: Any, prefixes: Sequence[str]) -> models.Condition:
    if not isinstance(key, str) or not key or not is_encodable(key):
        raise InputError(f"A filter's keys are names of metadata fields, not {shown(key)}.")
    paths = metadata_paths(prefixes, key)
    if isinstance(wanted, Mapping) and set(wanted) == {"not"}:
        return models.Filter(must_not=[_in_any(paths, key, wanted["not"])])
    return _in_any(paths, key, wanted)


def _in_any(paths: Sequence[str], key: str, wanted: Any) -> models.Condition:
    """Require a value at one of the paths; None requires that no path has a value."""
    if isinstance(wanted, list | tuple | Set):
        present = [value for value in wanted if value is not None]
        if len(present) < len(wanted):
            absent = _in_any(paths, key, None)
            if not present:
                return absent
            return models.Filter(should=[_in_any(paths, key, present), absent])
    conditions = [_match(path, key, wanted) for path in paths]
    if len(conditions) == 1:
        return conditions[0]
    return models.Filter(must=conditions) if wanted is None else models.Filter(should=conditions)


def _as_stored(key: str, value: Any) -> Any:
    """Convert a value like stored metadata; a date stays a date, for ranges."""
    if value is None or isinstance(value, Mapping | list | tuple | Set):
        return value
    try:
        plain = plain_value(value, f"The filter on {key!r}")
    except InputError as error:
        raise InputError(
            f"{error}. Use a string, number, boolean, None, a list of them, a range such as"
            " {'gte': 1}, or {'not': ...}."
        ) from None
    if plain is None:
        raise InputError(f"The filter on {key!r} has {value}, which is stored as None. Use None.")
    return value if isinstance(value, date) else plain


def metadata_paths(prefixes: Sequence[str], key: str) -> list[str]:
    """List the payload keys where a field of the metadata may be.

    "dc.title" means the field "title" of the object "dc", as in Qdrant, or the field "dc.title".
    A name in quotation marks is one name: ``"dc.title"``, ``book."dc.title"``.
    """
    readings = [key] if _PATH.fullmatch(key) else []
    if not {'"', "\\"} & set(key) and (not readings or {".", "["} & set(key)):
        readings.append(f'"{key}"')
    if not readings:
        raise InputError(
            f"The filter's key {shown(key)} cannot be looked for: Qdrant stores names with a"
            " backslash or a quotation mark, and has no path to them. Rename the field."
        )
    return [f"{prefix}.{path}" if prefix else path for prefix in prefixes for path in readings]


def _match(path: str, key: str, wanted: Any) -> models.Condition:
    wanted = _as_stored(key, wanted)
    if wanted is None:
        return models.IsEmptyCondition(is_empty=models.PayloadField(key=path))
    if isinstance(wanted, Mapping):
        text = wanted.get("text")
        if set(wanted) == {"text"} and isinstance(text, str) and _WORD.search(text):
            text = _as_stored(key, text)
            # One condition per word. Qdrant looks for several words of a condition in a single item
            # of a list if there is no index, and in all items if there is one.
            words = [word for word in dict.fromkeys(text.split()) if _WORD.search(word)]
            _check_count(len(words))
            matches = [models.MatchText(text=word) for word in words]
            return models.Filter(must=[models.FieldCondition(key=path, match=m) for m in matches])
        return _range(path, key, wanted)
    if isinstance(wanted, list | tuple | Set):
        return any_of(path, key, list(wanted))
    if isinstance(wanted, bool | str):
        return models.FieldCondition(key=path, match=models.MatchValue(value=wanted))
    if isinstance(wanted, date):
        return _range(path, key, {"gte": wanted, "lte": wanted})
    return _equal_number(path, wanted)


def _equal_number(path: str, wanted: float) -> models.Condition:
    # 1 finds 1 and 1.0; Qdrant's own match takes only integers, and finds no floats
    if isinstance(wanted, int) and abs(wanted) > _APART:
        return models.FieldCondition(key=path, match=models.MatchValue(value=wanted))
    low = high = float(wanted)
    if abs(low) > _UNCHANGED or not low.is_integer():
        low, high = (math.nextafter(low, limit) for limit in (-LARGEST, LARGEST))
    return models.FieldCondition(key=path, range=models.Range(gte=low, lte=high))


def any_of(path: str, key: str, wanted: list[Any]) -> models.Condition:
    """Match the passages that have one of these values at a path; ``key`` is for messages."""
    if not wanted:
        raise InputError(f"The filter on {key!r} has an empty list, which nothing can match.")
    if any(isinstance(value, list | tuple | Set | Mapping) for value in wanted):
        raise InputError(f"The filter on {key!r} has a list in which not every value is plain.")
    wanted = [_as_stored(key, value) for value in wanted]
    texts = [value for value in wanted if isinstance(value, str)]
    numbers = {v for v in wanted if isinstance(v, int | float) and not isinstance(v, bool)}
    others = [v for v in wanted if isinstance(v, bool) or not isinstance(v, str | int | float)]
    _check_count(len(numbers) + len(others))
    parts = [_match(path, key, value) for value in others]
    if texts:
        parts.append(models.FieldCondition(key=path, match=models.MatchAny(any=texts)))
    if numbers:
        parts.append(_any_number(path, sorted(numbers)))
    return parts[0] if len(parts) == 1 else models.Filter(should=parts)


def _any_number(path: str, numbers: Sequence[float]) -> models.Condition:
    if len(numbers) == 1:
        return _equal_number(path, numbers[0])
    low, high = math.nextafter(numbers[0], -LARGEST), math.nextafter(numbers[-1], LARGEST)
    within = models.FieldCondition(key=path, range=models.Range(gte=low, lte=high))
    size = _TOGETHER if len(numbers) > _TOGETHER else 1
    groups = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    one_of = models.Filter(should=[_any_number(path, group) for group in groups])
    return models.Filter(must=[within, one_of])  # nested, because `should` is tested before `must`


def _range(path: str, key: str, wanted: Mapping[str, Any]) -> models.Condition:
    if not wanted or not set(wanted) <= _RANGE:
        operators = sorted(operator[:40] for operator in wanted if isinstance(operator, str))
        raise InputError(
            f"The filter on {key!r} has {operators}. A range is written with {sorted(_RANGE)}, a"
            " negation as {'not': ...} and a text of one word or more as {'text': ...}, each alone."
        )
    wanted = {operator: _as_stored(key, bound) for operator, bound in wanted.items()}
    bounds = list(wanted.values())
    if all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in bounds):
        return models.FieldCondition(key=path, range=models.Range(**_tightest(wanted)))
    try:
        dates = _tightest(
            {
                name: bound if isinstance(bound, date) else datetime.fromisoformat(bound)
                for name, bound in wanted.items()
            },
            _moment,
        )
    except (TypeError, ValueError):
        raise InputError(
            f"The range on {key!r} is neither of numbers nor of dates (ISO 8601)."
        ) from None
    return models.FieldCondition(key=path, range=models.DatetimeRange(**dates))


def _tightest(bounds: Mapping[str, Any], value: Callable[[Any], Any] = float) -> dict[str, Any]:
    """Keep one lower and one upper bound, because the engine's indexes ignore any second one."""
    kept = dict(bounds)
    if {"gt", "gte"} <= kept.keys():
        del kept["gte" if value(kept["gt"]) >= value(kept["gte"]) else "gt"]
    if {"lt", "lte"} <= kept.keys():
        del kept["lte" if value(kept["lt"]) <= value(kept["lte"]) else "lt"]
    return kept


def _moment(day: datetime | date) -> datetime:
    """Convert a date as Qdrant does: a day is its midnight, a time without a zone is UTC."""
    moment = day if isinstance(day, datetime) else datetime(day.year, day.month, day.day)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
