"""Odd queries and operands; any text and any expression are in tests/engine/test_any_query.py."""

from __future__ import annotations

from typing import Any

from hostile import examples, hostile, refused_or_right
from hypothesis import given
from hypothesis import strategies as st

import logic_retrievers as lr


def test_a_query_of_any_length(inn_index: lr.PassageIndex):
    for query in ("quiet inn without pool " * 3000, "x" * 100_001, "not " * 20_000):
        with refused_or_right():
            assert lr.Engine(inn_index, judge=None).search(query, 3)


@given(st.sampled_from((lr.Atom, lr.Not, lr.And, lr.Or)), st.lists(hostile, max_size=3) | hostile)
@examples
def test_an_operator_refuses_what_is_no_expression(kind: Any, operand: Any):
    with refused_or_right():
        assert isinstance(kind(operand), lr.Expression)
    with refused_or_right():
        lr.Expression.from_dict(operand)
