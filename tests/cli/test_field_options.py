"""Declared fields, dates, groups and pages on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.cli.field_options import parse_fields
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.fields import Date, Number, Year

ROWS = [
    {"id": "cheap", "text": "The Inn, a hotel", "price": 90, "since": "2019-01-01", "town": "A"},
    {"id": "fair", "text": "The Anchor, a hotel", "price": 150, "since": "2022-01-01", "town": "A"},
    {"id": "dear", "text": "The Palace, a hotel", "price": 900, "since": "2024-01-01", "town": "B"},
]
PRICE = ("--field", "price:number:EUR,euro,€:cost")


@pytest.fixture
def stored(call):
    """A folder with three hotels in the collection."""
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), "utf-8")
    call("index", "rows.jsonl", "-l", "there")
    return call


def found(stored, *arguments):
    printed = stored("search", *arguments, "-l", "there", "--json")
    return [hit["id"] for hit in json.loads(printed.stdout)]


def test_options_of_a_search(stored):
    """An option that the command drops would print other hits without a word."""
    assert set(found(stored, "a hotel under 200 euros", *PRICE)) == {"cheap", "fair"}
    assert found(stored, "a hotel that costs €150", *PRICE) == ["fair"]
    assert found(stored, "a hotel under 50 euros", *PRICE)[0] == "cheap"
    assert found(stored, "a hotel under 50 euros", *PRICE, "--strict-fields") == []
    began = ("--field", "since:date")
    assert found(stored, "a hotel since 2022", *began, "--now", "2026-03-31") != []
    last_year = ("a hotel from last year", *began, "--now", "2025-03-31")
    assert found(stored, *last_year) == ["dear"]
    valid = ("a hotel", "--validity", "since,until")
    assert len(found(stored, *valid)) == 3
    assert set(found(stored, *valid, "--as-of", "2023")) == {"cheap", "fair"}
    assert len(found(stored, "a hotel", "--group-by", "town")) == 2
    assert len(found(stored, "a hotel", "--group-by", "town", "--per-group", "2")) == 3
    assert found(stored, "a hotel", "--offset", "1") == found(stored, "a hotel")[1:]


def test_parse_prints_conditions_and_what_remains(call):
    """A user must see which number became a filter."""
    printed = call("parse", "a hotel under 200 euros without a pool", *PRICE).stdout
    assert "price < 200" in printed
    assert "a hotel without a pool" in printed
    assert "a pool" in printed
    told = json.loads(call("parse", "a hotel under 200 euros", *PRICE, "--json").stdout)
    assert [each["condition"] for each in told["fields"]] == ["price < 200"]
    assert told["remains"] == "a hotel"
    dated = call("parse", "posts of last year", "--field", "on:date", "--now", "2025-03-31").stdout
    assert "2024" in dated
    assert "fields" not in json.loads(call("parse", "a hotel", "--json").stdout)


def test_declarations():
    assert parse_fields(
        [
            "price:number:EUR,euro,€:price,cost",
            "beds:number",
            "built:year::construction",
            "posted:date",
            "city:values:Oslo, Bergen",
        ]
    ) == {
        "price": Number(unit=["EUR", "euro", "€"], words=["price", "cost"]),
        "beds": Number(),
        "built": Year(words=["construction"]),
        "posted": Date(),
        "city": ["Oslo", "Bergen"],
    }


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("price", "colon"),
        (":number", "name"),
        ("price:money", "number, year"),
        ("built:year:construction", "second colon"),
        ("city:values", "no values"),
        ("city:values:Oslo:Bergen", "many"),
    ],
)
def test_a_malformed_field_says_what_is_wrong(spec, word):
    """A message must say what is wrong and what a declaration looks like."""
    with pytest.raises(ConfigurationError, match=rf"(?s){word}.*NAME:KIND"):
        parse_fields([spec])


def test_wrong_options_end_the_command(stored):
    """An option that cannot work must not be ignored."""
    for arguments, word in (
        (["--field", "price:money"], "NAME:KIND"),
        ([*PRICE, "-p", "topical"], "auto"),
        (["--validity", "since"], "validity"),
        (["--as-of", "2024"], "validity"),
        (["--now", "tomorrow"], "now"),
        (["--per-group", "2"], "group_by"),
    ):
        assert word in stored("search", "a hotel", *arguments, "-l", "there", code=2).output
