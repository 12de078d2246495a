"""What is read from a query about declared fields, and what is left alone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers import AutoPolicy
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.fields import Date, FieldReader, Number, Year, check_fields, units

TODAY = date(2026, 5, 20)  # a Wednesday
FIELDS = {
    "price": Number(unit=["EUR", "euro", "€"], words=["price", "cost"]),
    "weight": Number(unit="kg"),
    "rooms": Number(words=["room", "bedroom"]),
    "built": Year(),
    "posted": Date(words=["online"]),
    "city": ["Oslo", "Bergen"],
}
READER = FieldReader(check_fields(FIELDS))


def read(text):
    return [str(condition) for condition in READER.read(text, TODAY).conditions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a tent under 200 euros", ["price < 200"]),
        ("a tent for €200 at most", ["price <= 200"]),
        ("a tent, price no more than 1,200", ["price <= 1200"]),
        ("nothing over 1.5k euros", ["price <= 1500"]),
        ("cheaper than two hundred and fifty", ["price < 250"]),
        ("a budget of 1 200", ["price <= 1200"]),
        ("between 40 and 50k euros", ["40000 <= price <= 50000"]),
        ("€40-50", ["40 <= price <= 50"]),
        ("around 200 euros", ["price ~ 200"]),
        ("200 euros or so", ["price ~ 200"]),
        ("at least two bedrooms", ["rooms >= 2"]),
        ("3+ rooms", ["rooms >= 3"]),
        ("a three-bedroom flat", ["rooms == 3"]),
        ("2 or 3 rooms", ["2 <= rooms <= 3"]),
        ("rooms: 4", ["rooms == 4"]),
        ("built after 1990", ["built > 1990"]),
        ("not built before 1990", ["built >= 1990"]),
        ("newer than 2015", ["built > 2015"]),
        ("not older than 2020", ["built >= 2020"]),
        ("from 2010 to 2015", ["2010 <= built <= 2015"]),
        ("no older than 10 years", ["built >= 2016"]),
        ("from the 90s", ["1990 <= built <= 1999"]),
        ("built in the 90s", ["1990 <= built <= 1999"]),
        ("posted last year", ["2025-01-01 <= posted <= 2025-12-31"]),
        ("posted since last March", ["posted >= 2026-03-01"]),
        ("posted before 3 May", ["posted < 2026-05-03"]),
        ("posted since September", ["posted >= 2025-09-01"]),
        ("online in the last two weeks", ["posted >= 2026-05-06"]),
        ("posted between March and May 2025", ["2025-03-01 <= posted <= 2025-05-31"]),
        ("posted yesterday", ["posted == 2026-05-19"]),
        ("max price 90", ["price <= 90"]),
        ("over 100 but under 160 euros", ["price > 100", "price < 160"]),
        ("under 100 or over 250 euros", ["preferably price < 100", "preferably price > 250"]),
        (
            "under 50 euros or a lamp under 30 euros",
            ["preferably price < 50", "preferably price < 30"],
        ),
        ("4 or 7 rooms", ["preferably 4 <= rooms <= 7"]),
        ("4 rooms or under 100 euros", ["rooms ~ 4", "preferably price < 100"]),
        ("ideally under 100 euros", ["preferably price < 100"]),
        ("under 100 euros, if possible", ["preferably price < 100"]),
        ("not posted before 3 May", ["posted >= 2026-05-03"]),
        ("at least 60k, 2 rooms", ["price >= 60000", "rooms == 2"]),
        ("half a kilo at most", ["weight <= 0.5"]),
        ("built 2020 or earlier", ["built <= 2020"]),
        ("2019-2022", ["2019 <= built <= 2022"]),
        ("posted within the last month", ["posted >= 2026-04-20"]),
        ("posted last month", ["2026-04-01 <= posted <= 2026-04-30"]),
        ("not posted in the last two weeks", ["posted < 2026-05-06"]),
        ("from last month", ["2026-04-01 <= posted <= 2026-04-30"]),
        ("posted since Monday", ["posted >= 2026-05-18"]),
        ("between one hundred and one hundred fifty euros", ["100 <= price <= 150"]),
        ("2 rooms under 90 euros, built in 2000", ["rooms == 2", "price < 90", "built == 2000"]),
    ],
)  # fmt: skip
def test_comparisons_are_read(text, expected):
    """A user writes a comparison in many ways, and means the same filter."""
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "top 10 tents",
        "iphone 15 case",
        "section 230",
        "vitamin b12",
        "covid-19 in the city",
        "open 24/7",
        "at least 5 shops nearby",
        "more than a feeling",
        "over the bridge on line 3",
        "price comparison of at least 3 shops",
        "under 200 dollars",
        "the 2008 crisis",
        "not built in 1987",
        "not in 2022",
        "not from 2022",
        "not 3 rooms",
        "not around 200 euros",
        "at least 60k followers",
        "the fall of the wall on 9 november 1989",
        "delivery within two days",
        "may I bring a dog",
        "a 2 year warranty",
        "a" * 3000 + " under 200 euros",
    ],
)
def test_a_number_that_no_field_claims_is_left_alone(text):
    """A filter that nobody asked for hides the right passages."""
    assert read(text) == []


def test_conditions_joined_by_or_are_preferences():
    """As filters they would have to hold together, which the query does not say."""
    reading = READER.read("under 100 euros or built after 2020", TODAY)
    assert [each.preferred for each in reading.conditions] == [True, True]


def test_what_becomes_a_filter_leaves_the_text_to_embed():
    """An encoder reads "200 euros" as a topic; a preference stays, for want of a filter."""
    reading = READER.read("a warm tent that costs under 200 euros, around 3 kg", TODAY)
    assert reading.rest == "a warm tent, around 3 kg"
    assert READER.read("under 200 euros", TODAY).rest == "under 200 euros"


@given(
    st.sampled_from(["g", "gram", "kg", "kilograms", "lb", "pounds", "oz"]),
    st.integers(1, 5000),
)
def test_units_are_converted(unit, number):
    """A stored unit and a said one must compare as the same weight."""
    in_kg = {"g": 1e-3, "gram": 1e-3, "lb": 0.45359237, "pounds": 0.45359237, "oz": 0.028349523125}
    (condition,) = READER.read(f"at most {number} {unit}", TODAY).conditions
    assert condition.field == "weight"
    assert condition.high == pytest.approx(number * in_kg.get(unit, 1.0))


def test_a_currency_has_its_usual_names():
    """`Number(unit="EUR")` is what a user declares, and "€200" what a query says."""
    reader = FieldReader(check_fields({"price": Number(unit="EUR")}))
    for text in ("under 200 euros", "under €200", "under 200 EUR"):
        assert [str(each) for each in reader.read(text, TODAY).conditions] == ["price < 200"]
    assert reader.read("under 200 dollars", TODAY).conditions == ()


def test_factors_convert_what_is_no_unit():
    """Exchange rates are the caller's to know."""
    fields = {"price": Number(unit="EUR", factors={"$": 0.9, "dollars": 0.9})}
    reader = FieldReader(check_fields(fields))
    for text in ("under $100", "under 100 dollars"):
        assert [str(each) for each in reader.read(text, TODAY).conditions] == ["price < 90"]


def test_without_pint_a_foreign_unit_is_left_alone(monkeypatch):
    """The extra is optional; a gram taken for a kilogram would be a wrong filter."""
    monkeypatch.setattr(units, "conversion", lambda unit, into: None)
    assert read("at most 500 g") == []
    assert read("at most 5 kg") == ["weight <= 5"]


def test_only_english_is_read():
    """In another language the words that compare are not known, and 200 Euro would be exact."""
    policy = AutoPolicy(fields=FIELDS)
    assert policy.read_fields("ein Zelt unter 200 Euro für meine Frau", TODAY) is None
    assert policy.read_fields("a tent under 200 euros", TODAY).conditions


@given(st.text(max_size=80), st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_any_text_is_read_on_any_day(text, today):
    """A query is a stranger's text; the calendar has a first and a last day."""
    reading = READER.read(text, today)
    assert reading.text == text
    assert reading.rest or not text.strip()


@given(st.sampled_from(["day", "week", "month", "year"]), st.integers(1, 300))
def test_a_span_before_today_is_counted_back(unit, count):
    """Each calendar month has its own length."""
    (condition,) = READER.read(f"posted in the last {count} {unit}s", TODAY).conditions
    days = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit] * count
    assert abs((TODAY - condition.low) - timedelta(days=days)) < timedelta(days=5)
    assert condition.high is None


@pytest.mark.parametrize(
    "fields",
    [
        {"price": {"lte": 200}},
        {"price": {"kind": "number", "lte": 200}},
        {"price": "EUR"},
        {"price": None},
        {"price": {"kind": "money"}},
        ["price"],
    ],
    ids=str,
)
def test_what_declares_nothing_is_refused(fields):
    """A condition taken for a declaration would be dropped in silence."""
    with pytest.raises(ConfigurationError, match="fields"):
        AutoPolicy(fields=fields)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Number(unit=5),
        lambda: Number(words=[""]),
        lambda: Number(factors={"USD": 0}),
        lambda: Number(factors=["USD"]),
        lambda: Year(words=[1]),
    ],
)
def test_a_wrong_declaration_is_refused(make):
    """A unit that is no text would be compared with nothing."""
    with pytest.raises(ConfigurationError):
        make()
