"""``search --expression``: hits, explanations and errors."""

from __future__ import annotations

import json
from functools import partial

import pytest
from program import index_rows, invoke

from logic_retrievers import Engine, Expression, OnnxEncoder, PassageIndex

ROWS = {
    "both": "Orchids of Malaysia and Thailand: a field guide.",
    "malaysia": "The orchids of Malaysia grow in its rain forests.",
    "thailand": "The orchids of Thailand flower in the dry season.",
    "copper": "Copper prices rose again this week.",
}
WANTED = '"orchids of Malaysia" AND NOT "orchids of Thailand"'


@pytest.fixture(scope="module")
def location(tmp_path_factory):
    return index_rows(tmp_path_factory.mktemp("flowers"), ROWS)


@pytest.fixture
def search(location):
    return partial(invoke, "search", "-l", location)


@pytest.mark.parametrize("policy", [[], ["-p", "boolean"]], ids=["auto", "boolean"])
def test_the_hits_are_the_engines(search, location, policy):
    """As JSON they look like any other search's hits."""
    said = json.loads(search("--expression", WANTED, "-k", 3, "--json", *policy).stdout)
    with PassageIndex.open(encoder=OnnxEncoder(), location=location) as index:
        hits = Engine(index).search(Expression.parse(WANTED), 3)
    assert said == [hit.to_dict() for hit in hits]
    assert said[0]["id"] == "malaysia"
    assert said[0]["evidence"]["details"]["expression"] == WANTED


def test_words_stay_words(search, location):
    """An AND in a user's query must not change how it is read."""
    said = json.loads(search(WANTED, "-k", 3, "--json").stdout)
    with PassageIndex.open(encoder=OnnxEncoder(), location=location) as index:
        assert said == [hit.to_dict() for hit in Engine(index).search(WANTED, 3)]


def test_every_atom_is_explained(search):
    """One line each, with verdict and standard score."""
    lines = search("-e", WANTED, "-k", 1, "--explain").stdout.splitlines()
    (hit,) = json.loads(search("-e", WANTED, "-k", 1, "--json").stdout)
    for line, atom in zip(lines[2:4], hit["evidence"]["details"]["atoms"], strict=True):
        assert line.split(maxsplit=2) == [atom["verdict"], f"{atom['score']:.2f}", atom["text"]]
    assert "topical: orchids of Malaysia 0." in lines[4]
    assert "(rank " in lines[4]


def test_a_wrong_expression_is_shown_with_a_caret(search):
    """It marks the exact character, even where Rich sees an emoji, a style or a tab."""
    result = search("-e", 'ok AND\t[b] AND ":key: x" AND (y', code=2)
    *_, text, caret = result.stderr.splitlines()
    assert "never closed" in result.stderr
    assert text == '    ok AND [b] AND ":key: x" AND (y'
    assert caret.index("^") == text.index("(")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "--expression"),
        (("x", "-e", "y"), 2, "--expression"),
        (("-e", "NOT x"), 2, "which are wanted"),
        (("-e", "x", "-p", "topical"), 2, "'auto' or 'boolean'"),
    ],
)
def test_what_cannot_work_says_why_and_sets_the_exit_code(search, arguments, code, message):
    assert message in " ".join(search(*arguments, code=code).stderr.split())
