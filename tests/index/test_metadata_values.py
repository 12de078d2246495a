"""Metadata values that JSON lacks, stored and used in filters."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from logic_retrievers.errors import InputError
from logic_retrievers.types import Passage


class Colour(Enum):
    RED = "red"


VALUES = [
    (datetime(2024, 1, 2, 3, 4, tzinfo=UTC), "2024-01-02T03:04:00Z"),
    (date(2024, 1, 2), "2024-01-02"),
    (np.datetime64("2024-01-02T03:04:05", "ns"), "2024-01-02T03:04:05"),
    *[(np.int64(3), 3), (np.float32(2.5), 2.5), (np.bool_(True), True)],
    *[(np.array([1, 2]), [1, 2]), ({"b", "a"}, ["a", "b"]), ((1, 2), [1, 2])],
    *[(Decimal("1.50"), "1.50"), (UUID(int=5), "00000000-0000-0000-0000-000000000005")],
    *[(Path("a"), "a"), (b"text", "text"), (Colour.RED, "red")],
]


def test_metadata_are_stored_as_json_has_them_and_a_filter_finds_them(index):
    """A loader's date must not fail the batch, and a filter by that date must find it."""
    passages = [
        Passage(str(n), "text", {f"key{n}": given, "deep": {1: [given]}}, extra={"x": given})
        for n, (given, _) in enumerate(VALUES)
    ]
    assert index.add(passages).added == len(VALUES)
    for n, (given, stored) in enumerate(VALUES):
        (found,) = index.get([str(n)])
        assert found.metadata == {f"key{n}": stored, "deep": {"1": [stored]}}
        assert found.extra == {"x": stored}
        for value in (given, stored):
            assert index.count({f"key{n}": value}) == 1
            assert index.count({f"key{n}": {"not": value}}) == len(VALUES) - 1
    assert index.add(passages).unchanged == len(VALUES)


@pytest.mark.parametrize("given", [math.nan, -math.inf, np.float32("nan"), Decimal("NaN")])
def test_what_json_has_no_number_for_is_no_value(index, given):
    """Tables with gaps have NaN in every other row."""
    index.add([Passage("a", "text", {"key": [given], "alone": given})])
    assert index.get(["a"])[0].metadata == {"key": [None], "alone": None}
    assert index.count({"alone": None}) == 1
    with pytest.raises(InputError, match="alone"):
        index.count({"alone": given})


def test_a_filter_by_the_keys_of_a_dictionary(index):
    """Any set works as a list of values."""
    index.add([Passage(name, "text", {"key": name}) for name in "abc"])
    assert index.count({"key": {"a": 1, "c": 2}.keys()}) == 2
