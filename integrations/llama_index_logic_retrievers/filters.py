"""Translate LlamaIndex's ``MetadataFilters`` into Qdrant filters.

A list field matches if any of its values matches. Two more rules:

- ``!=`` and ``nin`` match passages that *have* the field with none of the given values, as in SQL.
  ``not`` around ``==`` also matches passages without the field.
- ``text_match`` and ``text_match_insensitive`` both become Qdrant's text match: the field must
  contain every word of the value, in upper or lower case. An older server without a full-text index
  on the field distinguishes case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from pydantic import BaseModel
from qdrant_client import models

from logic_retrievers.adapters.descriptions import jsonable, qualified_name
from logic_retrievers.conflicts.candidate_pairs import TrustedFilter
from logic_retrievers.errors import InputError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.filters import UserFilter, to_qdrant_filter
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.types import Passage

AnyFilter: TypeAlias = MetadataFilters | MetadataFilter | UserFilter

_RANGES = {
    FilterOperator.GT: "gt",
    FilterOperator.GTE: "gte",
    FilterOperator.LT: "lt",
    FilterOperator.LTE: "lte",
}


def to_user_filter(condition: AnyFilter, prefixes: Sequence[str]) -> UserFilter:
    """Translate ``MetadataFilters`` for the engine, and return any other filter unchanged.

    Args:
        condition: ``MetadataFilters``, a Qdrant filter, or a dict over metadata keys.
        prefixes: payload keys under which the collection keeps metadata (``index.prefixes``).

    Raises:
        InputError: a filter cannot be translated; the message names its key and operator.
    """
    if isinstance(condition, MetadataFilter):
        condition = MetadataFilters(filters=[condition])
    if isinstance(condition, MetadataFilters):
        return translate_filters(condition, prefixes)
    return condition


def check_filter(condition: AnyFilter, prefixes: Sequence[str]) -> None:
    """Refuse at once a filter that :meth:`Engine.search` cannot use."""
    to_qdrant_filter(to_user_filter(condition, prefixes), prefixes=prefixes)


def to_trusted_filter(
    condition: AnyFilter | Callable[[Passage], bool], index: PassageIndex | None
) -> TrustedFilter:
    """Translate a ``trusted_filter`` for :mod:`logic_retrievers`."""
    if callable(condition):
        return condition
    prefixes = (METADATA,) if index is None else index.prefixes
    translated = to_user_filter(condition, prefixes)
    # an empty Qdrant filter raises an error later, whereas None silently trusts no passage
    return models.Filter() if condition is not None and translated is None else translated


def describe_filter(condition: Any) -> Any:
    """Describe a ``trusted_filter`` in JSON types: a dict as a dict, anything else as text."""
    if condition is None or isinstance(condition, Mapping):
        return jsonable(condition)
    is_model = isinstance(condition, BaseModel)
    return condition.model_dump_json(exclude_none=True) if is_model else qualified_name(condition)


def translate_filters(filters: MetadataFilters, prefixes: Sequence[str]) -> models.Filter | None:
    """Translate filters into one Qdrant filter; None if there is no condition."""
    parts = [
        translate_filters(part, prefixes)
        if isinstance(part, MetadataFilters)
        else _translate_condition(part, prefixes)
        for part in filters.filters
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


def _translate_condition(condition: MetadataFilter, prefixes: Sequence[str]) -> models.Filter:
    try:
        return _translate(condition, prefixes)
    except InputError as error:
        operator = getattr(condition.operator, "value", condition.operator)
        raise InputError(
            f"The filter {condition.key!r} {operator} {condition.value!r} cannot be translated: "
            f"{error}"
        ) from None


def _translate(condition: MetadataFilter, prefixes: Sequence[str]) -> models.Filter:
    def holds(wanted: Any) -> models.Filter:
        return to_qdrant_filter({condition.key: wanted}, prefixes=prefixes) or models.Filter()

    def lacks(wanted: Any) -> models.Filter:
        return models.Filter(must_not=[holds(None), holds(wanted)])

    operator, value = condition.operator, condition.value
    if operator in _RANGES:
        return holds({_RANGES[operator]: value})
    match operator:
        case FilterOperator.EQ | FilterOperator.CONTAINS:
            return holds(_check_value(value))
        case FilterOperator.NE:
            return lacks(_check_value(value))
        case FilterOperator.IN | FilterOperator.ANY:
            return holds(_check_list(value))
        case FilterOperator.NIN:
            return lacks(_check_list(value))
        case FilterOperator.ALL:
            return models.Filter(must=[holds(single) for single in _check_list(value)])
        case FilterOperator.TEXT_MATCH | FilterOperator.TEXT_MATCH_INSENSITIVE:
            return holds({"text": value})
        case FilterOperator.IS_EMPTY:
            return holds(None)
    raise InputError("unknown operator")


def _check_value(value: Any) -> Any:
    if value is None:
        raise InputError("use the operator is_empty to ask for fields without a value")
    if not isinstance(value, str | int | float):
        raise InputError("the operator takes one value; for several use in, any or all")
    return value


def _check_list(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InputError("the operator takes a list that is not empty")
    return [_check_value(single) for single in value]
