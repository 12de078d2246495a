"""Metadata filters: an index and a reranker answer as plain Python does and create no file."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from filter_semantics import matches
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers import Engine, Passage, PassageIndex, Reranker
from logic_retrievers.errors import InputError, UnknownFieldWarning
from logic_retrievers.index.filters import MAX_CONDITIONS
from logic_retrievers.policies import TopicalPolicy

NUMBERS = (0, 1, 1.0, 2, 2.0, -1, -1.0, 1.5, 2020, 2020.0, 2**52, float(2**52), 0.1 + 0.2, 1e300)
SINGLE = (*NUMBERS, True, False, "x", "X y", "1", "1.0", "sea view", "", None, "2024-05-01")
VALUES = (
    *SINGLE,
    *([], [1, 2.0], ["x", 1.0], [True, 1], ["sea", "quiet view"], [None], [1.5, "x", False]),
    *("2024-06-01T00:00:00+02:00", ["2020-01-01", "2024-05-01"], 2**53 + 1, -(2**63) + 1),
    *({"b": 1}, {"b": 1.0, "c": ["x", 2]}, {"b": {"c": True}}, {"b.c": "x"}, {"b": []}),
    *([{"b": 1}, {"b": "x"}], [{"b": {"c": 2.0}}], {"x[0]": 2, "title": "x"}),
)
MOMENTS = ("2024-05-01", "2020-01-01T00:00:00Z", datetime(2024, 5, 31, 22, tzinfo=UTC))
NAMES = ("a", "a.b", "a.b.c", "x[0]", "x", "dc", "dc.title", "a b", "@type", "é", "a[")
PASSAGES = [
    Passage(f"{name} {n} {more}", f"An inn, number {n}.", {name: value, **more_fields})
    for name in NAMES
    for n, value in enumerate(VALUES)
    for more, more_fields in enumerate(({}, {"a": {"b": 2}}, {"x": [2020.0, "x"]})[: 1 + n % 3])
]
KEYS = (*NAMES, *('"a.b"', '"x[0]"', 'a."b.c"', 'dc."x[0]"', "a[].b", "a[0].b.c", "x[]", "a[1]"))
BOUNDS = st.sampled_from(("gt", "gte", "lt", "lte"))
PLAIN = st.one_of(
    st.sampled_from(SINGLE),
    st.lists(st.sampled_from(SINGLE), min_size=1, max_size=4),
    st.sampled_from(([*range(-20, 0), 1], [n / 2 for n in range(-9, 20)])),
    st.dictionaries(BOUNDS, st.sampled_from(NUMBERS), min_size=1),
    st.sampled_from(({"text": "SEA view"}, {"text": "x"}, {"text": "view, sea - "})),
)
WANTED = PLAIN | st.fixed_dictionaries({"not": PLAIN})
FILTERS = st.dictionaries(st.sampled_from(KEYS), WANTED, min_size=1, max_size=2)
INDEXED = {"a.b": "float", "a": "keyword", "x[0]": "float", "dc": "text", "dc.title": "text"}


@dataclass(frozen=True)
class Without(TopicalPolicy):
    """Plain search without passages that have one of these values: ``{field: [values]}``."""

    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def must_not(self):
        return self.values


@pytest.fixture(scope="module")
def encoder():
    return HashedEncoder(dimension=8)


@pytest.fixture(scope="module", params=[None, INDEXED], ids=["plain", "indexed"])
def index(request, encoder):
    with PassageIndex.open("p", encoder, lexical=False, indexed_fields=request.param) as index:
        index.add(PASSAGES)
        yield index


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@settings(max_examples=200, deadline=None)
@given(asked=FILTERS)
def test_an_index_answers_as_plain_python_does(index, asked):
    """A filter that drops a passage, or lets one through, shows no error."""
    found = {passage.id for passage in index.scroll(asked)}
    assert found == {one.id for one in PASSAGES if matches(one.metadata, asked)}


# a payload index of numbers would compare dates as microseconds
@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
@pytest.mark.parametrize("index", [None], ids=["plain"], indirect=True)
@settings(max_examples=100, deadline=None)
@given(
    key=st.sampled_from(KEYS),
    bounds=st.dictionaries(BOUNDS, st.sampled_from(MOMENTS), min_size=1),
)
def test_an_index_compares_dates_as_plain_python_does(index, key, bounds):
    """A date's time zone counts, and a number is not a date."""
    found = {passage.id for passage in index.scroll({key: bounds})}
    assert found == {one.id for one in PASSAGES if matches(one.metadata, {key: bounds})}


@settings(max_examples=60, deadline=None)
@given(
    key=st.sampled_from(KEYS),
    values=st.lists(st.sampled_from([v for v in SINGLE if v is not None]), min_size=1, max_size=3),
)
def test_a_reranker_reads_metadata_as_an_index_does(index, encoder, key, values):
    """`fields={"address.city": ...}` dropped passages from a search but kept them in a list."""
    policy = Without({key: values})
    searched = Engine(index, policy, judge=None).search("inn", len(PASSAGES))
    reranked = Reranker(encoder, policy, judge=None).rerank("inn", PASSAGES)
    wanted = {one.id for one in PASSAGES if matches(one.metadata, {key: {"not": values}})}
    assert {hit.passage.id for hit in searched} == {hit.passage.id for hit in reranked} == wanted


def files(folder: Path) -> int:
    return sum(path.is_file() for path in folder.rglob("*"))


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.UnknownFieldWarning")
def test_searches_write_nothing_whatever_they_filter_by(encoder, tmp_path):
    """Each filtered field got a permanent index: 200 fields took minutes and many files."""
    with PassageIndex.open("p", encoder, location=tmp_path, indexed_fields={"n": "float"}) as index:
        index.add(Passage(str(n), f"text {n}", {"n": n, "t": f"t {n}"}) for n in range(1_200))
        engine = Engine(index, "topical", judge=None)
        engine.search("text")
        schema, count = set(index.client.get_collection("p").payload_schema), files(tmp_path)
        assert "metadata.n" in schema
        unknown = {f"f{n}": "x" for n in range(MAX_CONDITIONS)}
        asked = (unknown, {"t": "t 1"}, {"n": [1, 2.0]}, {"t": {"text": "T"}}, {"t": {"gte": 1}})
        for condition in asked:
            begun = time.process_time()
            engine.search("text", filter=condition)
            index.count(condition)
            assert index.delete(filter={"gone": 1}) == 0
            assert time.process_time() - begun < 0.5
        with pytest.raises(InputError, match="conditions"):
            engine.search("text", filter={f"f{n}": "x" for n in range(1_000)})
        assert set(index.client.get_collection("p").payload_schema) == schema
        assert files(tmp_path) == count


UNKNOWN = {
    "a misspelt field": ({"lnag": "en"}, "a text in .*'lnag'"),
    "the payload's path": ({"metadata.lang": "en"}, "a text in .*'metadata.lang'"),
    "numbers over texts": ({"date": {"gte": 2023}}, "a number in .*'date'"),
    "a text for a number": ({"year": "2020"}, "a text in .*'year'"),
    "dates over other texts": ({"lang": {"gte": "2024-01-01"}}, "a date in .*'lang'"),
    "a truth for a text": ({"lang": True}, "true or false in .*'lang'"),
    "one of two": ({"lang": "en", "yaer": [2020, 2021]}, "a number in .*'yaer'"),
    "several kinds": ({"yaer": ["x", 1]}, "a text or a number in .*'yaer'"),
    "words": ({"txet": {"text": "two words"}}, "a text in .*'txet'"),
}
EXPLAINED = {
    "another value": {"lang": "no"},
    "another year": {"year": {"gt": 2030}},
    "both, never together": {"lang": "de", "year": 2020},
    "absent": {"lang": None},
    "a dot": {"dc.title": "no"},
    "nested": {"in.ner": 5},
    "a field or an id": models.Filter(
        should=[
            models.FieldCondition(key="metadata.lnag", match=models.MatchValue(value="en")),
            models.HasIdCondition(has_id=[1]),
        ]
    ),
}


@pytest.fixture
def small(encoder):
    with PassageIndex.open("p", encoder, lexical=False) as index:
        index.add(
            [
                Passage("a", "An inn.", {"lang": "en", "year": 2020, "date": "2023-05-01"}),
                Passage("b", "A bar.", {"lang": "de", "dc.title": "B", "in": {"ner": 1}}),
            ]
        )
        yield index


@pytest.mark.parametrize("name", UNKNOWN)
async def test_a_filter_that_can_find_nothing_is_warned_of_once(small, name):
    """Without a warning the empty list looks like an answer."""
    condition, words = UNKNOWN[name]
    engine = Engine(small, judge=None)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert engine.search("an inn", filter=condition) == []
        assert await engine.asearch("an inn", filter=condition) == []
        assert small.count(condition) == 0
        assert list(small.scroll(condition)) == []
    [warning] = told
    assert warning.category is UnknownFieldWarning
    assert warning.filename == __file__
    assert re.search(words, str(warning.message))


def test_of_many_unknown_fields_a_later_search_tells_the_rest(small):
    """A field not yet looked up must not count as warned of."""
    with pytest.warns(UnknownFieldWarning, match="k3"):
        small.count({f"k{n}": 1 for n in range(6)})
    with pytest.warns(UnknownFieldWarning, match="k5"):
        small.count({"k5": 1})


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_filter_that_finds_nothing_for_another_reason_is_not(small, name):
    """After a wrong warning users ignore the next one."""
    list(small.scroll(EXPLAINED[name]))
    assert small.unknown_fields(EXPLAINED[name]) == {}


def test_conditions_that_belong_together_are_looked_up_together(small):
    """A passage with one of two joined fields made neither of them count as unknown."""

    def has(name: str, value: str) -> models.FieldCondition:
        return models.FieldCondition(key=f"metadata.{name}", match=models.MatchValue(value=value))

    both = models.Filter(must=[has("nope", "x"), has("lang", "en")])
    assert set(small.unknown_fields(models.Filter(should=[both]))) == {"nope", "lang"}
    assert small.unknown_fields(models.Filter(should=[both, has("lang", "no")])) == {}


def test_an_empty_collection_has_no_fields_yet(encoder):
    """The warning waits until the first passages are stored."""
    with PassageIndex.open("p", encoder, lexical=False) as index:
        assert index.count({"lang": "en"}) == 0
        index.add([Passage("a", "An inn.", {"year": 1})])
        with pytest.warns(UnknownFieldWarning):
            assert index.count({"lang": "en"}) == 0


def test_what_is_known_costs_no_request(small, monkeypatch):
    """A search with hits sends no extra request; an empty one only the first time."""
    asked = []
    scroll = small.client.scroll
    monkeypatch.setattr(
        small.client,
        "scroll",
        lambda *args, **kwargs: asked.append(kwargs) or scroll(*args, **kwargs),
    )
    engine = Engine(small, judge=None)
    assert len(engine.search("an inn", filter={"lang": "en"})) == 1
    assert asked == []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(5):
            assert engine.search("an inn", filter={"lang": "no", "lnag": "en"}) == []
    assert len(asked) == 3  # whether there is any passage; each field
    assert len(told) == 1


@pytest.mark.parametrize("key", ["a\\b", 'a"b'])
def test_a_key_that_qdrant_cannot_reach_is_refused_by_all(small, encoder, key):
    """A server answered 500 with the path of its folder."""
    small.add([Passage("odd", "text", {key: 1})])
    assert small.get(["odd"])[0].metadata == {key: 1}
    policy = Without({key: [1]})
    with pytest.raises(InputError, match="no path"):
        small.count({key: 1})
    with pytest.raises(InputError, match="no path"):
        Engine(small, policy, judge=None).search("x")
    with pytest.raises(InputError, match="no path"):
        Reranker(encoder, policy, judge=None).rerank("x", [Passage("a", "b")])
