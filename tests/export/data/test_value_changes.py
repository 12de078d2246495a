"""Numbers, dates, quantifiers and names: what the rules change, and what they must not."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.value_changes import (
    apply_change,
    change_date,
    change_name,
    change_number,
    change_quantifier,
    collect_names,
)
from sample_texts import seeds


def changes(make, text: str, *more) -> set[tuple[str, str]]:
    return {found for n in range(200) if (found := make(text, *more, Random(n))) is not None}


@given(st.from_regex(r"[1-9]\d{0,2}(,\d{3}){0,2}|\d{1,4}\.\d{1,3}|\d{1,6}", fullmatch=True), seeds)
def test_a_number_keeps_its_form_and_changes_its_first_digit(old: str, seed: int):
    """31,415 made 31,416 is hardly a contradiction, and 9.5 made 95 is another kind of number."""
    found = change_number(f"It has {old} floors.", Random(seed))
    if re.fullmatch(r"1[5-9]\d\d|20[0-2]\d", old):
        assert found is None  # a year
        return
    assert found is not None
    assert found[0] == old
    assert re.sub(r"\d", "0", found[1]) == re.sub(r"\d", "0", old)
    assert found[1][0] != old[0]


def test_numbers_in_words_and_what_is_no_number():
    """ "A 747", "AB-12" and "v2" are names; the day of a date would become "59 December"."""  # noqa: D210
    assert {old for old, _ in changes(change_number, "It has three wings and 40 rooms.")} == {
        "three",
        "40",
    }
    assert all(old != new for old, new in changes(change_number, "It has three wings."))
    for text in (
        "It has a wing.",
        "Built in 1907.",
        "The X-15 flew.",
        "See 3/4.",
        "Mk2 and v2 came.",
        "It opened on 25 December 1907.",
        "It opened on December 25, 1907.",
        "Someone, often.",
    ):
        assert changes(change_number, text) == set()


def test_a_date_is_another_year_or_another_month():
    text = "It was opened in May 1907, and sold on 3 June 1950; in 1960, it burnt."
    found = changes(change_date, text)
    assert {old for old, _ in found} == {"1907", "1950", "1960", "May", "June"}
    for old, new in found:
        assert new != old
        if old.isdigit():
            assert 2 <= abs(int(new) - int(old)) <= 40
        else:
            assert re.fullmatch("[A-Z][a-z]+", new)
    for no_date in ("It may rain.", "For $1900.", "1950,000 came.", "Of 1907% more."):
        assert changes(change_date, no_date) == set()


@pytest.mark.parametrize("year", [1990, 2015, 2024, 2029])
def test_no_year_lies_in_the_future(year: int):
    """A year to come would tell the made side without a look at the other one."""
    found = {int(new) for _, new in changes(change_date, f"It was opened in {year} or so.")}
    assert len(found) > 20
    assert max(found) <= 2024
    assert year not in found


def test_a_quantifier_becomes_its_contrary():
    assert changes(change_quantifier, "It is always open to many people.") == {
        ("always", "never"),
        ("many", "few"),
    }
    assert changes(change_quantifier, "The first and the best.") == {("the best", "the worst")}
    assert changes(change_quantifier, "It is more than a barn.") == {("more than", "less than")}


@pytest.mark.parametrize(
    "text",
    [
        "It is the most popular of all.",
        "One of the few left.",
        "It was named after him.",
        "A best-known work, the best-known.",
        "Aftermath and beforehand.",
    ],
)
def test_words_that_quantify_nothing_are_left(text: str):
    """ "The few popular film" is a mistake that tells the made side."""  # noqa: D210
    assert changes(change_quantifier, text) == set()


def test_names_stand_within_sentences():
    """The first word of a sentence has a capital whatever it is."""
    found = collect_names(
        [
            "Mills were built by Ann Lee's father in Upper Marsh, Kent. They met on Sunday in May.",
            "Towers of the House of Lords and Guy Roe were seen by Ludwig van Beethoven.",
        ]
    )
    assert found == {
        1: ["Kent"],
        2: ["Ann Lee", "Guy Roe", "Upper Marsh"],
        3: ["House of Lords", "Ludwig van Beethoven"],
    }


def test_a_name_is_exchanged_for_one_like_it():
    """ "A Ida" or "an Guy" shows that something was exchanged there."""  # noqa: D210
    names = {1: ["Kent", "Essex", "Omaha", "Perth"], 2: ["Guy Roe", "Ann Lee"]}
    assert changes(change_name, "A mill in Kent.", names) == {("Kent", "Perth")}
    assert changes(change_name, "It is an Essex mill.", names) == {("Essex", "Omaha")}
    assert changes(change_name, "It met Guy Roe.", names) == set()
    assert changes(change_name, "A mill.", names) == set()
    (found,) = changes(change_name, "A mill of Kent's lord.", names)
    assert apply_change("A mill of Kent's lord.", found) == "A mill of Perth's lord."
    assert changes(change_name, "It is in Kent or Perth.", names) == set()


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("5 of 15, 5.5, 1.5, 5,000 and 2/5.", ("5", "8"), "8 of 15, 5.5, 1.5, 5,000 and 2/5."),
        ("He is 5. The 5-year plan; (5), $5.", ("5", "8"), "He is 8. The 8-year plan; (8), $8."),
        ("Ann, Anna and Ann's.", ("Ann", "Bea"), "Bea, Anna and Bea's."),
        ("In 1907, 1907. 19071", ("1907", "1890"), "In 1890, 1890. 19071"),
        ("a.b a.b", (".", "x"), "a.b a.b"),
        ("none", ("x", "y"), "none"),
        ("back \\1 here", ("here", r"\1"), "back \\1 \\1"),
    ],
)
def test_whole_occurrences_are_exchanged_and_nothing_else(text, change, expected):
    """A text that still says the old value contradicts itself; 15 made 18 is a second change."""
    assert apply_change(text, change) == expected
