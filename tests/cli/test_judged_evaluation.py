"""``evaluate --judge``: queries that get worse are named; ``--fit`` writes settings."""

from __future__ import annotations

import json
import re

import pytest
from program import invoke
from rerank_server import running_rerank_server

from logic_retrievers import JudgeSettings, RerankEndpoint
from logic_retrievers.judging import onnx

TOWNS = ["Oslo", "Bergen", "Lima", "Cairo", "Delhi", "Osaka"]
TOWNS += ["Quito", "Turin", "Lyon", "Porto", "Seville", "Malmo"]


def write_folder(folder, wet, dry):
    """Write hotels with a pool and without; one half of the queries is in each split."""
    texts = {f"{town}-wet": f"A hotel in {town} {wet}." for town in TOWNS}
    texts |= {f"{town}-dry": f"A hotel in {town} {dry}." for town in TOWNS}
    rows = [{"_id": name, "text": text} for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for split, towns in (("dev", TOWNS[::2]), ("test", TOWNS[1::2])):
        queries = [
            {
                "_id": f"q-{town}",
                "text": f"a hotel in {town} without a pool",
                "satisfying": [f"{town}-dry"],
                "violating": [f"{town}-wet"],
            }
            for town in towns
        ]
        (folder / split).mkdir()
        lines = "\n".join(map(json.dumps, queries))
        (folder / split / "queries.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Hotels that a search without a judge orders well."""
    return write_folder(tmp_path_factory.mktemp("towns"), "with a pool", "with no pool")


@pytest.fixture
def harmful(monkeypatch):
    """In the place of the bundle's judge: sure that a pool satisfies, but in Oslo."""
    asked = []

    def judge(pairs):
        asked.extend(pairs)
        return [
            (0.98, 0.01, 0.01) if ("no pool" in text) is ("Oslo" in text) else (0.01, 0.01, 0.98)
            for text, _ in pairs
        ]

    reader = onnx.default_constraint()
    monkeypatch.setattr(onnx, "default_constraint", lambda: reader)
    monkeypatch.setattr(onnx, "default_judge", lambda: judge)
    return asked


def test_queries_that_a_judge_makes_worse(folder, harmful):
    """A judge that was named is compared with none; without a name nothing is searched twice."""
    plain = json.loads(invoke("evaluate", folder, "--split", "dev", "--json").stdout)
    assert "changes" not in plain
    asked = len(harmful)
    arguments = ("evaluate", folder, "--split", "dev", "--judge")
    judged = json.loads(invoke(*arguments, "--json").stdout)
    assert len(harmful) == 2 * asked
    changes = judged.pop("changes")
    assert judged == plain
    counts = changes["judge"]
    assert counts["better"] + counts["worse"] + counts["same"] == 6
    assert counts["worse"] >= 4
    (worst, *_) = counts["worst"]
    assert worst["after"] < worst["before"]
    assert "q-Oslo" not in [query["id"] for query in counts["worst"]]
    printed = invoke(*arguments).stdout
    assert f"judge: {counts['better']} queries better, {counts['worse']} worse" in printed
    named = re.findall(r"worse: (\S+) (.*)  (\S+) -> (\S+)", printed)
    assert [name for name, *_ in named] == [query["id"] for query in counts["worst"]]
    assert named[0][2] == f"{worst['before']:.2f}"
    several = json.loads(invoke(*arguments, "-p", "auto", "-p", "judge", "--json").stdout)
    assert {name: len(r["changes"]) for name, r in several["results"].items()} == {
        "auto": 1,
        "judge": 1,
    }


def test_fit_and_measure(tmp_path):
    """The way that the documentation shows: fit on one split, measure on the other."""
    folder = write_folder(
        tmp_path,
        "where you swim all day",
        "that had a pool, the best pool in town, until the pool was closed",
    )

    def relevance(query, text):
        town = any(town in query and town in text for town in TOWNS)
        wet = "swim" in text
        return float(wet) if "hotel" not in query else town + 0.5 * wet

    own, fitted = tmp_path / "own.json", tmp_path / "fitted.json"
    with running_rerank_server("tei", relevance) as server:
        JudgeSettings(RerankEndpoint(server.url, form="tei")).save(own)
        arguments = ("evaluate", folder, "--split", "dev", "--judge")
        said = invoke(*arguments, own, "--fit", fitted)
        assert "warning: only 6 queries" in said.stderr
        assert "--split other than dev" in said.stderr
        assert "ask parts" in said.stdout
        assert re.search(r"gain over no judge: \+\S+ \(95 % interval", said.stdout)
        assert "gain over the shipped judge: " in said.stdout
        assert "no gain is shown" not in said.stdout
        settings = JudgeSettings.load(fitted)
        assert isinstance(settings.judge, RerankEndpoint)
        assert settings.relevance_weight > 0
        assert "figures here are too good" in invoke(*arguments, fitted).stderr
        test = invoke("evaluate", folder, "--judge", fitted, "--json")
        assert "too good" not in test.stderr
        assert json.loads(test.stdout)["changes"]["judge"]["worse"] == 0
        as_json = json.loads(invoke(*arguments, own, "--fit", fitted, "--json").stdout)
        assert as_json["settings"] == settings.overrides()
        server.score = lambda *_: 0.5
        useless = invoke(*arguments, own, "--fit", fitted).stdout
        assert "relevance_weight 0.0" in useless
        assert "gives the judge no weight" in useless
        assert JudgeSettings.load(fitted).relevance_weight == 0


def test_a_fit_asks_a_reranker_once(folder, harmful, tmp_path):
    """A fit searches a dozen times, and a service is paid for each request."""
    own = tmp_path / "own.json"
    with running_rerank_server() as server:
        JudgeSettings(judge=RerankEndpoint(server.url)).save(own)
        arguments = ("--judge", "auto", "--reranker", own, "--fit", tmp_path / "fitted.json")
        invoke("evaluate", folder, "--split", "dev", *arguments)
        queries = [body["query"] for body in server.bodies]
    assert len(queries) == len(set(queries)) == 6
    assert harmful


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--no-judge",),
        ("--judge", "-p", "auto", "-p", "topical"),
        ("--judge", "--per-query", "x"),
    ],
    ids=" ".join,
)
def test_a_fit_is_of_one_judge(folder, tmp_path, arguments):
    assert (
        "--judge" in invoke("evaluate", folder, "--fit", tmp_path / "f", *arguments, code=2).stderr
    )
    missing = tmp_path / "no" / "f"
    assert "written" in invoke("evaluate", folder, "--judge", "--fit", missing, code=2).stderr
