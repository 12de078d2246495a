"""Named configurations over an index, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from probing import SET
from suites import HashedEncoder
from typer.testing import CliRunner

from benchmarks.probe_questions.command import write_probe
from logic_retrievers import ContradictionFilter, PassageIndex
from logic_retrievers.cli.app import app
from logic_retrievers.errors import ConfigurationError, UnknownPolicyError, UnknownResolutionError
from logic_retrievers.probe import (
    ExtractiveReader,
    ProbeQuestion,
    ProbeSet,
    fill_index,
    filtered_retrieval,
    policy_retrieval,
    read_probe,
    resolve_configurations,
)
from logic_retrievers.probe.questions import TEMPLATE

OPENED = "The library opens at nine in the morning on all days of the working week, says the {}."
TEXTS = {
    "old": OPENED.format("porter"),
    "new": OPENED.format("porter").replace("nine", "ten"),
    "far": "Roses need sun.",
    "7": "The library is red.",
}
QUESTION = ProbeQuestion("q", "When does the library open in the morning?", ("ten",), ("nine",))


@pytest.fixture(scope="module")
def index() -> Iterator[PassageIndex]:
    encoder = HashedEncoder(("topical", "compatibility", "contradiction"), dimension=256)
    with PassageIndex.open("probe", encoder) as opened:
        fill_index(opened, ProbeSet("library", (QUESTION,), TEXTS))
        yield opened


def ids(retrieve, question: ProbeQuestion, depth: int = 4) -> list[str]:
    return [hit.passage.id for hit in retrieve(question, depth)]


def test_a_policy_by_name(index: PassageIndex) -> None:
    configurations = resolve_configurations(["topical", "auto"], index, SET)
    assert list(configurations) == ["topical", "auto"]
    assert set(ids(configurations["topical"], QUESTION, 2)) == {"old", "new"}
    assert len(ids(configurations["auto"], QUESTION)) == 4
    with pytest.raises(UnknownPolicyError):
        resolve_configurations(["none"], index, SET)
    with pytest.raises(UnknownResolutionError):
        resolve_configurations(["topical+none"], index, SET)
    with pytest.raises(ConfigurationError, match="name a policy"):
        resolve_configurations([], index, SET)


def test_only_candidates_compete(index: PassageIndex) -> None:
    """A different question's passage must not answer this one."""
    some = replace(QUESTION, candidates=("far", "new", "7"))
    assert set(ids(policy_retrieval(index, "topical"), some)) == {"far", "new", "7"}
    assert ids(policy_retrieval(index, "auto"), some, 1) == ["new"]


def test_trusted_passages_judge(index: PassageIndex) -> None:
    """Without the filter the wrong answer stays in the reader's context."""
    questions = ProbeSet("library", (QUESTION,), TEXTS)
    way = resolve_configurations(["topical+annotate"], index, questions)["topical+annotate"]
    assert {"old", "new"} <= set(ids(way, QUESTION))
    for trusted, gone in (("new", "old"), ("old", "new")):
        found = ids(way, replace(QUESTION, trusted=(trusted,)), 2)
        assert gone not in found
        assert trusted in found
        assert len(found) == 2  # the next passage replaces the dropped one
    names = ["topical+annotate"]
    bold = resolve_configurations(names, index, questions, threshold=0.999999)["topical+annotate"]
    assert "old" in ids(bold, replace(QUESTION, trusted=("new",)), 2)


def test_the_filter_chooses_from_more_than_the_depth(index: PassageIndex) -> None:
    contradictions = ContradictionFilter(index=index, resolution="drop_both")
    retrieve = policy_retrieval(index, "topical")
    deep = filtered_retrieval(retrieve, contradictions, TEXTS)
    assert set(ids(deep, QUESTION, 2)) == {"7", "far"}


def test_the_command(tmp_path: Path) -> None:
    """It prints metrics as tables or JSON and writes traces."""
    folder = tmp_path / "small"
    write_probe(folder, SET)
    given = ["probe", "run", str(folder), "-p", "topical", "-p", "auto", "--depth", "2"]
    given += ["--answers", str(tmp_path / "a")]
    traces = ["--traces", str(tmp_path / "t")]
    done = CliRunner().invoke(app, [*given, *traces], env={"COLUMNS": "250"})
    assert done.exit_code == 0, done.output
    assert "small: 3 questions at depth 2" in done.output
    assert "accuracy by kind of question" in done.output
    written = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    assert written["questions"] == 3
    assert set(written["configurations"]) == {"topical", "auto"}
    assert {"p", "p_corrected", "difference"} <= written["comparisons"]["auto"].keys()
    assert len((tmp_path / "t").read_text("utf-8").splitlines()) == 6


def test_traces_that_cannot_be_written_are_refused_at_once(tmp_path: Path, monkeypatch) -> None:
    """Hours of answers, or an earlier run's, must not be lost at the end."""
    monkeypatch.setattr("logic_retrievers.probe.probe", lambda *_, **__: pytest.fail("asked"))
    kept = tmp_path / "kept"
    kept.write_text("of an earlier run", "utf-8")
    for place, said in (
        (kept, "is there already"),
        (tmp_path, "is there already"),
        (tmp_path / "none" / "t", "cannot be written"),
        (kept / "t", "cannot be written"),
        (tmp_path / ("t" * 300), "cannot be written"),
    ):
        arguments = ["probe", "run", str(TEMPLATE), "--traces", str(place)]
        done = CliRunner().invoke(app, arguments, env={"COLUMNS": "1000"})
        assert done.exit_code == 2, place
        assert said in done.output
    assert kept.read_text("utf-8") == "of an earlier run"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--reader", "http://127.0.0.1:9/v1"], "--model"),
        (["--reader", "some"], "extractive or a URL"),
        (["--model", "small"], "--reader URL"),
        (["--depth", "0"], "depth"),
        (["--threshold", "0.5"], "topical+annotate"),
        (["--reader", "http://127.0.0.1:9/v1", "--model", "m", "--max-tokens", "0"], "max_tok"),
    ],
)
def test_wrong_usage(given: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["probe", "run", str(TEMPLATE), *given])
    assert done.exit_code == 2
    assert said in done.output


def test_questions_without_an_answer_are_said(monkeypatch) -> None:
    """A script must be able to see that some are missing."""
    first, *_ = read_probe(TEMPLATE).questions

    class Failing(ExtractiveReader):
        def answer(self, prompt):
            if prompt.question == first.text:
                raise ValueError("x")
            return super().answer(prompt)

    monkeypatch.setattr("logic_retrievers.probe.ExtractiveReader", Failing)
    done = CliRunner().invoke(app, ["probe", "run", str(TEMPLATE)])
    assert done.exit_code == 3
    assert f"1 without an answer, as {first.id}: reader: ValueError" in done.output
