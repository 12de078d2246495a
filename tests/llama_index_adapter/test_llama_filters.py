"""MetadataFilters against what they say, in our collections and in those of LlamaIndex's store."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
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
from qdrant_client.local.payload_filters import check_match

from logic_retrievers import PassageIndex
from logic_retrievers.errors import InputError

Op = FilterOperator
# before, embedded Qdrant took 1 for True, and looked for texts letter by letter; servers never did
AS_SERVERS = not check_match(models.MatchValue(value=1), True)
CORPUS: list[dict[str, Any]] = [
    {"n": 1, "s": "red", "d": "2024-01-05", "t": ["a", "b"], "note": "warm quiet room"},
    {"n": 2, "s": "blue", "d": "2024-06-01T12:00:00", "t": ["b"], "note": "cold quiet room"},
    {"n": 3.0, "s": "red", "d": "2025-01-01", "t": [], "note": "Warm Pool"},
    {"n": 2.5, "s": ["red", "green"], "t": "a", "flag": AS_SERVERS or None},
    {"n": -1, "s": None, "d": "no date", "flag": False if AS_SERVERS else None},
    {"n": [1, 7], "s": "", "t": None},
    {"n": None, "s": "Red", "t": ["c", "a", "b"], "odd key": 1, "deep": {"x": 1}},
    {},
    {"n": AS_SERVERS or None, "s": "1", "d": ["2023-01-01", "2026-01-01"]},
]


def has(value: Any) -> bool:
    return value is not None and value != []


def values(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if has(value) else []


def same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def moment(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def ordered(one: Any, other: Any, holds: Callable[[Any, Any], bool]) -> bool:
    if isinstance(other, str):
        left, right = moment(one), moment(other)
        return left is not None and right is not None and holds(left, right)
    return isinstance(one, int | float) and not isinstance(one, bool) and holds(one, other)


def meets(metadata: dict[str, Any], one: MetadataFilter) -> bool:
    """What the operator says, in the plainest words."""
    stored, wanted = metadata.get(one.key), one.value
    among = any(same(v, w) for v in values(stored) for w in values(wanted))
    match one.operator:
        case Op.EQ | Op.CONTAINS | Op.IN | Op.ANY:
            return among
        case Op.NE | Op.NIN:
            return has(stored) and not among
        case Op.ALL:
            return all(any(same(v, w) for v in values(stored)) for w in wanted)
        case Op.GT:
            return any(ordered(v, wanted, lambda a, b: a > b) for v in values(stored))
        case Op.GTE:
            return any(ordered(v, wanted, lambda a, b: a >= b) for v in values(stored))
        case Op.LT:
            return any(ordered(v, wanted, lambda a, b: a < b) for v in values(stored))
        case Op.LTE:
            return any(ordered(v, wanted, lambda a, b: a <= b) for v in values(stored))
        case Op.TEXT_MATCH | Op.TEXT_MATCH_INSENSITIVE:
            words = wanted.lower().split()
            return any(
                all(word in v.lower().split() for word in words)
                for v in values(stored)
                if isinstance(v, str)
            )
        case Op.IS_EMPTY:
            return not has(stored)


def admits(metadata: dict[str, Any], group: MetadataFilters) -> bool:
    results = [
        admits(metadata, one) if isinstance(one, MetadataFilters) else meets(metadata, one)
        for one in group.filters
        if not isinstance(one, MetadataFilters) or asks(one)
    ]
    if not results:
        return True
    if group.condition == FilterCondition.OR:
        return any(results)
    if group.condition == FilterCondition.NOT:
        return not any(results)
    return all(results)


def asks(group: MetadataFilters) -> bool:
    return any(not isinstance(one, MetadataFilters) or asks(one) for one in group.filters)


NUMBERS = st.sampled_from([1, 2, 3, 1.0, 2.5, 7, -1, 0])
WORDS = st.sampled_from(["red", "blue", "green", "Red", "a", "b", "c", "1"])
DATES = st.sampled_from(["2024-01-05", "2024-06-01", "2024-06-01T12:00:00", "2025-01-01"])
KEYS = st.sampled_from(["n", "s", "t", "d", "flag", "absent", "odd key", "deep.x"])


def leaf(operators: list[Op], wanted: st.SearchStrategy[Any], keys: Any = KEYS) -> Any:
    return st.builds(
        lambda key, operator, value: MetadataFilter(key=key, operator=operator, value=value),
        keys,
        st.sampled_from(operators),
        wanted,
    )


LISTS = st.one_of(
    *(st.lists(one, min_size=1, max_size=3) for one in (WORDS, DATES)),
    st.lists(st.sampled_from([1, 2, 3, 7]), min_size=1, max_size=3),
    st.lists(st.sampled_from([1.0, 2.5, 3.0]), min_size=1, max_size=3),
)
LEAVES = st.one_of(
    leaf([Op.EQ, Op.NE, Op.CONTAINS], NUMBERS | WORDS | DATES),
    leaf([Op.GT, Op.GTE, Op.LT, Op.LTE], NUMBERS | DATES),
    leaf([Op.IN, Op.NIN, Op.ANY, Op.ALL], LISTS),
    leaf([Op.IS_EMPTY], st.none()),
    leaf(
        [Op.TEXT_MATCH, Op.TEXT_MATCH_INSENSITIVE],
        st.sampled_from(
            ["quiet", "warm room", "Warm", "pool", "absent"] if AS_SERVERS else ["quiet", "absent"]
        ),
        st.sampled_from(["note", "absent", "n"] if AS_SERVERS else ["note", "absent"]),
    ),
)
GROUPS = st.recursive(
    st.builds(
        lambda filters, condition: MetadataFilters(filters=filters, condition=condition),
        st.lists(LEAVES, max_size=3),
        st.sampled_from([*FilterCondition, None]),
    ),
    lambda inner: st.builds(
        lambda filters, condition: MetadataFilters(filters=filters, condition=condition),
        st.lists(LEAVES | inner, max_size=3),
        st.sampled_from([*FilterCondition]),
    ),
    max_leaves=4,
)


def reference(metadata: dict[str, Any]) -> dict[str, Any]:
    """With nested metadata under its path."""
    return {**metadata, "deep.x": metadata.get("deep", {}).get("x")}


def corpus() -> list[TextNode]:
    return [TextNode(id_=f"p{i}", text=f"Text {i}.", metadata=m) for i, m in enumerate(CORPUS)]


@pytest.fixture(scope="module")
def ours() -> PassageIndex:
    store = LogicVectorStore.open()
    store.add(corpus())
    return store.index


@pytest.fixture(scope="module")
def theirs() -> PassageIndex:
    """What LlamaIndex's own store wrote, and one more passage that we wrote beside it."""
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


def check(index: PassageIndex, group: MetadataFilters) -> None:
    found = index.scroll(to_user_filter(group, index.prefixes))
    admitted = [m for m in CORPUS if admits(reference(m), group)]
    assert sorted(map(str, (p.metadata for p in found))) == sorted(map(str, admitted))


many = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@many
@given(GROUPS)
def test_a_filter_admits_what_it_says(ours, group):
    """A filter that admits too much shows one customer's papers to another."""
    check(ours, group)


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@many
@given(GROUPS)
def test_it_says_the_same_of_a_collection_that_llama_index_wrote(theirs, group):
    """There the metadata lies elsewhere, and nothing would match."""
    check(theirs, group)


@pytest.mark.parametrize("operator", list(Op))
def test_every_operator_is_translated(ours, operator):
    """A new operator of LlamaIndex must not slip through as another one."""
    listed = operator in (Op.IN, Op.NIN, Op.ANY, Op.ALL)
    value = ["red"] if listed else "2024-01-05" if operator.value[0] in "<>" else "red"
    group = MetadataFilters(filters=[MetadataFilter(key="s", operator=operator, value=value)])
    assert to_user_filter(group, ours.prefixes) is not None


def test_not_equal_and_not_of_equal_differ_where_the_field_is_missing(ours):
    """Decided and documented; whoever changes it changes what users see."""
    equal = MetadataFilter(key="s", value="red")
    unequal = MetadataFilter(key="s", value="red", operator=Op.NE)
    negated = MetadataFilters(filters=[equal], condition=FilterCondition.NOT)
    having = {
        p.id for p in ours.scroll(to_user_filter(MetadataFilters(filters=[unequal]), ["metadata"]))
    }
    missing = {p.id for p in ours.scroll(to_user_filter(negated, ["metadata"]))}
    assert having == {"p1", "p5", "p6", "p8"}
    assert missing == having | {"p4", "p7"}


@pytest.mark.parametrize(
    ("operator", "value"),
    [
        (Op.EQ, ["a"]),
        (Op.EQ, None),
        (Op.NE, None),
        (Op.CONTAINS, ["a"]),
        (Op.IN, "a"),
        (Op.IN, []),
        (Op.NIN, []),
        (Op.ALL, []),
        (Op.ANY, 3),
        (Op.GT, "long ago"),
        (Op.LTE, ["2024-01-01"]),
        (Op.GTE, None),
        (Op.TEXT_MATCH, ""),
        (Op.TEXT_MATCH, 3),
    ],
)
def test_what_cannot_be_translated_is_refused_by_name(index, operator, value):
    """A condition that is dropped admits everything."""
    group = MetadataFilters(filters=[MetadataFilter(key="city", operator=operator, value=value)])
    with pytest.raises(InputError) as caught:
        ConstraintRetriever(index, filter=group)
    assert "'city'" in str(caught.value)
    assert operator.value in str(caught.value)


def test_native_filters_and_dicts_pass_as_they_are():
    """A copy of the user's filter that lost a condition."""
    native = models.Filter(must=[models.HasIdCondition(has_id=[1])])
    assert to_user_filter(native, ["metadata"]) is native
    assert to_user_filter({"a": 1}, ["metadata"]) == {"a": 1}
    assert to_user_filter(None, ["metadata"]) is None
    assert to_user_filter(MetadataFilters(filters=[]), ["metadata"]) is None
