"""``logic-retrievers index``: what it shows while it works."""

from __future__ import annotations

import io
import json
import re

import pytest
from program import invoke

from logic_retrievers.cli import console
from logic_retrievers.progress import Progress


@pytest.fixture
def call(tmp_path):
    path = tmp_path / "docs.jsonl"
    rows = [{"_id": str(n), "text": f"Boat number {n} has no sail."} for n in range(40)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")

    def run(*options, path=path, command="index"):
        return invoke(command, path, "-l", tmp_path / "index", *options)

    return run


def test_lines_where_there_is_no_terminal(call, monkeypatch):
    """A log with nothing in it for a quarter of an hour."""
    assert call().stderr == ""  # a short run
    monkeypatch.setattr(console, "REPORT_EVERY", 0.0)
    lines = call("-c", "other").stderr.splitlines()
    # the share is that of the bytes read, and so small a file is read at once
    assert re.match(r"passages: 16 done, \d+ %, [\d.,]+/s", lines[0])
    assert re.fullmatch(r"passages: 40 done, 100 %, [\d.,]+/s", lines[-1])


def test_a_bar_on_a_terminal(call, monkeypatch):
    """A spinner that says 0."""
    screen = io.StringIO()
    terminal = console.TerminalConsole(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(console, "err", terminal)
    call()
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
    """A share or a time that is not known must not be made up."""
    assert console.describe_progress(progress) == words
