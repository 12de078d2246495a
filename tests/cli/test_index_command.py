"""``index``: a folder of formats, unreadable files, and progress."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from program import invoke

from logic_retrievers.cli import console
from logic_retrievers.cli.console import ExitCode
from logic_retrievers.progress import Progress


@pytest.fixture
def run(call):
    return lambda *arguments, code=0: " ".join(call(*arguments, code=code).output.split())


def test_a_file_that_shrank_and_one_that_shows_nothing(run):
    """Chunks gone from a file must not be found; a blank file must not stop the rest."""
    Path("notes").mkdir()
    Path("notes/rules.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n{"text": "Three."}\n')
    Path("notes/kept.md").write_text("Kept.")
    run("index", "notes", "-l", "there")
    Path("notes/rules.jsonl").write_text('{"text": "One."}\n')
    Path("notes/kept.md").write_text("\u200b\u00ad", encoding="utf-8")
    said = run("index", "notes", "-l", "there")
    assert "0 added, 0 updated, 1 unchanged, 2 removed" in said
    assert "'kept.md'" in said
    assert "Kept." in run("search", "kept", "-l", "there", "-k", "2")


def test_rows_of_another_program(run):
    """Columns, a delimiter, an encoding and a link reach the reader from the command line."""
    Path("rows").mkdir()
    row = "sku~note~shop\nx~Отпуск оплачивается.~north\n"
    Path("rows/a.csv").write_text(row, "cp1251")
    Path("b.txt").write_text("Linked.")
    Path("rows/b.txt").symlink_to(Path("b.txt").resolve())
    said = run("index", "rows", "-l", "there", code=ExitCode.PARTIAL)
    assert "--text-column" in said
    assert "--follow-links" in said
    names = ["--text-column", "note", "--id-column", "sku", "--source-column", "shop"]
    form = ["--delimiter", "~", "--encoding", "cp1251", "--follow-links"]
    assert run("index", "rows", "-l", "there", *names, *form).startswith("2 added")
    assert "1 passages" in run("clean", "rows/a.csv", *names, "--encoding", "cp1251", *form[:2])
    found = run("search", "Отпуск", "-l", "there", "--json")
    assert '"id": "x"' in found
    assert '"source": "north"' in found


@pytest.fixture
def boats(tmp_path):
    path = tmp_path / "docs.jsonl"
    rows = [{"_id": str(n), "text": f"Boat number {n} has no sail."} for n in range(40)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")

    def run(*options, path=path, command="index"):
        return invoke(command, path, "-l", tmp_path / "index", *options)

    return run


def test_lines_where_there_is_no_terminal(boats, monkeypatch):
    """A log must not stay empty for a quarter of an hour."""
    assert boats().stderr == ""  # a short run
    monkeypatch.setattr(console, "REPORT_EVERY", 0.0)
    lines = boats("-c", "other").stderr.splitlines()
    # the share counts bytes read, and a file this small is read at once
    assert re.match(r"passages: 16 done, \d+ %, [\d.,]+/s", lines[0])
    assert re.fullmatch(r"passages: 40 done, 100 %, [\d.,]+/s", lines[-1])


def test_a_bar_on_a_terminal(boats, monkeypatch):
    """The bar must show more than a spinner at 0."""
    screen = io.StringIO()
    terminal = console.TerminalConsole(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(console, "err", terminal)
    boats()
    assert "passages" in screen.getvalue()
    assert "40 done, 100 %" in screen.getvalue()


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(1024, 1280, 0.25, 25.6), "1,024 done, 25 %, 26/s, about 2 min left"),
        (Progress(3, 3, 0.5, 0.25), "3 done, 50 %, 0.2/s, about 12 s left"),
        (Progress(9, 9, None, 2.0), "9 done, 2.0/s"),
        (Progress(9, 9, 1.0, 2.0), "9 done, 100 %, 2.0/s"),
    ],
)
def test_words(progress, words):
    """An unknown share or time must not be invented."""
    assert console.describe_progress(progress) == words
