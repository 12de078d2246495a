"""The forms of ``--judge [SPEC]`` and ``--reranker SPEC``, and what they reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from program import index_rows, invoke
from rerank_server import running_rerank_server
from typer.testing import CliRunner

from logic_retrievers import JudgeSettings, ModelJudge, RerankEndpoint, judging
from logic_retrievers.cli.judge_options import JudgeCommand, JudgeSpec, open_judge, open_pair_judge

ROWS = {
    "pool": "A hotel with a heated pool and a garden.",
    "plain": "A small hotel near the station; there is no pool.",
    "copper": "Prices of copper rose again this week.",
}
QUERY = "a hotel without a pool"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, file in (("mine", "config.json"), ("docs", "corpus.jsonl")):
        Path(name).mkdir()
        Path(name, file).touch()
    return tmp_path


@pytest.fixture
def endpoint(home):
    """A file that names a local rerank endpoint, and the endpoint."""
    with running_rerank_server("tei", lambda _, text: float("copper" in text)) as server:
        JudgeSettings(RerankEndpoint(server.url, form="tei"), relevance_weight=1.0).save(
            "judge.json"
        )
        yield server


@pytest.mark.parametrize(
    ("line", "spec", "words"),
    [
        ("", "default", []),
        ("--judge", "auto", []),
        ("--judge --json", "auto", []),
        ("--no-judge", "none", []),
        ("no noise --judge", "auto", ["no", "noise"]),
        ("--judge no noise", "auto", ["no", "noise"]),  # as it was before there were values
        ("--judge docs", "auto", ["docs"]),
        ("--judge -- auto", "auto", ["auto"]),
        ("--judge auto docs", "auto", ["docs"]),
        ("--judge none", "none", []),
        ("--judge other.json docs", "other.json", ["docs"]),
        ("docs --judge mine", "mine", ["docs"]),
        ("docs --judge org/model", "org/model", ["docs"]),
        ("docs --judge=mine", "mine", ["docs"]),
        ("-- --judge", "default", ["--judge"]),
    ],
)
def test_the_value_may_be_left_out(home, line, spec, words):
    """A query or a folder of documents after ``--judge`` must not be taken for a judge."""
    app = typer.Typer()

    @app.command(cls=JudgeCommand)
    def command(
        words: list[str] = typer.Argument(default=[]),  # noqa: B008 - the test's own form
        judge: JudgeSpec = "default",
        as_json: bool = typer.Option(False, "--json"),
    ):
        typer.echo(json.dumps([judge, list(words)]))

    assert json.loads(CliRunner().invoke(app, line.split()).stdout) == [spec, words]


def test_each_form_has_its_class(home, monkeypatch):
    """A folder is read by what it holds; a name with a slash is looked up on the hub."""
    for name in ("CrossEncoderJudge", "OnnxJudge", "OnnxPairJudge"):
        monkeypatch.setitem(vars(judging), name, lambda spec, name=name: (name, spec))
    Path("graph").mkdir()
    for file in ("config.json", "model.onnx"):
        Path("graph", file).touch()
    assert (open_judge("auto"), open_judge("none")) == ("auto", None)
    assert open_judge("mine") == ("CrossEncoderJudge", "mine")
    assert open_judge("./graph") == ("OnnxJudge", "./graph")
    assert open_judge("org/model-v1.5") == ("CrossEncoderJudge", "org/model-v1.5")
    Path("graph/manifest.json").touch()
    assert open_judge("graph") == ("OnnxPairJudge", "graph")
    JudgeSettings(ask="parts").save("own.json")
    assert open_judge("own.json") == JudgeSettings(ask="parts")
    assert open_pair_judge("own.json") == "auto"


@pytest.mark.parametrize(
    ("option", "code", "message"),
    [
        ("--judge=missing.json", 1, "missing.json"),
        ("--reranker=bad.json", 1, "no judge's settings"),
        ("--judge=unknown.json", 2, "no judge is called 'Oracle'"),
        ("--reranker=./docs", 2, "holds no judge"),
        ("--judge=./typo/of/a/folder", 2, "no judge is named"),
        ("--judge=", 2, "no judge is named"),
        ("--no-judge=x", 2, "does not take a value"),
        pytest.param("--judge=org/no-such-model", 5, "hub", marks=pytest.mark.slow),
    ],
)
def test_a_wrong_name_says_what_is_possible(home, monkeypatch, option, code, message):
    """Scripts rely on exit codes; a query must not run without the judge that was named."""
    if "no-such-model" in option:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    Path("bad.json").write_text("[]")
    Path("unknown.json").write_text('{"judge": {"class": "Oracle"}}')
    said = invoke("search", "inns", option, code=code).stderr
    assert message in " ".join(said.split())


def test_a_model_behind_an_endpoint_judges_and_reranks(home, endpoint):
    """Both options must reach the engine: the endpoint knows only copper."""
    location = ("-l", index_rows(home, ROWS))
    for options in (["--judge", "judge.json"], ["--no-judge", "--reranker", "judge.json"]):
        (first, *_) = json.loads(invoke("search", QUERY, *location, *options, "--json").stdout)
        assert first["id"] == "copper"
        details = first["evidence"]["details"]
        assert options[-2].removeprefix("--") in details
    said = invoke("contradictions", QUERY, *location, "--judge=judge.json", code=2).stderr
    assert "cannot tell" in " ".join(said.split())


class Contrary(ModelJudge):
    """Finds a contradiction in every pair."""

    compares = True
    asked = 0

    def __call__(self, pairs):
        raise AssertionError("it is to compare passages")

    def contradictions(self, pairs):
        type(self).asked += len(pairs)
        return [1.0] * len(pairs)


def test_a_model_that_compares_passages(home, monkeypatch):
    """The commands about contradictions read pairs of passages with it, and say so."""
    monkeypatch.setitem(vars(judging), "CrossEncoderJudge", lambda _: Contrary())
    rows = [{"_id": name, "text": text} for name, text in ROWS.items()]
    Path("docs/corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    invoke("index", "docs", "--contradictions", "-l", "index")
    text = "A hotel without a heated pool."
    hits = invoke("contradictions", text, "-l", "index", "--judge", "mine", "--json").stdout
    assert json.loads(hits)[0]["evidence"]["details"]["read"]
    Contrary.asked = 0
    assert (
        "read by the judge"
        in invoke("clean", "docs", "--judge", "mine", "--threshold", 0.001).stdout
    )
    assert Contrary.asked
