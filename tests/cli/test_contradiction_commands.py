"""The commands about contradictions, with an encoder whose scores are known beforehand."""

from __future__ import annotations

import gzip
import json

import pytest
from placed_words import COPPER, LOUD, QUIET, expected, placed
from typer.testing import CliRunner

from logic_retrievers.cli import score_pairs
from logic_retrievers.cli.app import app
from logic_retrievers.contradiction import ContradictionScorer

ROWS = [
    {"_id": "loud", "text": LOUD, "city": "Oslo"},
    {"_id": "quiet", "text": QUIET, "city": "Bergen"},
    {"_id": "copper", "text": COPPER, "city": "Oslo"},
]
PAIRS = [
    {"id": 7, "sentence_a": QUIET, "sentence_b": LOUD, "note": "é", "score": "old"},
    {"sentence_b": COPPER, "sentence_a": QUIET},
    {"sentence_a": LOUD, "sentence_b": LOUD},
]


@pytest.fixture
def encoder():
    return placed()


@pytest.fixture
def call(tmp_path, monkeypatch, encoder):
    monkeypatch.setenv("LOGIC_RETRIEVERS_LOCATION", str(tmp_path / "index"))
    monkeypatch.setattr("logic_retrievers.encoders.default_encoder", lambda: encoder)

    def run(*arguments, code=0, stdin=None):
        result = CliRunner().invoke(
            app, [str(a) for a in arguments], input=stdin, catch_exceptions=False
        )
        assert result.exit_code == code, result.output + result.stderr
        return result

    return run


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)) + "\n", encoding="utf-8")
    return path


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


# --- contradictions


def test_what_contradicts_a_statement(call, corpus):
    """The command must be the search, with all that it was told."""
    assert "3 added" in call("index", corpus, "--contradictions").stdout
    hits = json.loads(call("contradictions", QUIET, "--json").stdout)
    assert [hit["id"] for hit in hits] == ["loud", "copper"]  # its own copy is none
    assert hits[0]["score"] == pytest.approx(expected(QUIET, LOUD)["score"], abs=1e-4)
    assert hits[0]["evidence"]["details"]["conflict"] is True
    assert len(json.loads(call("contradictions", QUIET, "-k", 1, "--json").stdout)) == 1
    bergen = json.loads(call("contradictions", LOUD, "-f", "city=Bergen", "--json").stdout)
    assert [hit["id"] for hit in bergen] == ["quiet"]
    sure = call("contradictions", QUIET, "--min-probability", 0.5, "--json").stdout
    assert [hit["id"] for hit in json.loads(sure)] == ["loud"]
    one = call("contradictions", LOUD, "--candidates", 2, "-k", 1, "--json").stdout
    assert [hit["id"] for hit in json.loads(one)] == ["quiet"]
    like = json.loads(call("contradictions", "--like", "copper", "--json").stdout)
    assert {hit["id"] for hit in like} == {"loud", "quiet"}
    assert {hit["evidence"]["details"]["opponent"] for hit in like} == {"copper"}


def test_what_people_see(call, corpus):
    """A score alone says nothing to somebody who does not know F."""
    call("index", corpus, "--contradictions")
    shown = " ".join(call("contradictions", QUIET).stdout.split())
    assert LOUD in shown
    assert "contradicts it with probability 0.79" in shown
    assert "topical 0.924" in shown
    assert "probability" not in call("contradictions", QUIET, "--no-explain").stdout
    assert "no passage found" in call("contradictions", QUIET, "--min-probability", 1).stdout


def test_without_the_vector_the_message_says_what_to_do(call, corpus, encoder):
    """Everybody's first try is on an index that was made without."""
    call("index", corpus)
    assert "logic-retrievers backfill contradiction" in call("contradictions", QUIET, code=1).stderr
    result = call("index", corpus, "--contradictions")
    assert "3 stored passages" in result.stderr
    assert ": collection 'passages'" in result.stdout
    assert json.loads(call("contradictions", QUIET, "-k", 1, "--json").stdout)[0]["id"] == "loud"
    call("index", corpus, "--contradictions")
    encoder.documents.clear()
    again = call("index", corpus, "--contradictions")
    assert "3 unchanged" in again.stdout
    assert "stored passages" not in again.stderr
    assert "3 unchanged" in call("index", corpus).stdout  # it stays on
    assert encoder.documents == []


def test_a_bundle_without_the_vector(call, corpus, monkeypatch):
    """Nothing may be stored under a promise that the encoder cannot keep."""
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
        (("contradictions", "x", "--like", "y"), 2, "--like"),
        (("contradictions", " "), 2, "statement is empty"),
        (("contradictions", "--like", "nobody"), 1, "no passage 'nobody'"),
        (("contradictions", "x", "-k", "0"), 2, "at least 1"),
        (("contradictions", "x", "--min-probability", "2"), 2, "min_probability"),
        (("contradictions", "x", "--candidates", "0"), 2, "candidates"),
        (("contradictions", "x", "-f", "city"), 2, "KEY=VALUE"),
        (("contradictions", "x", "-c", "other"), 1, "no collection 'other'"),
        (("score-pairs", "nowhere"), 1, "nowhere"),
        (("score-pairs",), 2, "FILE"),
    ],
)
def test_what_cannot_work_says_why(call, corpus, arguments, code, message):
    """A script that calls us must be able to tell the cases apart."""
    call("index", corpus, "--contradictions")
    result = call(*arguments, code=code)
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


# --- score-pairs


@pytest.mark.parametrize("way", ["file", "gzip", "stdin"])
def test_rows_come_back_with_their_scores(call, tmp_path, way):
    """Rows in another order, or without their own keys, cannot be joined with anything."""
    text = lines(PAIRS).replace("\n", "\n\n").encode()
    path, stdin = tmp_path / f"pairs.jsonl{'.gz' if way == 'gzip' else ''}", None
    if way == "stdin":
        path, stdin = "-", b"\xef\xbb\xbf" + text
    else:
        path.write_bytes(gzip.compress(text) if way == "gzip" else text)
    found = [
        json.loads(line) for line in call("score-pairs", path, stdin=stdin).stdout.splitlines()
    ]
    for row, given in zip(found, PAIRS, strict=True):
        added = ["score", "probability", "cosine", "sparsity"]
        assert {key: row[key] for key in row if key not in added} == {
            key: given[key] for key in given if key not in added
        }
        assert set(row) == {*given, *added}
    for key, value in expected(QUIET, LOUD).items():
        assert found[0][key] == pytest.approx(value, abs=1e-4)
    assert found[1]["score"] == pytest.approx(expected(QUIET, COPPER)["score"], abs=1e-4)
    assert [found[2][key] for key in ("score", "probability", "sparsity")] == [1.0, 0.0, None]


def test_nothing_else_is_on_standard_output(call, tmp_path):
    """The output goes into the next program, letters as they are."""
    result = call("score-pairs", "-", stdin=lines(PAIRS))
    assert "é" in result.stdout
    assert len(result.stdout.splitlines()) == 3
    assert call("score-pairs", "-", stdin="").stdout == ""


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{broken", "not valid JSON"),
        ('["a", "b"]', "a row must be an object"),
        ('{"sentence_a": "x"}', "sentence_b is missing"),
        ('{"sentence_a": 3, "sentence_b": "x"}', "sentence_a is int"),
        ('{"sentence_a": "x", "sentence_b": " "}', "sentence_b is empty"),
        ('{"sentence_a": "x", "sentence_b": null}', "sentence_b is NoneType"),
        ('{"sentence_a": "x", "sentence_b": "x", "n": NaN}', "NaN is not a JSON number"),
    ],
)
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_bad_row_is_named_before_its_batch_is_written(
    call, tmp_path, monkeypatch, encoder, bad, message, way
):
    """Half a batch of output would be taken for all of it."""
    monkeypatch.setattr(score_pairs, "BATCH_SIZE", 2)
    text = f"{lines(PAIRS)}\n{bad}\n{lines(PAIRS)}"
    path, stdin, place = tmp_path / "pairs.jsonl", None, "pairs.jsonl:5: "
    if way == "stdin":
        path, stdin, place = "-", text, "standard input:5: "
    else:
        path.write_text(text, "utf-8")
    result = call("score-pairs", path, stdin=stdin, code=1)
    stderr = " ".join(result.stderr.split())
    assert message in stderr
    assert place in stderr
    assert len(result.stdout.splitlines()) == 2
    assert encoder.documents == [QUIET, LOUD, COPPER]


def test_rows_are_read_and_written_in_batches(call, monkeypatch):
    """Output that comes at the end alone, and a million rows in memory until then."""
    monkeypatch.setattr(score_pairs, "BATCH_SIZE", 3)
    seen, score = [], ContradictionScorer.score

    def noted(self, some):
        seen.append(len(some))
        return score(self, some)

    monkeypatch.setattr(ContradictionScorer, "score", noted)
    rows = [{"sentence_a": QUIET, "sentence_b": f"text {n}"} for n in range(8)]
    found = call("score-pairs", "-", stdin=lines(rows)).stdout.splitlines()
    assert seen == [3, 3, 2]
    assert [json.loads(line)["sentence_b"] for line in found] == [f"text {n}" for n in range(8)]


def test_a_broken_archive(call, tmp_path):
    """A traceback of zlib's names neither the file nor what to do."""
    path = tmp_path / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(lines(PAIRS * 50).encode())[:-12])
    result = call("score-pairs", path, code=1)
    assert "pairs.jsonl.gz: cannot be read" in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_pairs_with_a_bundle_without_the_vector(call, monkeypatch):
    """It must be told before the input is read, which may be a pipe."""
    monkeypatch.setattr("logic_retrievers.encoders.default_encoder", lambda: placed(("topical",)))
    result = call("score-pairs", "-", stdin="{broken", code=2)
    assert "makes no 'contradiction'" in " ".join(result.stderr.split())
