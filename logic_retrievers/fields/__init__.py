"""Metadata fields that an application declares, and the comparisons that queries state about them.

``declarations`` says what a field holds. ``reading`` reads "under 200 euros" out of a query, with
the words of ``english.toml``, with ``periods`` (dates) and ``units``. ``conditions`` is the result.
"""

from logic_retrievers.fields.conditions import Condition, FieldReading, mean_closeness
from logic_retrievers.fields.declarations import (
    ComparableField,
    Date,
    Declared,
    Number,
    Year,
    check_fields,
    describe_field,
)
from logic_retrievers.fields.reading import FieldReader

__all__ = [
    "ComparableField",
    "Condition",
    "Date",
    "Declared",
    "FieldReader",
    "FieldReading",
    "Number",
    "Year",
    "check_fields",
    "describe_field",
    "mean_closeness",
]
