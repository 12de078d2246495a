"""Query encoders on the command line: searching, and comparing over one collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import invoke as call
from query_files import write_noisy

from logic_retrievers.encoders import OnnxEncoder

NAMES = ("calm inn", "loud bar", "copper mine", "river boat", "stone bridge", "market hall")
ROWS = [
    {"_id": f"d{i}", "text": f"The {name} stands by the harbour."} for i, name in enumerate(NAMES)
]
QUERIES = [
    {"_id": f"q{i}", "text": f"where is the {name}", "satisfying": [f"d{i}"]}
    for i, name in enumerate(NAMES)
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noisy(tmp_path_factory.mktemp("query") / "ours.query.onnx", noise=1.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("corpus", ROWS), ("queries", QUERIES)):
        text = "\n".join(map(json.dumps, rows))
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_search_with_a_query_encoder(folder, file):
    """The collection stays unchanged: the next search without it finds the same as before."""
    place = ("--location", folder / "index")
    call("index", folder / "corpus.jsonl", *place)
    asked = ("search", "where is the calm inn", "--json", *place)
    before, swapped = call(*asked).stdout, call(*asked, "--query-encoder", file).stdout
    assert before != swapped
    assert call(*asked).stdout == before
    second = write_noisy(folder / "second.query.onnx", head="compatibility")
    assert call(*asked, "--query-encoder", file, "--query-encoder", second).stdout != before
    twice = call(*asked, "--query-encoder", file, "--query-encoder", file, code=2)
    assert "the queries of one vector" in twice.stderr
    missing = call(*asked, "--query-encoder", folder / "no.query.onnx", code=5)
    assert "Check the path" in missing.stderr


def test_two_query_encoders_over_one_collection(folder, file, monkeypatch):
    """Only the queries may differ, and documents are encoded once."""
    encoded: list[str] = []
    really = OnnxEncoder.encode_documents

    def counted(self, texts, names=None):
        encoded.extend(texts)
        return really(self, texts, names)

    monkeypatch.setattr(OnnxEncoder, "encode_documents", counted)
    both = ("--query-encoder", "base", "--query-encoder", file)
    shown = call("evaluate", folder, "-p", "topical", *both).stdout
    assert len(encoded) == len(ROWS)
    assert "ours less base" in " ".join(shown.split())
    told = figures(folder, *both)
    base, ours = (told["results"][name]["metrics"] for name in ("base", "ours"))
    assert base["R@1"] == 1.0
    gain = told["differences"]["ours less base"]["R@1"]
    assert gain["mean"] == pytest.approx(ours["R@1"] - base["R@1"])
    assert gain["low"] <= gain["mean"] <= gain["high"] < 0
    assert f"{gain['mean']:+.4f}" in shown

    assert figures(folder)["metrics"] == base
    assert figures(folder, *both[2:])["metrics"] == ours


def figures(folder, *encoders):
    return json.loads(call("evaluate", folder, "-p", "topical", *encoders, "--json").stdout)


def test_what_cannot_be_compared_is_refused_at_once(folder, file, tmp_path, monkeypatch):
    """The refusal comes before encoding all documents, which may take an hour."""
    monkeypatch.setattr(OnnxEncoder, "encode_documents", lambda *_: pytest.fail("encoded"))
    twice = call("evaluate", folder, "--query-encoder", file, "--query-encoder", file, code=2)
    assert "nothing to compare" in twice.stderr
    both = ("--query-encoder", "base", "--query-encoder", file)
    per_query = ("--per-query", tmp_path / "figures.csv")
    assert "one run" in call("evaluate", folder, *both, *per_query, code=2).stderr
    other = write_noisy(tmp_path / "other.query.onnx", document_fingerprint="0" * 32)
    both = ("--query-encoder", "base", "--query-encoder", other)
    assert "was made for" in call("evaluate", folder, *both, code=1).stderr
