"""The commands about contradictions, with an encoder whose scores are known."""

from __future__ import annotations

import json
import re

import pytest
from placed_words import COPPER, LOUD, QUIET, expected, placed

from logic_retrievers.encoders import default_bundle_path

ROWS = [
    {"_id": "loud", "text": LOUD, "city": "Oslo"},
    {"_id": "quiet", "text": QUIET, "city": "Bergen"},
    {"_id": "copper", "text": COPPER, "city": "Oslo"},
]


@pytest.fixture
def encoder():
    return placed()


@pytest.fixture
def corpus(tmp_path, monkeypatch, encoder):
    monkeypatch.setattr("logic_retrievers.encoders.default_encoder", lambda: encoder)
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n", encoding="utf-8")
    return path


def test_what_contradicts_a_statement(call, corpus):
    """The command must run the search with all its options."""
    assert "3 added" in call("index", corpus, "--contradictions").stdout
    hits = json.loads(call("contradictions", QUIET, "--json").stdout)
    assert [hit["id"] for hit in hits] == ["loud", "copper"]  # its own copy does not count
    assert hits[0]["score"] == pytest.approx(expected(QUIET, LOUD)["score"], abs=1e-4)
    assert hits[0]["evidence"]["details"]["conflict"] is True
    assert len(json.loads(call("contradictions", QUIET, "-k", 1, "--json").stdout)) == 1
    bergen = json.loads(call("contradictions", LOUD, "-f", "city=Bergen", "--json").stdout)
    assert [hit["id"] for hit in bergen] == ["quiet"]
    sure = call("contradictions", QUIET, "--min-probability", 0.5, "--json").stdout
    assert [hit["id"] for hit in json.loads(sure)] == ["loud"]
    like = json.loads(call("contradictions", "--like", "copper", "--json").stdout)
    assert {hit["id"] for hit in like} == {"loud", "quiet"}
    assert {hit["evidence"]["details"]["opponent"] for hit in like} == {"copper"}


def test_what_people_see(call, corpus):
    """A score alone says nothing to a user who does not know F."""
    call("index", corpus, "--contradictions")
    shown = " ".join(call("contradictions", QUIET).stdout.split())
    assert LOUD in shown
    assert "contradicts it with probability 0.79" in shown
    assert "topical 0.924" in shown
    assert "probability" not in call("contradictions", QUIET, "--no-explain").stdout
    assert "no passage found" in call("contradictions", QUIET, "--min-probability", 1).stdout


def test_without_the_vector_the_message_says_what_to_do(call, corpus, encoder):
    """Users first try an index made without the vector."""
    call("index", corpus)
    refused = call("contradictions", QUIET, code=1).stderr
    assert refused.endswith("). Run `logic-retrievers backfill contradiction`.\n")
    result = call("index", corpus, "--contradictions")
    assert "3 stored passages" in result.stderr
    assert ": collection 'passages'" in result.stdout
    assert json.loads(call("contradictions", QUIET, "-k", 1, "--json").stdout)[0]["id"] == "loud"
    call("index", corpus, "--contradictions")
    encoder.documents.clear()
    again = call("index", corpus, "--contradictions")
    assert "3 unchanged" in again.stdout
    assert "stored passages" not in again.stderr
    assert "3 unchanged" in call("index", corpus).stdout  # the vector stays enabled
    assert encoder.documents == []


@pytest.mark.parametrize(
    ("command", "code", "remedy"),
    [
        (["search", "x", "--base", "hybrid"], 1, "Run `logic-retrievers backfill lexical`."),
        (["search", "x", "-p", "hybrid"], 1, "Run `logic-retrievers backfill lexical`."),
        (["index", "docs.jsonl", "--language", "german"], 1, " backfill lexical`."),
        (["search", "x", "--bundle", default_bundle_path()], 1, "Pass --bundle with the encoder"),
        (["search", "x", "-c", "none"], 1, "Run `logic-retrievers index PATH`"),
        (["search", "x", "--tenant", ""], 2, "A tenant is a text of 1 to"),
    ],
)
def test_an_error_advises_with_commands(call, corpus, command, code, remedy):
    """A command has no Python arguments or methods to advise."""
    call("index", corpus, "--no-lexical")
    printed = " ".join(call(*command, code=code).stderr.split())
    assert remedy in printed
    assert not re.search(r"\w\(|\w=", printed)


def test_a_bundle_without_the_vector(call, corpus, monkeypatch):
    """Nothing may be stored if the encoder cannot make the promised vector."""
    monkeypatch.setattr("logic_retrievers.encoders.default_encoder", lambda: placed(("topical",)))
    message = "makes no 'contradiction'"
    assert message in " ".join(call("index", corpus, "--contradictions", code=2).stderr.split())
    assert "no collection" in call("contradictions", QUIET, code=1).stderr
    call("index", corpus)
    assert message in " ".join(call("contradictions", QUIET, code=2).stderr.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("contradictions",), 2, "--like"),
        (("contradictions", " "), 2, "statement is empty"),
        (("contradictions", "--like", "nobody"), 1, "no passage 'nobody'"),
        (("contradictions", "x", "--min-probability", "2"), 2, "min_probability"),
    ],
)
def test_what_cannot_work_says_why(call, corpus, arguments, code, message):
    """Scripts that call us must be able to tell the cases apart."""
    call("index", corpus, "--contradictions")
    result = call(*arguments, code=code)
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.reader
def test_a_cross_encoder_reads_where_it_is_wanted(call, corpus):
    """The option must reach the search: its hits show that they were read."""
    call("index", corpus, "--contradictions")
    plain, read = (
        json.loads(call("contradictions", QUIET, "--json", *more).stdout)
        for more in ([], ["--judge"])
    )
    assert [hit["evidence"]["details"]["read"] for hit in plain] == [False, False]
    near, far = (hit["evidence"]["details"] for hit in read)
    assert (near["read"], far["read"]) == (True, False)
    assert near["probability"] > 0.5 > far["probability"]
