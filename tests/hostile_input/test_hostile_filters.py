"""Filters of every form, and wrong ones: counted as plain Python counts them, or refused."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from filter_semantics import matches
from hostile import ODD_TEXTS, examples, hostile, nested, refused_or_right
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import models

from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

# tests/index/test_filter_answers.py has filters of every right form
METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"city": "Oslo", "year": 2020, "price": 1.5, "tags": ["sea", "quiet"], "open": True},
    {"city": "", "year": 0, "price": -0.5, "tags": "sea", "open": None},
    {"city": "1", "year": "2020", "price": "1.5", "open": "true", "tags": [1, 2]},
    {"nested": {"city": "Oslo", "list": [{"a": 1}, {"a": 2}]}, "year": -(2**63) + 1},
    {"nested": {"city": ["Oslo"]}, "date": "2024-06-01T00:00:00+02:00", "it's": 3, "é": "é"},
    {"date": "yesterday", "open": 0, "year": 2**63 - 1, "id": "a", "logic": 6, "\x1b[2J": 1},
)
KEYS = (
    *("city", "year", "tags", "nested.city", "nested.list[].a", "date", "missing", "", "it's"),
    *("\x1b[2J", "tags[]", "tags[0]", "logic", "_node", "id", "metadata.city", "nested.", ".city"),
    *("a[", "city.x", "nested..city", "logic.id", "tags[99999999999999999999]"),
)
WANTED = (
    *("Oslo", "", "sea", "1", 2020, 0, 1.5, 1e300, True, None, 2**63 - 1, "true", -0.0),
    *(date(2024, 5, 1), datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 12)),
)
BOUNDS = (0, 1.5, -5, 2020, 2**53, 2**63, -1e300, "2024-05-01", "2020-01-01T00:00:00Z")

ranges = st.dictionaries(
    st.sampled_from(("gt", "gte", "lt", "lte")), st.sampled_from(BOUNDS), min_size=1, max_size=2
)
text_queries = st.sampled_from(("sea", "Sea", "oslo sea", "o\u0308slo", "-", *ODD_TEXTS))
simple = st.one_of(
    st.sampled_from(WANTED),
    st.lists(st.sampled_from(WANTED), max_size=3),
    ranges,
    text_queries.map(lambda text: {"text": text}),
    st.dictionaries(st.sampled_from(("gt", "text", "not", "in", "$gt")), hostile, max_size=2),
    st.sampled_from((nested(2, dict), nested(70, dict), nested(1000, dict))),
    hostile,
)
filters = st.one_of(
    st.dictionaries(
        st.sampled_from(KEYS), simple | simple.map(lambda w: {"not": w}), min_size=1, max_size=3
    ),
    st.dictionaries(st.sampled_from((*ODD_TEXTS, 1, None)), st.sampled_from(WANTED), max_size=1),
    hostile,
)


@pytest.fixture
def filtered(index: PassageIndex) -> PassageIndex:
    index.add(Passage(f"p{n}", f"quiet inn {n}", values) for n, values in enumerate(METADATA))
    return index


@given(filters)
@examples
def test_a_filter_means_what_plain_python_says(filtered: PassageIndex, conditions: Any):
    with refused_or_right():
        count = filtered.count(conditions)
        ids = sorted(passage.id for passage in filtered.scroll(conditions))
        hits = Engine(filtered, "topical", judge=None).search("inn", 50, filter=conditions)
        assert len(ids) == count
        assert sorted(hit.passage.id for hit in hits) == ids
        if isinstance(conditions, dict):
            expected = (f"p{n}" for n, values in enumerate(METADATA) if matches(values, conditions))
            assert sorted(expected) == ids


@pytest.mark.parametrize(
    "condition",
    [
        models.FieldCondition(key="a[", match=models.MatchValue(value=1)),
        models.IsEmptyCondition(is_empty=models.PayloadField(key="metadata.")),
        models.HasIdCondition(has_id=[]),
        models.HasIdCondition(has_id=[2**63]),
        models.FieldCondition(key="metadata.year", range=models.Range(gte=1e308)),
        models.FieldCondition(key="metadata.city"),
        models.Filter(),
    ],
    ids=range(7),
)
@pytest.mark.parametrize("where", ["must", "must_not", "should"])
def test_a_qdrant_filter_is_taken_or_refused(filtered: PassageIndex, where: str, condition: Any):
    with refused_or_right():
        count = filtered.count(models.Filter(**{where: [condition]}))
        assert 0 <= count <= len(METADATA)
