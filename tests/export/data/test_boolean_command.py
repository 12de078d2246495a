"""`boolean-questions` as it is typed, over an endpoint on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="the extra cli")
pytest.importorskip("sklearn", reason="the extra train")

from boolean_passages import DOCUMENTS, Endpoint, Keyworder, write_corpus
from logic_export.cli.app import app
from typer.testing import CliRunner

from logic_retrievers.evaluation import load_dataset


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint(Keyworder(DOCUMENTS.values())) as server:
        yield server
        server.shutdown()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path)


def run(*arguments: object):
    return CliRunner().invoke(app, ["data", "boolean-questions", *map(str, arguments)])


def typed(endpoint: Endpoint, corpus: Path, *more: object) -> tuple[object, ...]:
    folder = corpus.parent / "made" / "set"
    return (corpus, folder, "--endpoint", endpoint.url, "--model", "small", *more)


def test_the_command_writes_a_data_set(endpoint, corpus):
    done = run(*typed(endpoint, corpus, "--per-type", 2, "--answer-model", "reader"))
    assert done.exit_code == 0, done.output
    assert "2 and, 2 or, 2 not" in done.output
    data = load_dataset(corpus.parent / "made" / "set")
    assert (
        sorted(query.template for query in data.queries) == ["and"] * 2 + ["not"] * 2 + ["or"] * 2
    )
    models = {
        (body["model"], "Answer the question" in body["messages"][0]["content"])
        for body in endpoint.bodies
    }
    assert models == {("small", False), ("reader", True)}
    assert {(body["temperature"], body["seed"]) for body in endpoint.bodies} == {(0.0, 0)}
    again = run(*typed(endpoint, corpus, "--per-type", 2))
    assert again.exit_code == 2
    assert "there already" in again.stderr


def test_an_interrupted_run_asks_nothing_twice(endpoint, corpus):
    """The answers are paid for, and there are thousands."""
    endpoint.left = 25
    first = run(*typed(endpoint, corpus, "--per-type", 2, "--no-sampling"))
    assert first.exit_code == 4
    assert len(first.stderr.strip().splitlines()) == 1
    assert not (corpus.parent / "made" / "set").exists()
    endpoint.left = 10_000
    second = run(*typed(endpoint, corpus, "--per-type", 2, "--no-sampling"))
    assert second.exit_code == 0, second.output
    assert len(endpoint.bodies) == len({str(body["messages"]) for body in endpoint.bodies}) > 25
    assert not any("temperature" in body or "seed" in body for body in endpoint.bodies)


def test_too_few_questions_are_told(endpoint, corpus):
    done = run(*typed(endpoint, corpus, "--per-type", 40))
    assert done.exit_code == 3, done.output
    assert "groups of passages" in done.output
    assert load_dataset(corpus.parent / "made" / "set").queries


def test_a_model_that_gives_junk_writes_nothing(endpoint, corpus):
    endpoint.rewriter.rewrite = lambda instruction, text: "I am sorry, Dave.\nI cannot do that."
    done = run(*typed(endpoint, corpus))
    assert done.exit_code == 1
    assert "simple: several lines" in done.output
    assert "no question passed the checks" in done.stderr
    assert not (corpus.parent / "made" / "set").exists()
