"""``--judge`` and ``--no-judge`` of ``search`` and ``evaluate``, and the policy ``judge``."""

from __future__ import annotations

import json
import re

import pytest
from program import index_rows, invoke

from logic_retrievers import Engine, OnnxEncoder, PassageIndex
from logic_retrievers.judging import onnx

ROWS = {
    "pool": "A hotel with a heated pool and a garden.",
    "plain": "A small hotel near the station; there is no pool.",
    "inn": "A quiet inn by the harbour.",
    "copper": "Prices of copper rose again this week.",
}
QUERY = "a hotel without a pool"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An index of the hotels, and the same hotels as a data set."""
    folder = tmp_path_factory.mktemp("hotels")
    query = {"_id": "q", "text": QUERY, "satisfying": ["plain"], "violating": ["pool"]}
    (folder / "queries.jsonl").write_text(json.dumps(query), encoding="utf-8")
    index_rows(folder, ROWS)
    return folder


@pytest.fixture
def fake_judge(monkeypatch):
    """Replaces the default bundle's judge, which may be missing: it favours copper."""
    asked = []

    def judge(pairs):
        asked.extend(pairs)
        return [(0.98, 0.01, 0.01) if "copper" in text else (0.1, 0.8, 0.1) for text, _ in pairs]

    reader = onnx.default_constraint()  # shares the bundle judge's sessions
    monkeypatch.setattr(onnx, "default_constraint", lambda: reader)
    monkeypatch.setattr(onnx, "default_judge", lambda: judge)
    return asked


def search(folder, *arguments):
    said = invoke("search", QUERY, "-l", folder / "index", "--json", *arguments)
    return json.loads(said.stdout)


def evaluate(folder, *arguments):
    """The figures for the only query."""
    return json.loads(invoke("evaluate", folder, "--json", *arguments).stdout)["metrics"]


def test_search_without_a_judge(folder, fake_judge):
    """The switch must reach the search."""
    hits = search(folder, "--no-judge")
    assert not fake_judge
    with PassageIndex.open(encoder=OnnxEncoder(), location=folder / "index") as index:
        expected = Engine(index, judge=None).search(QUERY, 5)
    assert hits == json.loads(json.dumps([hit.to_dict() for hit in expected]))
    assert all("judge" not in hit["evidence"]["details"] for hit in hits)


def test_search_asks_the_judge(folder, fake_judge):
    hits = search(folder)
    assert fake_judge
    assert all(query.startswith(QUERY) for _, query in fake_judge)
    assert all(hit["evidence"]["details"]["judge"]["text"] == hit["text"] for hit in hits)
    explained = " ".join(
        invoke("search", QUERY, "-l", folder / "index", "--explain").stdout.split()
    )
    assert "the judge reads" in explained
    sums = re.findall(
        r"score (\S+) = similarity (\S+) - penalty (\S+) \(violation \S+\) ([+-]) judge (\S+)",
        explained,
    )
    assert len(sums) == len(hits)
    for score, similarity, penalty, sign, added in sums:
        total = float(similarity) - float(penalty) + float(sign + added)
        assert float(score) == pytest.approx(total, abs=0.002)


def test_evaluate_with_and_without_a_judge(folder, fake_judge):
    assert evaluate(folder, "--no-judge")["R@5"] == 1
    assert not fake_judge
    assert evaluate(folder)["R@5"] == 1
    assert len(fake_judge) == len(ROWS)
