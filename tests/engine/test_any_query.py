"""Any text and any expression: answered, or refused with our own error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import Engine, Expression, ParsedQuery, Passage, PassageIndex
from logic_retrievers.errors import ExpressionError, InputError
from logic_retrievers.policies.registry import POLICIES

PIECES = ("inn", "without", "but", "not", "or", "and", "neither", "(", '"', "\u202e", "é", "旅館")
TEXTS = st.text(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=15).map(" ".join)
JSON = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {"op": st.sampled_from(["atom", "and", "or", "not", "xor"])},
            optional={"text": TEXTS, "args": st.lists(inner, max_size=3) | inner},
        )
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("inns", HashedEncoder(), lexical=True) as index:
        index.add([Passage(f"{n}", f"An inn, number {n}, by the sea.") for n in range(12)])
        yield index


@settings(max_examples=150, deadline=None)
@given(
    TEXTS,
    st.sampled_from(sorted(POLICIES.keys() - {"judge", "lexical"})),
    st.sampled_from([1, 3, 50]),
    st.none() | st.lists(TEXTS, min_size=1, max_size=32),
)
def test_any_text_is_searched_for(index, text, policy, k, exclude):
    """Returns all hits that exist, with evidence that JSON holds; empty texts are refused."""
    arguments = {"policy": policy} if exclude is None else {"exclude": exclude}
    try:
        hits = Engine(index, judge=None).search(text, k, **arguments)
    except InputError:
        assert not text.isalnum() or exclude
        return
    assert [hit.rank for hit in hits] == list(range(1, min(k, 12) + 1))
    assert len({hit.passage.id for hit in hits}) == len(hits)
    json.dumps([hit.to_dict() for hit in hits], allow_nan=False)


@settings(deadline=None)
@given(TEXTS.map(lambda text: f"{text} AND {text} OR NOT ({text})") | TEXTS | JSON)
def test_what_is_read_as_an_expression_reads_again(value):
    read = Expression.parse if isinstance(value, str) else Expression.from_dict
    try:
        expression = read(value)
    except ExpressionError:
        return
    assert Expression.parse(str(expression)) == expression
    assert Expression.from_dict(json.loads(json.dumps(expression.to_dict()))) == expression
    try:
        ParsedQuery.stating(expression)
    except ExpressionError:  # the query only excludes
        return
