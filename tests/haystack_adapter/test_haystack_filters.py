"""Translated Haystack filters admit what Haystack's own in-memory store admits."""

from __future__ import annotations

from typing import Any

import pytest
from haystack import Document
from haystack.utils.filters import document_matches_filter
from haystack_logic_retrievers import LogicDocumentStore
from haystack_logic_retrievers.filters import translate_filters
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import HashedEncoder

from logic_retrievers.errors import InputError

DOCUMENTS = [
    Document(id="a", content="a", meta={"n": 1, "s": "x", "b": True, "d": {"k": "x"}}),
    Document(id="b", content="b", meta={"n": 2.5, "s": "y", "b": False}),
    Document(id="c", content="c", meta={"n": 3, "s": None, "d": {"k": "y"}}),
    Document(id="d", content="d", meta={"n": 3.0, "s": "x y"}),
    Document(id="e", content="e"),
]
VALUES: dict[str, list[Any]] = {
    "meta.n": [1, 2.5, 3, 3.0, None],
    "n": [1, 2.5, 3, 3.0, None],
    "meta.s": ["x", "y", "x y", None],
    "meta.b": [True, False, None],
    "meta.d.k": ["x", "y", None],
    "meta.unknown": ["x", None],
    "id": ["a", "c", "z"],
}
NUMBERS = ("meta.n", "n")


@st.composite
def comparisons(draw: st.DrawFn) -> dict[str, Any]:
    field = draw(st.sampled_from(list(VALUES)))
    values = st.sampled_from(VALUES[field])
    operators = ["==", "!=", "in", "not in", *([">", ">=", "<", "<="] if field in NUMBERS else [])]
    operator = draw(st.sampled_from(operators))
    value = draw(st.lists(values, max_size=3) if operator in ("in", "not in") else values)
    return {"field": field, "operator": operator, "value": value}


FILTERS = st.recursive(
    comparisons(),
    lambda inner: st.fixed_dictionaries(
        {
            "operator": st.sampled_from(["AND", "OR", "NOT"]),
            "conditions": st.lists(inner, max_size=3),
        }
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def store():
    store = LogicDocumentStore(encoder=HashedEncoder(dimension=8))
    store.write_documents(DOCUMENTS)
    yield store
    store.close()


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@settings(max_examples=150)
@given(filters=FILTERS)
def test_the_same_documents_as_in_haystacks_own_store(store, filters):
    """A filter that admits more shows what a user may not see."""
    found = {document.id for document in store.filter_documents(filters)}
    assert found == {one.id for one in DOCUMENTS if document_matches_filter(filters, one)}


def test_a_list_counts_as_each_of_its_values(store):
    """Unlike in Haystack; the docs say so."""
    store.write_documents([Document(id="l", content="l", meta={"tags": ["a", "b"]})])
    for operator, value in (("==", "a"), ("in", ["b", "z"])):
        filters = {"field": "meta.tags", "operator": operator, "value": value}
        assert [one.id for one in store.filter_documents(filters)] == ["l"]
    store.delete_documents(["l"])


def test_dates(store):
    """A day compares as a day, not letter by letter."""
    dates = {"old": "1999-12-31", "new": "2024-05-01T10:00:00+00:00"}
    store.write_documents(
        [Document(id=name, content=name, meta={"when": when}) for name, when in dates.items()]
    )
    filters = {"field": "meta.when", "operator": ">", "value": "2000-01-01"}
    assert [one.id for one in store.filter_documents(filters)] == ["new"]
    store.delete_documents(list(dates))


CONDITION = {"field": "meta.n", "operator": "==", "value": 1}
WRONG = {
    "a shorthand": ({"year": 2020}, "'field': 'meta.year'"),
    "an operator": ({**CONDITION, "operator": "~"}, "operator"),
    "a group": ({"operator": "XOR", "conditions": [CONDITION]}, "XOR"),
    "conditions": ({"operator": "AND", "conditions": CONDITION}, "conditions"),
    "a list": ({**CONDITION, "value": [1]}, "plain"),
    "the content": ({**CONDITION, "field": "content"}, "only metadata .* and 'id'"),
    "a number as id": ({**CONDITION, "field": "id"}, "id"),
    "a range of ids": ({"field": "id", "operator": ">", "value": "a"}, "ids are compared by =="),
    "a field": ({**CONDITION, "field": 3}, "only metadata"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_cannot_be_read_is_refused(kind):
    """Dropping a filter would admit everything."""
    filters, words = WRONG[kind]
    with pytest.raises(InputError, match=words):
        translate_filters(filters)


def test_an_endless_filter_is_refused():
    """A filter may contain itself."""
    endless: dict[str, Any] = {"operator": "AND", "conditions": []}
    endless["conditions"].append(endless)
    with pytest.raises(InputError, match="too deeply"):
        translate_filters(endless)
