"""Ids, hashes, filters, words and payloads: pure functions, tested without Qdrant."""

from __future__ import annotations

import math
import time
from datetime import date, datetime
from unittest.mock import MagicMock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from qdrant_client import models

from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, InputError
from logic_retrievers.index.filters import MAX_CONDITIONS, to_qdrant_filter
from logic_retrievers.index.lexical import language_of, shared_words, term_vector
from logic_retrievers.index.point_format import (
    content_hash,
    point_id,
    to_passage,
)
from logic_retrievers.types import Passage

WORDS = st.text(min_size=1)


def test_point_ids_never_change():
    """If a passage's id changed, the next ingestion would double every collection."""
    assert point_id("a") == "a6357193-5c44-5707-afb7-57d1ac49e66a"
    assert point_id("a", "t") == "e550c975-c52c-5900-a23c-cc77b48a90f5"


@given(WORDS, st.none() | WORDS, WORDS, st.none() | WORDS)
def test_point_ids_are_apart(one, tenant, other, owner):
    """A tenant named like the start of an id must not reach another tenant's passage."""
    same = (one, tenant) == (other, owner)
    assert (point_id(one, tenant) == point_id(other, owner)) == same


def test_payloads_of_nobody_are_refused():
    """A foreign collection must not yield empty passages."""
    for payload in (None, {}, {"content": "text"}, {"page_content": None}):
        with pytest.raises(CollectionMismatchError, match="Point 7 has no text"):
            to_passage(7, payload)


def test_hashes_depend_on_content_alone():
    """Key order must not change a hash; the fingerprint must."""
    passage = Passage("a", "text", {"n": 1, "m": [True, {}]}, "s", (0, 1))
    shuffled = Passage("a", "text", {"m": [True, {}], "n": 1}, "s", (0, 1))
    prints = [("a", "1"), ("b", "2")]
    digest = content_hash(passage, prints)
    assert digest == content_hash(shuffled, prints[::-1])
    assert digest != content_hash(passage, prints[:1])
    assert digest != content_hash(passage, [("a", "1"), ("b", "3")])


def test_words_are_shared_by_their_stems():
    """In the query's order and spelling, without stop words."""
    text = "Two mountain huts, and a trail."
    assert shared_words("The hut and the Trails in mountains, hut", text) == [
        "hut",
        "Trails",
        "mountains",
    ]
    assert shared_words("Die Hütte", "Zwei Hütten", "german") == ["Hütte"]
    assert shared_words("the and", text) == shared_words("", text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pea\u00adnut oil", "peanut oil"),
        ("pea\u2060nut", "\ufeffpea\u200bnut"),
        ("\ufb01sh", "\uff46\uff49\uff53\uff48"),
        ("a café", "a cafe"),
    ],
)
def test_words_that_look_alike_are_one(one, other):
    """A soft hyphen from a web page, or a ligature, must not hide the word from searches."""
    assert term_vector(one) == term_vector(other)
    assert {*term_vector(other).indices} <= {*term_vector(one, query=True).indices}


def test_stored_words_are_found_as_they_were_stored():
    """A collection made before accents were folded must not lose its words.

    Nor may German lose its stop words, or Khmer and Persian their word boundaries.
    """
    assert 605818632 in term_vector("the café", query=True).indices  # the engine's own "café"
    assert not term_vector("für über", "german").indices
    for text in ("ចេក\u200bទុំ", "می\u200cرود"):
        assert len(term_vector(text).indices) == 2


@given(st.text())
def test_term_vectors_are_what_qdrant_takes(text):
    """The server refuses duplicate or unsorted indices."""
    vector = term_vector(text)
    assert vector.indices == sorted(set(vector.indices))
    assert all(0 <= index < 2**32 for index in vector.indices)
    assert len(vector.values) == len(vector.indices)
    asked = term_vector(text, query=True)
    assert {*vector.indices} <= {*asked.indices}
    assert {*asked.values} <= {1.0}


def test_words_are_stemmed_as_their_language_has_it():
    """A query with hut must find huts, and a German plural its singular."""
    assert term_vector("hut in the mountains").indices == term_vector("Mountain huts").indices
    german = [term_vector(text, "german").indices for text in ("die Katze", "Katzen")]
    assert german[0] == german[1] != []
    with pytest.raises(ConfigurationError, match="'german'"):
        term_vector("text", "klingon")
    assert (language_of("bm25-german"), language_of("lexical-1"), language_of(None)) == (
        "german",
        None,
        None,
    )


def test_no_filter_is_no_filter():
    """An empty filter makes embedded mode scan every point."""
    assert to_qdrant_filter() is None
    assert to_qdrant_filter({}) is None
    ready = models.Filter(must_not=[models.HasIdCondition(has_id=[1])])
    assert to_qdrant_filter(ready) is ready


def test_the_tenant_surrounds_any_user_filter():
    """A user's `should` must not give access to another tenant."""
    ready = models.Filter(should=[models.HasIdCondition(has_id=[1])])
    whole = to_qdrant_filter(ready, tenant="t")
    assert whole.should is None
    assert whole.must[1] is ready
    assert whole.must[0].key == "logic.tenant"


def test_ranges():
    """Qdrant has different conditions for numbers and dates."""
    numbers, moments, exact = to_qdrant_filter(
        {
            "a": {"gte": 1, "lt": 2.5},
            "b": {"gt": "2024-01-01T10:00:00+00:00", "lte": date(2024, 2, 1)},
            "c": 0.5,
        }
    ).must
    assert numbers.range == models.Range(gte=1, lt=2.5)
    assert isinstance(moments.range, models.DatetimeRange)
    assert moments.range.gt == datetime.fromisoformat("2024-01-01T10:00:00+00:00")
    assert exact.range.gte < 0.5 < exact.range.lte < 0.5 + 1e-15
    both = {"gt": "2024-01-01", "gte": datetime(2024, 5, 1), "lt": 3, "lte": 3}
    for names, kept in ((("gt", "gte"), {"gte"}), (("lt", "lte"), {"lt"})):
        [condition] = to_qdrant_filter({"a": {name: both[name] for name in names}}).must
        assert condition.range.model_fields_set == kept


MANY = {
    "fields": {f"f{n}": "x" for n in range(MAX_CONDITIONS + 1)},
    "numbers of a list": {"a": list(range(MAX_CONDITIONS + 1))},
    "numbers that are not": {"a": {"not": [n / 7 for n in range(MAX_CONDITIONS + 1)]}},
    "numbers of lists": {"a": list(range(130)), "b": list(range(130))},
    "words": {"a": {"text": " ".join(f"w{n}" for n in range(20_000))}},
    "a filter of Qdrant's": models.Filter(should=[models.HasIdCondition(has_id=[1])] * 300),
    "deep inside": models.Filter(
        must=[models.Filter(must_not=[models.HasIdCondition(has_id=[1])] * 100)] * 3
    ),
    "40,000 fields": {f"f{n}": {"gte": n} for n in range(40_000)},
}


@pytest.mark.parametrize("name", MANY)
def test_a_filter_has_so_many_conditions_at_most(name):
    """A short request kept a server busy for minutes: each condition reads every passage."""
    begun = time.process_time()
    with pytest.raises(InputError, match=f"more than {MAX_CONDITIONS} conditions"):
        to_qdrant_filter(MANY[name])
    assert time.process_time() - begun < 0.05
    assert to_qdrant_filter({"a": [f"x{n}" for n in range(5_000)]}) is not None
    assert to_qdrant_filter({f"f{n}": n for n in range(MAX_CONDITIONS)}) is not None
    assert to_qdrant_filter({"a": list(range(200)), "b.c": 1}) is not None
    assert to_qdrant_filter(nested_filter(20)) is not None


def nested_filter(levels):
    condition = models.Filter(must=[models.HasIdCondition(has_id=[1])])
    for _ in range(levels):
        condition = models.Filter(should=[condition])
    return condition


CYCLE = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ([("a", 1)], "dict"),
        ({1: 2}, "not 1"),
        ({'a"b': 1}, "no path"),
        ({"a": [1, object()]}, "'a' is of type object"),
        ({"a": {"text": "x \ud800"}}, "half a character"),
        ({"a": [2**64]}, "64 bits"),
        ({"a": math.nan}, "None"),
        ({"a": MagicMock()}, "levels"),
        ({"a": CYCLE}, "plain"),
        ({"a": []}, "empty list"),
        ({"a": {}}, "range"),
        ({"a": {"gte": 1, "nearly": 2}}, "nearly"),
        ({"a": {"gte": "soon"}}, "dates"),
        ({"a": {"gte": 1, "lt": "2024-01-01"}}, "numbers"),
        (nested_filter(30), "levels"),
        (
            models.Filter(
                must=models.NestedCondition(nested=models.Nested(key="k", filter=nested_filter(30)))
            ),
            "levels",
        ),
    ],
    ids=range(16),
)
def test_a_filter_that_no_store_reads_is_refused(wrong, word):
    """A misread filter rules out the wrong passages or fails inside the engine."""
    with pytest.raises(InputError, match=word):
        to_qdrant_filter(wrong)


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_found_though_the_engine_drops_its_last_bit(number):
    """One float in ten came back from the store as its neighbour and was not found again."""
    condition = to_qdrant_filter({"n": number}).must[0]
    assert condition.range.gte <= number <= condition.range.lte
    assert condition.range.lte < math.inf
    assert condition.range.gte < condition.range.lte or number.is_integer()
