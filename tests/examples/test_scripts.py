"""The example scripts run unchanged, without a network."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
TELLS = {
    "agent_memory.py": [
        "until 2025-04-01T10:00:00.222222-07:00: Anna's phone number is 555-0101.",
        "2024-12-24: Anna works as a nurse",
        "2025-12-24: Anna works as a teacher now",
        "2024-12-24: Anna's phone number is 555-0101.",
        "2025-12-24: Anna's new phone number is 555-0188.",
        "Opened again by hand: 2",
    ],
    "langchain_rag.py": ["(no CHAT_MODEL: the prompt)", "[stay-pilots-rest]", "Why these passages"],
    "llama_index_query_engine.py": ["Query: Where can I stay", "stay-pilots-rest: "],
    "ingestion_pipeline.py": [
        "LlamaIndex, second run: 0 nodes",
        "'num_skipped': 187",
        "'num_deleted': 1",
    ],
    "migrate_collection.py": ["after, with the vectors topical, compat"],
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
        "and loses 0; McNemar's p = 0.00",
        "  auto:    Ines Karlsson grows runner beans",
    ],
}


# others show what the vectors decide
READ = {"agent_memory.py"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.reader] if n in READ else []) for n in TELLS],
)
def test_an_example_runs(name, monkeypatch, capsys, socket_disabled):
    """A failing example is worse than none."""
    monkeypatch.delenv("CHAT_MODEL", raising=False)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    told = capsys.readouterr().out
    for text in TELLS[name]:
        assert text in told


def test_every_example_is_run():
    """An untested script stops working unnoticed."""
    elsewhere = {"demo.py", "demo_scenes.py", "export_cross_encoder.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == {*TELLS, *elsewhere}
