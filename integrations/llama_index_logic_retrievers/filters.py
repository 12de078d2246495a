"""LlamaIndex's ``MetadataFilters`` as Qdrant filters, leaf by leaf in the package's own words.

A field that holds a list counts as each of its values. Two things had to be decided:

- ``!=`` and ``nin`` match passages that *have* the field, and none of its values is among the given
  (as SQL does). ``not`` around ``==`` also matches those without the field.
- ``text_match`` and ``text_match_insensitive`` are Qdrant's text match, in both cases: every word
  of the value occurs in the field, whatever its case. (A server of an older version, without a
  full-text index on the field, looks for the value as it is written.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from qdrant_client import models

from logic_retrievers.errors import InputError
from logic_retrievers.index.filters import UserFilter, compose

AnyFilter: TypeAlias = MetadataFilters | MetadataFilter | UserFilter

_RANGES = {
    FilterOperator.GT: "gt",
    FilterOperator.GTE: "gte",
    FilterOperator.LT: "lt",
    FilterOperator.LTE: "lte",
}
_LARGEST_EXACT = 2**53
"""Above it a float stands for several integers."""


def as_filter(given: AnyFilter, prefixes: Sequence[str]) -> UserFilter:
    """A filter that the engine takes: ``MetadataFilters`` translated, anything else as it is.

    Args:
        given: ``MetadataFilters``, or a filter of Qdrant's or a dict over metadata keys.
        prefixes: where the collection keeps metadata (``index.prefixes``).

    Raises:
        InputError: a filter that cannot be translated; the message names its key and operator.
    """
    if isinstance(given, MetadataFilter):
        given = MetadataFilters(filters=[given])
    return translated(given, prefixes) if isinstance(given, MetadataFilters) else given


def check_filter(given: AnyFilter, prefixes: Sequence[str]) -> None:
    """Refuses what :meth:`Engine.search` would refuse later.

    Raises:
        InputError: the filter cannot be read.
    """
    compose(as_filter(given, prefixes), prefixes=prefixes)


def translated(filters: MetadataFilters, prefixes: Sequence[str]) -> models.Filter | None:
    """One Qdrant filter; None where nothing is asked for. Empty groups ask for nothing."""
    parts = [
        translated(one, prefixes) if isinstance(one, MetadataFilters) else _leaf(one, prefixes)
        for one in filters.filters
    ]
    conditions: list[models.Condition] = [part for part in parts if part is not None]
    if not conditions:
        return None
    match filters.condition or FilterCondition.AND:
        case FilterCondition.AND:
            return models.Filter(must=conditions)
        case FilterCondition.OR:
            return models.Filter(should=conditions)
        case FilterCondition.NOT:
            return models.Filter(must_not=conditions)


def _leaf(one: MetadataFilter, prefixes: Sequence[str]) -> models.Filter:
    try:
        return _translated(one, prefixes)
    except InputError as error:
        operator = getattr(one.operator, "value", one.operator)
        raise InputError(
            f"The filter {one.key!r} {operator} {one.value!r} cannot be translated: {error}"
        ) from None


def _translated(one: MetadataFilter, prefixes: Sequence[str]) -> models.Filter:
    def holds(wanted: Any) -> models.Filter:
        return compose({one.key: wanted}, prefixes=prefixes) or models.Filter()

    def lacks(wanted: Any) -> models.Filter:
        return models.Filter(must_not=[holds(None), holds(wanted)])

    operator, value = one.operator, one.value
    if operator in _RANGES:
        return holds({_RANGES[operator]: value})
    match operator:
        case FilterOperator.EQ | FilterOperator.CONTAINS:
            return holds(_alike(value))
        case FilterOperator.NE:
            return lacks(_alike(value))
        case FilterOperator.IN | FilterOperator.ANY:
            return holds(_any_of(value))
        case FilterOperator.NIN:
            return lacks(_any_of(value))
        case FilterOperator.ALL:
            return models.Filter(must=[holds(_alike(single)) for single in _listed(value)])
        case FilterOperator.TEXT_MATCH | FilterOperator.TEXT_MATCH_INSENSITIVE:
            return holds({"text": value})
        case FilterOperator.IS_EMPTY:
            return holds(None)
    raise InputError("this version does not know the operator")


def _alike(value: Any) -> Any:
    """A value, or all that is equal to it: 3 and 3.0 are one number, and two kinds in Qdrant."""
    if value is None:
        raise InputError("use the operator is_empty to ask for fields without a value")
    if not isinstance(value, str | int | float):
        raise InputError("the operator takes one value; for several there are in, any and all")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LARGEST_EXACT:
        return [value, float(value)]
    return value


def _any_of(value: Any) -> list[Any]:
    alike = [_alike(single) for single in _listed(value)]
    return [one for single in alike for one in (single if isinstance(single, list) else [single])]


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InputError("the operator takes a list that is not empty")
    return value
