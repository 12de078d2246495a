"""The example scripts run as they stand, without a network."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from logic_retrievers.hidden_characters import HIDDEN

EXAMPLES = Path(__file__).parents[2] / "examples"
TELLS = {
    "langchain_rag.py": ["(no CHAT_MODEL: the prompt)", "[stay-pilots-rest]", "Why these passages"],
    "llama_index_query_engine.py": ["Query: Where can I stay", "stay-pilots-rest: "],
    "ingestion_pipeline.py": [
        "LlamaIndex, second run: 0 nodes",
        "'num_skipped': 187",
        "'num_deleted': 1",
    ],
    "migrate_collection.py": ["completed in place", "after, with the vectors topical, compat"],
    "custom_encoder.py": ["topical", "union", "compatibility rank 1 of"],
    "langchain_contradictions.py": [
        "2024 (2024-09-01)",
        "2022 dropped: contradicts '2024'",
        "  2024 contradicts it with probability",
    ],
    "llama_index_contradictions.py": [
        "Query: Is overtime paid?",
        "rule: contradicts 'no'",
        "no dropped: contradicts 'rule'",
        "  no contradicts it with probability",
    ],
    "langchain_cleaner.py": [
        "second night: 1 added, 4 skipped",
        "  Overtime is not paid.",
        " is newer: 2025-01-01 after 2021-03-03",
        "Given back by hand: 1, changed: 0",
    ],
    "llama_index_cleaner.py": [
        "first: 3 nodes judged; hidden: ['Dogs are not allowed in the office building.']",
        "again: 0 nodes judged; hidden: ['Dogs are not",
        "corrected: 1 nodes judged; hidden: []",
    ],
    "haystack_pipeline.py": [
        "{'writer': {'documents_written': 187}}",
        "[stay-pilots-rest] The Pilot's Rest",
        "  stay-pilots-rest: ",
        "The loaded pipeline says the same: True",
    ],
    "probe_policies.py": [
        "topical: 0.35 ",
        "; exclusion 0.07, plain 1.00",
        "auto: 0.95 ",
        "auto gains 12 and loses 0; McNemar's p = 0.0005",
        "  auto:    Ines Karlsson grows runner beans",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TELLS)
def test_an_example_runs(name, monkeypatch, capsys, socket_disabled):
    """An example that fails is worse than none."""
    monkeypatch.delenv("CHAT_MODEL", raising=False)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    told = capsys.readouterr().out
    for text in TELLS[name]:
        assert text in told


@pytest.fixture
def demo(tmp_path, monkeypatch):
    """The demo over a corpus of two texts that hold escape sequences."""
    spec = spec_from_file_location("demo", EXAMPLES / "demo.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = [{"_id": f"{name}\x1b[2J", "text": f"A {name} hotel \x1b]0;t\x07"} for name in "ab"]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    query = {"text": "[bold]a hotel \x1b[2J", "satisfying": [rows[0]["_id"]], "violating": []}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query), "utf-8")
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "LOCATION", tmp_path / "index")
    monkeypatch.setattr(sys, "argv", ["demo.py"])
    return module


def test_the_demo_shows_hidden_characters(demo, capsys):
    """What it prints is text of others as soon as somebody points it at a corpus of their own."""
    demo.main()
    printed = capsys.readouterr().out
    assert not HIDDEN.search(printed)
    assert "[bold]a hotel ⟦U+001B⟧[2J" in printed
    assert "✓ " in printed


def test_the_demo_needs_no_docstrings():
    """``python -OO`` drops them."""
    command = [sys.executable, "-OO", str(EXAMPLES / "demo.py"), "--help"]
    assert "--policy" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_every_example_is_run():
    """A script that no test knows rots."""
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*TELLS, "demo.py"}
