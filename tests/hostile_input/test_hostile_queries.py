"""Long queries, odd operands and filters; tests/engine/test_any_query.py has more."""

from __future__ import annotations

from typing import Any

import pytest
from hostile import examples, hostile, refused_or_right
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import models

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


@pytest.mark.parametrize(
    "condition",
    [
        models.FieldCondition(key="", match=models.MatchValue(value="Oslo")),
        models.FieldCondition(key="a[", match=models.MatchValue(value=1)),
        models.IsEmptyCondition(is_empty=models.PayloadField(key="metadata.")),
        models.HasIdCondition(has_id=[]),
        models.HasIdCondition(has_id=["x"]),
        models.HasIdCondition(has_id=[2**63]),
        models.FieldCondition(key="metadata.year", range=models.Range(gte=1e308)),
        models.FieldCondition(key="metadata.city"),
        models.Filter(),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("where", ["must", "must_not", "should"])
def test_a_qdrant_filter_is_taken_or_refused(
    inn_index: lr.PassageIndex, where: str, condition: Any
):
    with refused_or_right():
        count = inn_index.count(models.Filter(**{where: [condition]}))
        assert 0 <= count <= 12
