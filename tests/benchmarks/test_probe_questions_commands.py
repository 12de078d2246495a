"""``python -m benchmarks probe-questions``: sets into folders, and the benchmarks by default."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks import __main__
from benchmarks.__main__ import app
from benchmarks.probe_questions.command import BUILDERS
from logic_retrievers.probe.questions import read_probe


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
    output = call("ramdocs", pool, tmp_path / "out", "--split", "dev", "--seed", 1)
    assert output.split() == (
        f"1 questions (1 several_answers) over 2 passages in {tmp_path / 'out'}".split()
    )
    assert read_probe(tmp_path / "out").questions[0].gold == ("7", "9")


def test_every_set_has_a_command(tmp_path: Path) -> None:
    help_text = call("--help")
    for name in BUILDERS:
        assert name in help_text
        assert "no such folder" in call(name, tmp_path / "nowhere", tmp_path / "out", code=1)


def test_every_benchmark_runs_without_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that ran them too would take hours."""
    ran: list[str] = []
    monkeypatch.setattr(__main__.runpy, "run_module", lambda name, **_: ran.append(name))
    assert CliRunner().invoke(app, []).exit_code == 0
    assert ran == [f"benchmarks.product.{name}" for name in __main__.BENCHMARKS]
    folder = Path(__main__.__file__).parent
    assert all((folder / "product" / f"{name}.py").is_file() for name in __main__.BENCHMARKS)
    call("--help")
    assert len(ran) == len(__main__.BENCHMARKS)
