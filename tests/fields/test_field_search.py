"""Declared fields in a search: filters, preferences, and what the evidence says."""

from __future__ import annotations

import operator
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import (
    AutoPolicy,
    Date,
    Engine,
    Number,
    ParsedQuery,
    Passage,
    PassageIndex,
    Reranker,
    Year,
)
from logic_retrievers.errors import ConfigurationError, EmptyFilterWarning
from logic_retrievers.fields import Condition
from logic_retrievers.index.filters import matching, to_qdrant_filter
from logic_retrievers.policies import describe_policy, policy_from

TODAY = date(2026, 5, 20)
FIELDS = {
    "price": Number(unit=["EUR", "euros"]),
    "built": Year(),
    "posted": Date(),
    "city": ["Oslo", "Bergen"],
}
PRICES = {"tent-1": 100, "tent-2": 200, "tent-3": 200.5, "tent-4": 450, "stove": 30}
ENCODER = HashedEncoder(dimension=96)


def passages():
    return [
        Passage(
            name,
            f"A {name.partition('-')[0]} for the mountains.",
            {
                "price": price,
                "built": 2015 + number,
                "posted": f"2026-0{number + 1}-10T12:00:00+00:00",
                "city": ["Oslo", "Bergen"][number % 2],
            },
        )
        for number, (name, price) in enumerate(PRICES.items())
    ]


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("goods", ENCODER, lexical=True) as index:
        index.add(passages())
        yield index


@pytest.fixture
def engine(index):
    return Engine(index, fields=FIELDS)


def ids(hits):
    return [hit.passage.id for hit in hits]


WORDS = {
    "under": operator.lt,
    "at most": operator.le,
    "over": operator.gt,
    "at least": operator.ge,
    "exactly": operator.eq,
    "no more than": operator.le,
    "not under": operator.ge,
}


@given(st.sampled_from([*WORDS]), st.sampled_from([30, 100, 199, 200, 200.5, 450]))
def test_a_comparison_keeps_what_a_plain_list_keeps(words, number):
    """The reading, the filter and the engine must agree at the bound itself."""
    with PassageIndex.open("goods", ENCODER) as index:
        index.add(passages())
        engine = Engine(index, fields=FIELDS)
        expected = {name for name, price in PRICES.items() if WORDS[words](price, number)}
        query = f"something for the mountains, {words} {number} euros"
        if expected:
            assert {*ids(engine.search(query))} == expected
        else:
            with pytest.warns(EmptyFilterWarning):
                assert engine.search(query, strict_fields=True) == []


bounds = st.one_of(st.integers(-50, 50), st.floats(-50, 50))
dates = st.dates(date(1990, 1, 1), date(2030, 1, 1))


@given(st.one_of(st.tuples(bounds, bounds, bounds), st.tuples(dates, dates, dates)), st.data())
def test_a_value_is_near_exactly_where_the_filter_finds_it(values, data):
    """If filter and preference disagreed, a list would change its mind when it falls back."""
    low, high, value = values
    low, high = sorted((low, high))
    which = data.draw(st.sampled_from(["low", "high", "both"]))
    strict = data.draw(st.tuples(st.booleans(), st.booleans()))
    condition = Condition(
        "n", None if which == "high" else low, None if which == "low" else high, *strict
    )
    stored = value.isoformat() if isinstance(value, date) else value
    if data.draw(st.booleans()) and isinstance(value, date):
        stored = datetime(value.year, value.month, value.day, 23, 30).isoformat()
    found = to_qdrant_filter({"n": condition.to_filter()})
    (expected,) = matching([Passage("1", "text", {"n": stored})], found)
    assert (condition.closeness(stored) == 1.0) is expected
    assert 0.0 <= condition.closeness(stored) <= 1.0


def test_the_evidence_says_what_was_read(engine):
    """A user who finds too little must see which words became a filter."""
    hit = engine.search("a tent under 200 euros")[0]
    assert hit.passage.id == "tent-1"
    assert "price < 200, from 'under 200 euros'" in hit.evidence.reason
    assert hit.evidence.details["fields"][0]["condition"] == "price < 200"
    assert hit.evidence.details["searched"] == "a tent"


def test_a_filters_words_are_not_embedded(engine, index):
    """The price is no topic: with it, a passage that talks of euros would come first."""
    (found,) = engine.search("a tent under 150 euros", 1)
    (plain,) = Engine(index).search("a tent", 1, filter={"price": {"lt": 150}})
    assert (found.passage.id, found.score) == (plain.passage.id, plain.score)


def test_a_preference_orders_and_drops_nothing(engine):
    """`around 400` is a wish; the nearest come first, and the others stay."""
    found = ids(engine.search("a tent around 400 euros"))
    assert found[0] == "tent-4"
    assert {*found} == {*PRICES}


def test_an_excluded_value_still_filters(engine):
    """`not Oslo` is read by the parser, `under 300 euros` by the fields, in one query."""
    found = ids(engine.search("a tent under 300 euros, not in Oslo", exclude=["Oslo"]))
    assert found == ["tent-2"]


def test_a_filter_that_empties_the_list_becomes_a_preference(engine):
    """An empty list helps no one; nor does a list that silently ignores the price."""
    with pytest.warns(EmptyFilterWarning, match="price"):
        found = engine.search("a tent over 460 euros", 3)
    assert len(found) == 3
    assert found[0].passage.id == "tent-4"
    assert found[0].evidence.details["fields"][0]["preferred"] is True
    with pytest.warns(EmptyFilterWarning, match="price"):
        assert engine.search("a tent over 460 euros", strict_fields=True) == []


def test_an_empty_filter_of_one_query_leaves_the_others(engine):
    """Queries of one call have filters of their own."""
    queries = ["a tent under 150 euros", "a tent over 460 euros", "a tent"]
    with pytest.warns(EmptyFilterWarning):
        first, second, third = engine.search_many(queries, 5)
    assert [*map(len, (first, second, third))] == [2, 5, 5]


def test_dates_count_from_the_callers_clock(engine):
    """An evaluation of last year's queries must not change with the calendar."""
    query = "a tent posted in the last two months"
    found = ids(engine.search(query, now=date(2026, 3, 20)))
    assert {*found} == {"tent-2", "tent-3", "tent-4", "stove"}
    assert {*ids(engine.search(query, now=datetime(2026, 6, 1, 9)))} == {"tent-4", "stove"}
    with pytest.raises(ConfigurationError, match="now"):
        engine.search(query, now="today")


async def test_async_searches_read_the_same(engine):
    """Both ways drive one operation."""
    query = "a tent between 150 and 300 euros"
    found = ids(await engine.asearch(query))
    assert found == ids(engine.search(query))
    assert {*found} == {"tent-2", "tent-3"}


def test_parsed_queries_and_other_policies_read_nothing(engine):
    """Who states the parts has said what is meant; other policies rank by the query alone."""
    query = "a tent under 200 euros"
    assert len(engine.search(ParsedQuery(query))) == len(PRICES)
    assert len(engine.search(query, policy="topical")) == len(PRICES)
    assert len(engine.search(query, policy="auto")) == 2
    with pytest.raises(ConfigurationError, match="strict_fields"):
        engine.search(query, policy="topical", strict_fields=True)
    with pytest.raises(ConfigurationError, match="auto"):
        Engine(engine.index, "topical", fields=FIELDS)


def test_without_declared_fields_nothing_is_read(index):
    """Declaring is the switch: numbers in queries are text until then."""
    query = "a tent under 200 euros"
    plain = Engine(index).search(query)
    assert ids(plain) == ids(Engine(index, AutoPolicy(fields={"city": ["Oslo"]})).search(query))
    assert "fields" not in plain[0].evidence.details


def test_a_reranker_reads_them_too():
    """The same query over given passages must mean the same."""
    reranker = Reranker(ENCODER, AutoPolicy(fields=FIELDS), judge=None)
    kept = reranker.rerank("a tent from 200 euros built until 2017", passages())
    assert {*ids(kept)} == {"tent-2", "tent-3"}
    assert ids(reranker.rerank("a tent around 440 euros", passages()))[0] == "tent-4"
    with pytest.warns(EmptyFilterWarning):
        assert len(reranker.rerank("a tent over 1,000 euros", passages())) == len(PRICES)


def test_a_saved_policy_keeps_its_fields():
    """A pipeline's file that lost a declaration would search without the filter."""
    policy = AutoPolicy(fields=FIELDS)
    assert policy_from(describe_policy(policy)) == policy
