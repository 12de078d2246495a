"""``search --exclude TEXT --hard``: hits, messages and errors."""

from __future__ import annotations

import json
from functools import partial

import pytest
from program import index_rows, invoke

from logic_retrievers import Engine, OnnxEncoder, PassageIndex
from logic_retrievers.cli.options import parse_filter
from logic_retrievers.errors import ConfigurationError

ROWS = {
    "nuts": "A cake recipe with nuts.",
    "mussels": "A recipe of mussels and other shellfish.",
    "lemon": "A lemon cake recipe.",
    "bread": "A bread recipe.",
}
NAMED = ["--exclude", "nut", "--exclude", "shellfish"]


@pytest.fixture(scope="module")
def location(tmp_path_factory):
    return index_rows(tmp_path_factory.mktemp("recipes"), ROWS)


@pytest.fixture
def search(location):
    return partial(invoke, "search", "a cake recipe", "-l", location)


@pytest.mark.parametrize("hard", [False, True])
def test_the_hits_are_the_engines(search, location, hard):
    """The option must reach the engine."""
    said = json.loads(search(*NAMED, *(["--hard"] if hard else []), "--json").stdout)
    with PassageIndex.open(encoder=OnnxEncoder(), location=location) as index:
        hits = Engine(index).search("a cake recipe", 5, exclude=["nut", "shellfish"], hard=hard)
    assert said == json.loads(json.dumps([hit.to_dict() for hit in hits]))
    assert {one["id"] for one in said} == ({"lemon", "bread"} if hard else set(ROWS))


def test_it_says_how_many_were_left_out(search):
    """Two hits instead of four look like a small collection."""
    assert "2 passages were left out" in search(*NAMED, "--hard").stdout
    assert "left out" not in search(*NAMED).stdout
    only = search("--exclude", "recipe", "--hard").stdout
    assert "no passage found" in only


def test_a_policy_that_cannot_use_it(search):
    result = search(*NAMED, "-p", "topical", code=2)
    assert "hard" in result.stderr
    assert "Traceback" not in result.stderr
    assert search(*NAMED, "-p", "topical", "--hard").exit_code == 0


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (["city=Oslo", "year=2020"], {"city": "Oslo", "year": 2020}),
        (["city=Oslo", "city=Bergen"], {"city": ["Oslo", "Bergen"]}),
        (['city=["Oslo"]', "city=Bergen"], {"city": ["Oslo", "Bergen"]}),
        (['city={"not": "Oslo"}'], {"city": {"not": "Oslo"}}),
        ([], None),
    ],
)
def test_filters_of_the_command_line(conditions, expected):
    assert parse_filter(conditions) == expected


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (["city!=Oslo"], "not"),
        (["year>=2020"], "gte"),
        (["city"], "KEY=VALUE"),
        (["city={'not': 'Oslo'}"], "not JSON.*double quotation marks inside"),
        (['city={"not": "Oslo"}', "city=Bergen"], "there twice"),
    ],
)
def test_filters_that_would_find_nothing_are_refused(conditions, words):
    with pytest.raises(ConfigurationError, match=words):
        parse_filter(conditions)
