"""Passages that are valid for a time, searched as of a date, against a plain list."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.validity import are_apart, is_valid

KEYS = ("since", "until")
NAMES = [f"p{number}" for number in range(12)]
HALF = timezone(timedelta(hours=2.5))

zones = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
# few different ones, so that a time often is the bound itself
days = st.dates(date(2023, 12, 31), date(2024, 1, 2))
times = st.datetimes(datetime(2023, 12, 31), datetime(2024, 1, 2)).map(
    lambda time: time.replace(minute=0, second=0, microsecond=time.microsecond % 3)
)
dates = st.one_of(days, times, st.builds(lambda t, z: t.replace(tzinfo=z), times, zones))


def moment_of(value):
    """The moment that a date means, by the standard library alone."""
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return value if value.tzinfo else value.replace(tzinfo=UTC)


# a stored value, and the moment that it means; None is no bound
stored = st.one_of(
    st.just((None, None)),
    dates.map(lambda value: (value, moment_of(value))),
    dates.map(lambda value: (str(value), moment_of(value))),
    times.map(lambda t: t.replace(microsecond=0)).map(
        lambda t: (f"{t:%Y-%m-%dT%H:%M:%S}+0230", t.replace(tzinfo=HALF))
    ),
    st.sampled_from(
        [2024, 1704067200, "2024", "2024-01", "20240101", "2024-01-01T10:00Z", "soon", "", True]
    ).map(lambda unreadable: (unreadable, None)),
)


@pytest.fixture(scope="module", params=[None, dict.fromkeys(KEYS, "datetime")], ids=str)
def index(request):
    with PassageIndex.open("valid", HashedEncoder(), indexed_fields=request.param) as index:
        yield index


def ids(hits):
    return {hit.passage.id for hit in hits}


@settings(max_examples=60)
@given(
    st.lists(st.tuples(stored, stored), min_size=1, max_size=len(NAMES)),
    st.lists(dates, min_size=1, max_size=4),
)
def test_a_search_finds_exactly_what_is_valid(index, intervals, asked):
    """A wrong bound or zone would answer with what no longer holds, or hide what does."""
    named = dict(zip(NAMES, intervals, strict=False))
    passages = [
        Passage(name, f"inn {name}", metadata=dict(zip(KEYS, (since, until), strict=True)))
        for name, ((since, _), (until, _)) in named.items()
    ]
    index.delete(NAMES)
    index.add(passages)
    engine = Engine(index, "topical", validity=KEYS)
    for time in asked:
        t = moment_of(time)
        wanted = {
            name
            for name, ((_, since), (_, until)) in named.items()
            if (since is None or since <= t) and (until is None or t < until)
        }
        assert ids(engine.search("inn", k=100, as_of=time)) == wanted
        assert {p.id for p in passages if is_valid(p.metadata, KEYS, t)} == wanted
    assert ids(engine.search("inn", k=100, as_of="any")) == set(named)


@given(stored, stored, stored, stored)
def test_validity_apart_has_no_common_moment(since, until, other_since, other_until):
    """Two passages told apart that hold together would hide a contradiction."""
    one = dict(zip(KEYS, (since[0], until[0]), strict=True))
    other = dict(zip(KEYS, (other_since[0], other_until[0]), strict=True))
    # if two half-open intervals meet, they meet at one of their starts
    starts = [t for _, t in (since, other_since) if t] or [datetime(1, 1, 2, tzinfo=UTC)]
    together = [t for t in starts if is_valid(one, KEYS, t) and is_valid(other, KEYS, t)]
    assert are_apart(one, other, KEYS) == (not together)
    assert not are_apart(one, other, None)


@pytest.fixture
def inn():
    with PassageIndex.open("inn", HashedEncoder()) as index:
        index.add(
            [
                Passage("old", "the inn has a pool", metadata={"until": "2024-05-01", "n": 1}),
                Passage("new", "the inn has no pool", metadata={"since": "2024-05-01", "n": 2}),
                Passage("late", "the inn is a museum", metadata={"since": "2999-01-01", "n": 2}),
            ]
        )
        yield index


def test_partial_dates_and_the_clock(inn):
    """A month read as its end would show the next month's answers."""
    engine = Engine(inn, validity=list(KEYS))
    assert ids(engine.search("pool")) == {"new"}  # now
    assert ids(engine.search("pool", now="2024-04-30")) == {"old"}  # by the caller's clock
    assert ids(engine.search("pool", now="2024-04-30", as_of="2024-05")) == {"new"}
    assert ids(engine.search("pool", as_of="2024")) == {"old"}
    assert ids(engine.search("pool", as_of="2024-05")) == {"new"}
    assert ids(engine.search("pool", as_of="2024-05-01T01:00+02:00")) == {"old"}
    found = engine.search_many(["pool", "museum"], as_of="2999-01-02")
    assert [ids(hits) for hits in found] == [{"new", "late"}] * 2


def test_validity_joins_the_other_filters(inn):
    """A filter must not lift the condition, nor the condition show what is hidden."""
    engine = Engine(inn, validity=KEYS)
    assert ids(engine.search("pool", filter={"n": 2})) == {"new"}
    condition = models.Filter(
        must=[models.FieldCondition(key="metadata.n", range=models.Range(lte=2))]
    )
    assert ids(engine.search("pool", filter=condition, as_of="2024-04-30")) == {"old"}
    inn.run(inn.hide(["new"]))
    assert ids(engine.search("pool")) == set()


@pytest.mark.parametrize("as_of", [5, 2024, True, "soon", "2024-13", ("2024-05-01",)])
def test_what_is_no_date_is_refused(inn, as_of):
    """A number would be a year to one reader and seconds to another."""
    with pytest.raises(ConfigurationError, match="as_of"):
        Engine(inn, validity=KEYS).search("pool", as_of=as_of)


def test_validity_is_two_fields(inn):
    """A search as of a date over undeclared fields would find everything."""
    for wrong in ("since", ("since",), ("since", None), ("since", "since"), 5):
        with pytest.raises(ConfigurationError, match="validity"):
            Engine(inn, validity=wrong)
    for as_of in ("2024-05-01", "any"):
        with pytest.raises(ConfigurationError, match="validity="):
            Engine(inn).search("pool", as_of=as_of)
