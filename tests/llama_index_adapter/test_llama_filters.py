"""MetadataFilters do what they say, in our collections and in those of LlamaIndex's store."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
)
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import ConstraintRetriever, LogicVectorStore, open_index_over
from llama_index_logic_retrievers.filters import to_user_filter
from llama_index_logic_retrievers.nodes import stored_passage
from llama_stubs import TheirModel
from qdrant_client import QdrantClient, models

from logic_retrievers import PassageIndex
from logic_retrievers.errors import InputError

Op, Join = FilterOperator, FilterCondition
CORPUS: list[dict[str, Any]] = [
    {"n": 1, "s": "red", "d": "2024-01-05", "t": ["a", "b"], "note": "warm quiet room"},
    {"n": 2, "s": "blue", "d": "2024-06-01T12:00:00", "t": ["b"], "note": "cold quiet room"},
    {"n": 3.0, "s": "red", "d": "2025-01-01", "t": [], "note": "Warm Pool"},
    {"n": 2.5, "s": ["red", "green"], "t": "a"},
    {"n": -1, "s": None, "d": "no date", "odd key": 1},
    {"n": None, "s": "Red", "t": ["c", "a", "b"], "deep": {"x": 1}},
    {},
]
# key, operator, value; positions in the corpus
OPERATORS: list[tuple[str, Op, Any, set[int]]] = [
    ("n", Op.EQ, 1, {0}),
    ("s", Op.EQ, "red", {0, 2, 3}),
    ("odd key", Op.EQ, 1, {4}),
    ("deep.x", Op.EQ, 1, {5}),
    ("s", Op.NE, "red", {1, 5}),
    ("t", Op.CONTAINS, "b", {0, 1, 5}),
    ("n", Op.GT, 2, {2, 3}),
    ("n", Op.GTE, 2, {1, 2, 3}),
    ("n", Op.LT, 2, {0, 4}),
    ("n", Op.LTE, 2, {0, 1, 4}),
    ("d", Op.GT, "2024-01-05", {1, 2}),
    ("s", Op.IN, ["blue", "green"], {1, 3}),
    ("s", Op.NIN, ["red", "blue"], {5}),
    ("t", Op.ANY, ["b", "c"], {0, 1, 5}),
    ("t", Op.ALL, ["a", "b"], {0, 5}),
    # older clients' local mode matches texts letter by letter
    ("note", Op.TEXT_MATCH, "quiet room", {0, 1}),
    ("note", Op.TEXT_MATCH_INSENSITIVE, "quiet", {0, 1}),
    ("t", Op.IS_EMPTY, None, {2, 4, 6}),
    ("absent", Op.NE, 1, set()),
]
RED = MetadataFilter(key="s", value="red")
BLUE = MetadataFilter(key="s", value="blue")
LARGE = MetadataFilter(key="n", operator=Op.GT, value=1)


def group(*filters: Any, condition: Join | None = None) -> MetadataFilters:
    return MetadataFilters(filters=list(filters), condition=condition)


GROUPS = [
    (group(RED, LARGE, condition=Join.AND), {2, 3}),
    (group(BLUE, LARGE, condition=Join.OR), {1, 2, 3}),
    (group(RED, condition=Join.NOT), {1, 4, 5, 6}),  # unlike !=, it also matches a missing field
    (group(RED, BLUE, condition=Join.NOT), {4, 5, 6}),
    (group(LARGE, group(RED, condition=Join.NOT)), {1}),
    (group(RED, group()), {0, 2, 3}),
    (group(), set(range(len(CORPUS)))),
]


def corpus() -> list[TextNode]:
    return [TextNode(id_=f"p{i}", text=f"Text {i}.", metadata=m) for i, m in enumerate(CORPUS)]


@pytest.fixture(scope="module")
def ours() -> PassageIndex:
    store = LogicVectorStore.open()
    store.add(corpus())
    return store.index


@pytest.fixture(scope="module")
def theirs() -> PassageIndex:
    """Passages written by LlamaIndex's store, and two that we added."""
    model = TheirModel(model_name="m")
    store = QdrantVectorStore("p", client=QdrantClient(":memory:"))
    some = corpus()
    for number, node in enumerate(some):
        node.embedding = model.get_text_embedding(node.text)
        node.id_ = f"00000000-0000-4000-8000-{number:012}"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Payload indexes have no effect in the local Qdrant")
        store.add(some[:-2])
    index = open_index_over(store, embed_model=model)
    index.add([stored_passage(node) for node in some[-2:]])
    assert index.prefixes == ("", "metadata")
    return index


def check(index: PassageIndex, filters: MetadataFilters, places: set[int]) -> None:
    found = index.scroll(to_user_filter(filters, index.prefixes))
    assert {int(passage.text[5:-1]) for passage in found} == places


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@pytest.mark.parametrize(("key", "operator", "value", "places"), OPERATORS)
def test_a_condition_admits_what_it_says(ours, theirs, key, operator, value, places):
    """Admitting too much shows one customer's papers to a different customer."""
    condition = MetadataFilter(key=key, operator=operator, value=value)
    check(ours, group(condition), places)
    check(theirs, group(condition), places)  # metadata lies elsewhere there


def test_every_operator_is_translated():
    """A new LlamaIndex operator must not be mistaken for a known one."""
    assert {operator for _, operator, _, _ in OPERATORS} == set(Op)


@pytest.mark.parametrize(("filters", "places"), GROUPS)
def test_conditions_are_joined(ours, theirs, filters, places):
    """A misread group admits too much."""
    check(ours, filters, places)
    check(theirs, filters, places)


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        (Op.EQ, ["a"]),
        (Op.NE, None),
        (Op.IN, "a"),
        (Op.ALL, [None]),
        (Op.GT, "long ago"),
        (Op.TEXT_MATCH, ""),
    ],
)
def test_what_cannot_be_translated_is_refused_by_name(index, operator, value):
    """Dropping a condition admits everything."""
    condition = MetadataFilter.model_construct(key="city", operator=operator, value=value)
    with pytest.raises(InputError, match=f"'city' {operator.value}"):
        ConstraintRetriever(index, filter=group(condition))


def test_native_filters_and_dicts_pass_as_they_are():
    """A copy of the user's filter could lose a condition."""
    native = models.Filter(must=[models.HasIdCondition(has_id=[1])])
    assert to_user_filter(native, ["metadata"]) is native
    assert to_user_filter({"a": 1}, ["metadata"]) == {"a": 1}
    assert to_user_filter(None, ["metadata"]) is None
