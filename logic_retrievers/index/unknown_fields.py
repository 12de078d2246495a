"""Why a filter finds nothing: fields that no passage has, or has with values of another kind."""

from __future__ import annotations

from collections.abc import Collection as Container
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionError, ServerError, shown
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.filters import LARGEST, UserFilter, as_list, to_qdrant_filter
from logic_retrievers.index.requests import scroll

MOST = 16
"""Demands of a filter that are looked at, at a request each."""
MOST_UNKNOWN = 4
"""Unknown fields that are named. Each takes a look at every passage; one that is there, at few."""


class Demand(NamedTuple):
    """What a filter wants of every passage: some value of a kind, in one of some fields.

    Args:
        fields: name -> kinds of value, for people.
        condition: that any such value meets.
    """

    fields: Mapping[str, str]
    condition: models.Condition


def describe(unknown: Mapping[str, str]) -> str:
    """A sentence on what :func:`unknown_fields` found."""
    each = ", ".join(f"{kind} in the field {shown(name)}" for name, kind in unknown.items())
    return f"no passage has {each}, which the filter asks for"


def unknown_fields(
    collection: Collection, user_filter: UserFilter, known: Container[str] = ()
) -> Operation[tuple[dict[str, str], list[str]]]:
    """The fields of a filter in which no passage has a value that it could find.

    Args:
        collection: where to look, as its tenant.
        user_filter: as of a search.
        known: fields that are not looked at again.

    Returns:
        Name of a field -> the kind of value that the filter wants there; nothing where the
        collection is empty, or a server refuses to look. And the fields that were looked at.
    """
    demands = [
        demand
        for demand in _demands(user_filter, collection.prefixes)
        if not all(name in known for name in demand.fields)
    ][:MOST]
    unknown: dict[str, str] = {}
    seen: list[str] = []
    try:
        if not demands or not (yield from _has_any(collection, None)):
            return {}, []
        for demand in demands:
            if len(unknown) >= MOST_UNKNOWN:
                break  # the next search tells of the others
            seen += demand.fields
            if not (yield from _has_any(collection, demand.condition)):
                unknown |= demand.fields
    except (CollectionError, ServerError):  # strict mode wants an index; the search itself worked
        return {}, []
    return unknown, seen


def _has_any(collection: Collection, condition: models.Condition | None) -> Operation[bool]:
    wanted = None if condition is None else models.Filter(must=[condition])
    asked = to_qdrant_filter(wanted, tenant=collection.tenant)
    records, _ = yield scroll(collection.name, asked, limit=1, payload=False)
    return bool(records)


def _demands(user_filter: UserFilter, prefixes: Sequence[str]) -> Iterator[Demand]:
    """One for each condition that must hold, as far as it demands a value."""
    whole = to_qdrant_filter(user_filter, prefixes=prefixes)
    for condition in [] if whole is None else _required(whole):
        if (demand := _demand(condition, prefixes)) is not None:
            yield demand


def _required(condition: models.Condition) -> Iterator[models.Condition]:
    if not isinstance(condition, models.Filter):
        yield condition
        return
    for part in as_list(condition.must):
        yield from _required(part)
    if condition.should:
        yield models.Filter(should=condition.should)


def _demand(condition: models.Condition, prefixes: Sequence[str]) -> Demand | None:
    if isinstance(condition, models.FieldCondition):
        if condition.is_empty or condition.is_null:
            return None
        kind, possible = _any_value(condition)
        return Demand({_field(condition.key, prefixes): kind}, possible)
    if not isinstance(condition, models.Filter):
        return None
    together = [d for part in as_list(condition.must) if (d := _demand(part, prefixes))]
    either = [_demand(part, prefixes) for part in as_list(condition.should)]
    alternatives = [demand for demand in either if demand]
    if alternatives and len(alternatives) == len(either):
        conditions = {repr(demand.condition): demand.condition for demand in alternatives}
        possible = models.Filter(should=list(conditions.values()))  # numbers of a list want one
        together.append(Demand(_merged(alternatives), possible))
    if not together:
        return None
    return Demand(_merged(together), models.Filter(must=[demand.condition for demand in together]))


def _merged(demands: Sequence[Demand]) -> dict[str, str]:
    fields: dict[str, dict[str, None]] = {}
    for demand in demands:
        for name, kind in demand.fields.items():
            fields.setdefault(name, {})[kind] = None
    return {name: " or ".join(kinds) for name, kinds in fields.items()}


def _any_value(condition: models.FieldCondition) -> tuple[str, models.Condition]:
    """The kind of value that a condition compares with, and the condition for any such value."""
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
    # Qdrant has no condition for any text: what is there, and no list with other things in it
    return "a text", models.Filter(must_not=[absent, number, *truths])


def _field(path: str, prefixes: Sequence[str]) -> str:
    """The name of a field, as a filter over metadata has it."""
    inside = next((path[len(p) + 1 :] for p in prefixes if p and path.startswith(f"{p}.")), path)
    return inside.replace('"', "")
