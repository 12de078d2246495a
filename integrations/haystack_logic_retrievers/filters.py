"""Translate Haystack's filters into Qdrant filters.

``meta.key`` and ``key`` name a field of the metadata, and ``id`` names the document's id. Filters
cannot use other fields of a document. Two things differ from Haystack's in-memory store: a list
field matches if any of its values matches, and dates are equal only if written alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from haystack import Document
from haystack.errors import FilterError
from qdrant_client import models

from logic_retrievers.errors import InputError, shown
from logic_retrievers.index.filters import to_qdrant_filter
from logic_retrievers.index.point_format import METADATA, possible_point_ids

_RANGES = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_OPERATORS = ("==", "!=", *_RANGES, "in", "not in")
_OTHER_FIELDS = frozenset(field.name for field in fields(Document)) - {"id"}
_NOTHING = models.Filter(must=[models.HasIdCondition(has_id=[])])


class FilterInputError(InputError, FilterError):
    """A filter cannot be read. This error is also Haystack's ``FilterError``."""


def translate_filters(
    filters: Any, prefixes: Sequence[str] = (METADATA,), tenant: str | None = None
) -> models.Filter | None:
    """Translate filters into one Qdrant filter; None if there is no condition.

    Args:
        filters: comparisons (``field``, ``operator``, ``value``) in Haystack's format, joined by
            ``AND``, ``OR`` and ``NOT`` (``operator``, ``conditions``).
        prefixes: payload keys under which the collection keeps metadata (``index.prefixes``).
        tenant: tenant whose documents match a condition on ``id``.

    Raises:
        FilterInputError: a filter cannot be read or translated; the message names the part.
    """
    if filters is None or filters == {}:
        return None
    try:
        return _translate(filters, prefixes, tenant)
    except RecursionError:
        raise FilterInputError("The filter is nested too deeply.") from None


def _translate(part: Any, prefixes: Sequence[str], tenant: str | None) -> models.Filter:
    if not isinstance(part, Mapping) or not isinstance(part.get("operator"), str):
        raise FilterInputError(
            "A filter must be {'field': 'meta.year', 'operator': '>=', 'value': 2020}, or several"
            f" under {{'operator': 'AND', 'conditions': [...]}}, not {shown(part)}."
        )
    if "field" in part:
        return _translate_comparison(part, prefixes, tenant)
    operator, conditions = part["operator"], part.get("conditions")
    if not isinstance(conditions, list):
        raise FilterInputError(f"The operator {shown(operator)} needs a list of 'conditions'.")
    translated: list[models.Condition] = [
        _translate(condition, prefixes, tenant) for condition in conditions
    ]
    match operator:
        case "AND":
            return models.Filter(must=translated)
        case "OR":
            return models.Filter(should=translated) if translated else _NOTHING
        case "NOT":
            return models.Filter(must_not=[models.Filter(must=translated)])
    raise FilterInputError(f"Filters are joined by AND, OR and NOT, not {shown(operator)}.")


def _translate_comparison(
    part: Mapping[str, Any], prefixes: Sequence[str], tenant: str | None
) -> models.Filter:
    field, operator = part["field"], part["operator"]
    if "value" not in part:
        raise FilterInputError(f"The filter on {shown(field)} has no 'value'.")
    value = part["value"]
    try:
        if not isinstance(field, str) or field in _OTHER_FIELDS:
            raise InputError("only metadata ('meta.key') and 'id' can be filtered by")
        if operator not in _OPERATORS:
            raise InputError(f"unknown operator; the operators are {', '.join(_OPERATORS)}")
        if operator in ("in", "not in") and not isinstance(value, list):
            raise InputError(f"{operator!r} takes a list")
        if operator in _RANGES:
            return _range(field, _RANGES[operator], value, prefixes)
        values = value if operator in ("in", "not in") else [value]
        found = _any_of(field, values, prefixes, tenant)
    except InputError as error:
        raise FilterInputError(
            f"The filter {shown(field)} {operator} {shown(value)} cannot be translated: {error}"
        ) from None
    return found if operator in ("==", "in") else models.Filter(must_not=[found])


def _range(field: str, bound: str, value: Any, prefixes: Sequence[str]) -> models.Filter:
    if field == "id":
        raise InputError("ids are compared by ==, !=, in and not in")
    return _NOTHING if value is None else _holds(field, {bound: value}, prefixes)


def _any_of(
    field: str, values: Sequence[Any], prefixes: Sequence[str], tenant: str | None
) -> models.Filter:
    if field == "id":
        if not all(isinstance(value, str) for value in values):
            raise InputError("an id must be a text")
        points = [point for value in values for point in possible_point_ids(value, tenant)]
        return models.Filter(must=[models.HasIdCondition(has_id=points)])
    wanted = [value for value in values if value is not None]
    parts: list[models.Condition] = [_holds(field, wanted, prefixes)] if wanted else []
    if None in values:
        parts.append(_holds(field, None, prefixes))
    return models.Filter(should=parts) if parts else _NOTHING


def _holds(field: str, wanted: Any, prefixes: Sequence[str]) -> models.Filter:
    condition = {field.removeprefix("meta."): wanted}
    return to_qdrant_filter(condition, prefixes=prefixes) or models.Filter()
