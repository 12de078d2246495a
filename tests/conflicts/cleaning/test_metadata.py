"""Relations declared by metadata: a different scope, a newer version."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers import Passage
from logic_retrievers.conflicts.cleaning.metadata import (
    find_later,
    find_newer_version,
    find_other_scope,
)
from logic_retrievers.conflicts.cleaning.settings import SCOPE_KEYS


def passages(*metadata):
    return [Passage(n, "text", one) for n, one in zip(("one", "other"), metadata, strict=True)]


def scope(one, other, keys=SCOPE_KEYS):
    return find_other_scope(*passages(one, other), keys)


def later(one, other, date_key="date", version_key="version"):
    return by_id(find_later(*passages(one, other), date_key, version_key))


def newer(one, other, document_key="title"):
    return by_id(find_newer_version(*passages(one, other), document_key, "date", "version"))


def by_id(found):
    return found and (found[0].id, found[1])


# --- scope


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"country": "ES"}, {"country": "IE"}),
        ({"year": 2020}, {"year": "2021"}),
        ({"plan": ["a", "b"]}, {"plan": ["c"]}),
        ({"country": "ES", "year": 2020}, {"country": "ES", "year": 2021}),
    ],
)
def test_another_scope(one, other):
    """Two countries with different numbers of weeks do not contradict each other."""
    reason = scope(one, other)
    key = [*one][-1]
    assert reason == f"the {key} of one is {one[key]}, of the other {other[key]}"
    assert scope(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"country": "ES"}, {}),
        ({"country": "ES"}, {"country": None}),
        ({"country": "ES"}, {"country": []}),
        ({"country": "ES"}, {"country": {"name": "IE"}}),
        ({"country": "ES"}, {"country": "es "}),
        ({"country": ["ES", "IE"]}, {"country": "IE"}),
        ({"year": 2020.0}, {"year": "2020"}),
        ({"source": "a", "date": "2021"}, {"source": "b", "date": "2023"}),
    ],
)
def test_no_other_scope(one, other):
    """A missing or unknown key makes no difference: both passages may be about one thing."""
    assert not scope(one, other)
    assert not scope(other, one)


def test_scope_keys_of_the_users_own():
    """Users name their own scope keys; an empty list disables scopes."""
    north, south = ({"a": {"ward": name}, "country": name} for name in ("north", "south"))
    assert "country" in scope(north, south)
    assert "a.ward" in scope(north, south, ("a.ward",))
    assert not scope(north, south, ("ward",))
    assert not scope(north, south, ())


# --- versions


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [(2, 3), ("2.9", "2.10"), ("2.9.9", "v3"), ("1.0", "1.0.1"), (3, "rev. 4"), ("Version 2", 2.5)],
)
def test_later_versions(lesser, greater):
    """2.10 is later than 2.9, whatever the decimal point says."""
    assert later({"version": lesser}, {"version": greater}) == ("other", "version")
    assert later({"version": greater}, {"version": lesser}) == ("one", "version")


@pytest.mark.parametrize("value", [None, True, "", "latest", [1], {"v": 1}, float("nan")], ids=str)
def test_what_is_no_version(value):
    """A guess would decide which passage is called outdated."""
    assert later({"version": 1}, {"version": value}) is None


def test_a_number_that_is_too_long_stops_nothing():
    """One hostile row among a million must not stop the cleaning."""
    assert later({"version": 1, "date": 2020}, {"version": "9" * 5000, "date": 2021}) is not None


PARTS = st.lists(st.integers(0, 12), min_size=1, max_size=3)


@given(PARTS, PARTS)
def test_versions_against_a_plain_reference(one, other):
    """Versions compare as lists of numbers; missing parts are 0."""
    left, right = (tuple([*parts, 0, 0, 0][:3]) for parts in (one, other))
    expected = None if left == right else ("one" if left > right else "other", "version")
    assert later(*({"version": ".".join(map(str, parts))} for parts in (one, other))) == expected


def test_dates_count_where_versions_do_not_tell():
    """Most corpora have only dates."""
    days = [{"day": date(2021, 5, 1)}, {"day": "2023-06-01"}]
    assert later(*days, date_key="day") == ("other", "day")
    assert later(*days) is None
    assert later({"date": 2023, "version": 1}, {"date": 2021, "version": 2}) == ("other", "version")
    assert later({"date": 2023, "version": 2}, {"date": 2021, "version": 2}) == ("one", "date")
    assert later({"date": 2023, "version": 2}, {"date": 2021}) == ("one", "date")
    assert later({"date": "2023-05"}, {"date": 2023}) is None
    nested = ({"v": {"n": 1}}, {"v": {"n": 2}})
    assert later(*nested, version_key="v.n") == ("other", "v.n")


def test_versions_of_one_document():
    """Only the document's name makes two passages versions of each other."""
    old, new = {"title": "Leave", "version": "2.9"}, {"title": "leave ", "version": "2.10"}
    side, reason = newer(old, new)
    assert side == "other"
    assert "version of one is 2.9, of the other 2.10" in reason
    assert newer(new, old)[0] == "one"
    assert newer(old, new, None) is None
    assert newer(old, new, "source") is None
    assert newer(old, {**new, "title": "Pay"}) is None
    assert newer(old, {"version": 3}) is None
    assert newer(old, {**new, "version": "latest"}) is None
    many = [{"title": ["Leave", "Pay"], "date": day} for day in ("2021", "2023")]
    assert newer(*many)[0] == "other"
    assert newer(many[0], {**many[1], "title": ["Leave"]}) is None
