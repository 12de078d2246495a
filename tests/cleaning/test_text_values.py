"""Values in a text: quantities in any unit, dates, versions, names."""

from __future__ import annotations

import pytest

from logic_retrievers.cleaning.differences.annotation import annotate
from logic_retrievers.cleaning.differences.dates import Version, parse_version
from logic_retrievers.cleaning.differences.quantities import Quantity, find_quantities
from logic_retrievers.cleaning.differences.tokens import have_same_words, tokenize


def quantity(text: str) -> Quantity:
    ((_, _, value),) = find_quantities(tokenize(text))
    return value


def mentions(text: str, type_: str) -> list[str]:
    annotated = annotate(text)
    return [annotated.excerpt(*m.span) for m in annotated.mentions if m.type == type_]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("twelve geese", 12), ("1,200 geese", 1200), ("twelve hundred geese", 1200),
        ("two hundred and fifty geese", 250), ("twenty-five geese", 25), ("3.5 loaves", 3.5),
        ("a dozen geese", 12), ("1.9 million geese", 1.9e6),
    ],
)  # fmt: skip
def test_numbers_however_they_are_written(text, value):
    """A number that is read in one form only looks changed in the other."""
    assert quantity(text).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two weeks", "14 days"), ("24 months", "two years"), ("$5", "5 dollars"),
        ("7.30 pm", "19:30"), ("12 am", "0:00"), ("12 square metres", "12 square meters"),
        ("30 euros monthly", "30 euros a month"), ("75 per cent", "75 %"), ("12", "12 euros"),
    ],
)  # fmt: skip
def test_equal_quantities(one, other):
    """What is only written otherwise would be called a contradiction."""
    assert quantity(one).equals(quantity(other))
    assert quantity(other).equals(quantity(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("5 km", "5 miles"), ("20 mg", "25 mg"), ("20 mg", "20 g"),
        ("18 euros per night", "18 euros per week"),
        ("7 am", "7 pm"), ("0 °C", "0 °F"), ("0.05 percent", "0.5 percent"),
    ],
)  # fmt: skip
def test_unequal_quantities(one, other):
    """A dose that is wrong by a digit or a unit is what a cleaning is for."""
    assert not quantity(one).equals(quantity(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It opened on 3 April 2023.", "It opened on April 3, 2023."),
        ("It opened on 3 April 2023.", "It opened on 2023-04-03."),
        ("It opened on 3 April 2023.", "It opened on 03/04/2023."),
        ("It opened in May 2022.", "It opened in 2022."),
        ("The year 2020/21 was wet.", "The year 2020-21 was wet."),
    ],
)
def test_one_date_in_two_forms(one, other):
    """Else each form of a date contradicts each other form."""
    (date,), (other_date,) = (
        [mention for mention in annotate(text).mentions if mention.type == "date"]
        for text in (one, other)
    )
    assert date.equals(other_date)
    assert other_date.equals(date)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It sold 2000 tickets.", []), ("It cost 1999 euros.", []), ("Built in 1999.", ["1999"]),
        ("It may rain in March.", []), ("From 14 to 16 May.", ["16 May"]),
        ("On 31 December 2022 it closed.", ["31 December 2022"]), ("On 99/99/2022.", []),
        ("Figures of the 2014/15 season.", ["2014/15"]),
    ],
)  # fmt: skip
def test_what_is_a_date(text, expected):
    """A price that is read as a year makes a scope of a contradiction."""
    assert mentions(text, "date") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We flew from New York to Oslo.", ["New York", "Oslo"]),
        ("The X200 and the XR-500 are loud.", ["X200", "XR-500"]),
        ("Call `close_all` of CsvReader.", ["close_all", "CsvReader"]),
        ("Rain fell. Snow melted.", []),
        ("The bank of the river is steep.", []),
    ],
)
def test_names_and_codes(text, expected):
    """The first word of every sentence has a capital and is no name for that."""
    assert mentions(text, "entity") == expected


@pytest.mark.parametrize(
    ("later", "earlier"),
    [(3, 2), ("2.10", "2.9"), ("v3", "2.9.9"), ("1.0.1", "1.0"), ("C", "A"), ("rev. 4", 3)],
)
def test_later_versions(later, earlier):
    """2.10 is later than 2.9, whatever the decimal point says."""
    assert parse_version(later).is_later(parse_version(earlier))
    assert not parse_version(earlier).is_later(parse_version(later))


@pytest.mark.parametrize("value", [None, True, "", "latest", [1], {"v": 1}, float("nan")], ids=repr)
def test_what_is_no_version(value):
    """A guess decides which of two is called outdated."""
    assert parse_version(value) is None


def test_versions_in_a_text():
    """A version is compared as one, and no decimal number."""
    (mention,) = annotate("With firmware 3.10 it is fast.").mentions
    assert mention.value == Version((3, 10))


def test_same_words_behind_what_is_read():
    """Only the beginning of a page is aligned; two pages are copies only if their ends agree."""
    page = "word " * 10_000
    assert have_same_words(page, page.upper() + "!")
    assert not have_same_words(page, f"{page} more")
