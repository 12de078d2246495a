"""Odd queries and operands; any text and any expression are in tests/engine/test_any_query.py."""

from __future__ import annotations

import json
from typing import Any

from hostile import ODD_TEXTS, examples, hostile, refused_or_right, words
from hypothesis import given
from hypothesis import strategies as st

import logic_retrievers as lr

PATTERNS = ("{}", "{} without {}", "{} except {} and {}", "{} (not {})", 'NOT "{}"', "{} ohne {}")


@given(
    st.sampled_from(PATTERNS), st.lists(st.sampled_from(ODD_TEXTS) | words, min_size=3, max_size=3),
    st.just(()) | st.lists(st.sampled_from(ODD_TEXTS) | words, max_size=2), st.booleans(),
)  # fmt: skip
@examples
def test_an_odd_query_is_searched_for_or_refused(
    inn_index: lr.PassageIndex, pattern: str, parts: list[str], exclude: Any, hard: bool
):
    query = pattern.format(*parts)
    with refused_or_right():
        parsed = lr.ConstraintParser().parse(query)
        json.dumps(parsed.to_dict())
        assert parsed.text == query
        assert all(part.strip() for part in parsed.excluded)
        hits = lr.Engine(inn_index, judge=None).search(query, 3, exclude=exclude, hard=hard)
        json.dumps([hit.to_dict() for hit in hits], allow_nan=False)
        assert hard or len(hits) == 3


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
