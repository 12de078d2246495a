"""Find filter fields that no passage has, or that hold only values of a different kind."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionError, ServerError, UnknownFieldWarning, shown, warn
from logic_retrievers.index.client_calls import scroll
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.filters import LARGEST, UserFilter, as_list, to_qdrant_filter

# Field -> kind of value that a filter wants there, and a condition for any such value.
Demand: TypeAlias = tuple[dict[str, str], models.Condition]
# Maximum demands of a filter that are looked up; each takes a request.
MOST = 16
# Maximum unknown fields to name. To find one, Qdrant looks at every passage.
MOST_UNKNOWN = 4
# Maximum field names that an index remembers as looked up.
MOST_KNOWN = 1_000


def describe(unknown: Mapping[str, str]) -> str:
    """Describe the fields that :func:`unknown_fields` found."""
    each = ", ".join(f"{kind} in the field {shown(name)}" for name, kind in unknown.items())
    return f"no passage has {each}, which the filter asks for"


def warn_of_unknown_fields(
    collection: Collection, user_filter: UserFilter, known: set[str]
) -> Operation[None]:
    """Warn once of each unknown field of a filter that found nothing, and add it to ``known``."""
    if user_filter is None or len(known) >= MOST_KNOWN:
        return
    unknown, seen = yield from unknown_fields(collection, user_filter, known)
    known.update(seen)
    if unknown:
        warn(UnknownFieldWarning, describe(unknown))


def unknown_fields(
    collection: Collection, user_filter: UserFilter, known: Container[str] = ()
) -> Operation[tuple[dict[str, str], list[str]]]:
    """Find the fields of a filter in which no passage has a value of the wanted kind.

    Return each such field with the wanted kind, and all fields that were looked up. Fields in
    ``known`` are not looked up again. Both results are empty if the collection is empty or a server
    refuses to look.
    """
    whole = to_qdrant_filter(user_filter, prefixes=collection.prefixes)
    demands = [
        (kinds, any_value)
        for kinds, any_value in _demands(whole, collection.prefixes)
        if not all(name in known for name in kinds)
    ][:MOST]
    unknown: dict[str, str] = {}
    seen: list[str] = []
    try:
        if not demands or not (yield from _has_any(collection, None)):
            return {}, []
        for kinds, any_value in demands:
            if len(unknown) >= MOST_UNKNOWN:
                break  # the next search names the others
            seen += kinds
            if not (yield from _has_any(collection, any_value)):
                unknown |= kinds
    except (CollectionError, ServerError):  # strict mode wants an index; the search itself worked
        return {}, []
    return unknown, seen


def _has_any(collection: Collection, condition: models.Condition | None) -> Operation[bool]:
    wanted = None if condition is None else models.Filter(must=[condition])
    asked = to_qdrant_filter(wanted, tenant=collection.tenant)
    records, _ = yield scroll(collection.name, asked, limit=1, payload=False)
    return bool(records)


def _demands(condition: models.Condition | None, prefixes: Sequence[str]) -> list[Demand]:
    """List the values that a passage must have to meet a condition."""
    if isinstance(condition, models.FieldCondition):
        if condition.is_empty or condition.is_null:
            return []
        kind, any_value = _any_value(condition)
        return [({_field(condition.key, prefixes): kind}, any_value)]
    if not isinstance(condition, models.Filter):
        return []
    demands = [each for part in as_list(condition.must) for each in _demands(part, prefixes)]
    alternatives = [_demands(part, prefixes) for part in as_list(condition.should)]
    if alternatives and all(alternatives):
        ways = [models.Filter(must=[any_value for _, any_value in way]) for way in alternatives]
        # all numbers of a list make the same condition, so keep one
        any_of_them = models.Filter(should=list({repr(way): way for way in ways}.values()))
        demands.append((_merged([each for way in alternatives for each in way]), any_of_them))
    return demands


def _merged(demands: Sequence[Demand]) -> dict[str, str]:
    fields: dict[str, dict[str, None]] = {}
    for kinds, _ in demands:
        for name, kind in kinds.items():
            fields.setdefault(name, {})[kind] = None
    return {name: " or ".join(kinds) for name, kinds in fields.items()}


def _any_value(condition: models.FieldCondition) -> tuple[str, models.Condition]:
    """Name the kind of value that a condition compares with, and match any such value."""
    key = condition.key
    absent = models.IsEmptyCondition(is_empty=models.PayloadField(key=key))
    number = models.FieldCondition(key=key, range=models.Range(gte=-LARGEST, lte=LARGEST))
    truths: list[models.Condition] = [
        models.FieldCondition(key=key, match=models.MatchValue(value=value))
        for value in (True, False)
    ]
    match condition.match or condition.range:
        case models.MatchValue(value=bool()):
            return "true or false", models.Filter(should=truths)
        case models.Range() | models.MatchValue(value=int()) | models.MatchAny(any=[int(), *_]):
            return "a number", number
        case models.DatetimeRange():
            first = models.DatetimeRange(gte=datetime.min)
            return "a date", models.FieldCondition(key=key, range=first)
        case models.MatchExcept() | None:
            return "a value", models.Filter(must_not=[absent])
    # Qdrant has no condition that matches every text, so match all but numbers and booleans
    return "a text", models.Filter(must_not=[absent, number, *truths])


def _field(path: str, prefixes: Sequence[str]) -> str:
    inside = next((path[len(p) + 1 :] for p in prefixes if p and path.startswith(f"{p}.")), path)
    return inside.replace('"', "")
