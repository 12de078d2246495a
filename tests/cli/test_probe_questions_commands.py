"""``probe-questions``: sets into folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.probe.files import read_probe
from logic_retrievers.probe.sets import SETS
from logic_retrievers.probe.template import EXAMPLE


def call(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["probe-questions", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    """RAMDocs' form."""
    folder = tmp_path / "ram" / "dev"
    folder.mkdir(parents=True)
    documents = [{"_id": n, "text": f"It opens at {n}.", "type": "correct"} for n in ("7", "9")]
    question = {"_id": "q", "text": "When?", "doc_ids": ["7", "9"], "wrong_answers": ["8"]}
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in documents))
    (folder / "queries.jsonl").write_text(json.dumps({**question, "gold_answers": ["7", "9"]}))
    return folder.parent


def test_a_set_is_made(pool: Path, tmp_path: Path) -> None:
    said = call("ramdocs", pool, tmp_path / "out", "--split", "dev")
    assert said.split() == (
        f"1 questions (1 several_answers) over 2 passages in {tmp_path / 'out'}".split()
    )
    assert read_probe(tmp_path / "out").questions[0].gold == ("7", "9")


def test_the_seed_is_handed_on(pool: Path, tmp_path: Path) -> None:
    """A seed that does nothing makes every repetition the same."""
    drawn = set()
    for seed in range(9):
        call("ramdocs", pool, tmp_path / f"{seed}", "--split", "dev", "--seed", f"{seed}")
        drawn.add(read_probe(tmp_path / f"{seed}").questions[0].trusted)
    assert drawn == {("7",), ("9",)}


def test_a_template_is_written_once(tmp_path: Path) -> None:
    call("template", tmp_path / "mine")
    assert read_probe(tmp_path / "mine").questions == EXAMPLE.questions
    assert "is there already" in call("template", tmp_path / "mine", code=2)


def test_every_set_has_a_command(tmp_path: Path) -> None:
    help_text = call("--help")
    for name in SETS:
        assert name in help_text
        assert "no such folder" in call(name, tmp_path / "nowhere", tmp_path / "out", code=1)
