"""Every task of the page "How to", unchanged: its commands in order, then its code."""

from __future__ import annotations

import re

import pytest
from commands import ROOT, run_blocks, run_line
from fpdf import FPDF

pytestmark = pytest.mark.reader

PAGE = (ROOT / "docs" / "how-to.md").read_text("utf-8")
HANDBOOK = {
    "norway.md": "---\ncountry: Norway\n---\nIn Norway paid leave is paid by the state.",
    "sweden.md": "---\ncountry: Sweden\n---\nIn Sweden paid leave is paid by the employer.",
    "leave-2021.md": "---\ndate: 2021-03-01\n---\nParental leave is paid for six weeks.",
    "leave-2024.md": "---\ndate: 2024-06-01\n---\nParental leave is paid for twelve weeks.",
}


@pytest.fixture
def folder(tmp_path):
    """A handbook with a PDF, and labelled queries as on the page."""
    (tmp_path / "handbook").mkdir()
    for name, text in HANDBOOK.items():
        (tmp_path / "handbook" / name).write_text(text, "utf-8")
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("helvetica", size=12)
    pdf.multi_cell(0, 6, "Travel expenses are paid within a month.")
    pdf.output(str(tmp_path / "handbook" / "travel.pdf"))
    passage, query = re.findall(r"```json\n(\{\"_id.*)\n```", PAGE)
    other = '{"_id": "sweden", "text": "In Sweden leave is paid by the employer."}'
    (tmp_path / "my-data").mkdir()
    (tmp_path / "my-data" / "corpus.jsonl").write_text(f"{passage}\n{other}\n", "utf-8")
    (tmp_path / "my-data" / "queries.jsonl").write_text(f"{query}\n", "utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_commands_run(folder):
    """Each typed line; checks the search's first hit and the hidden passages."""
    printed = {}
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            printed[line] = run_line(line.removeprefix("$ "), folder)
    assert printed["$ logic-retrievers index handbook/"].startswith("5 added")
    explained = printed['$ logic-retrievers search "paid leave, but not in Norway" --explain']
    assert explained.index("sweden.md") < explained.index("norway.md")
    assert "leave-2021.md" in printed["$ logic-retrievers quarantine list"]
    assert "restored" in printed["$ logic-retrievers quarantine restore leave-2021.md"]
    assert (folder / "conflicts.html").is_file()
    assert len(printed) == 10


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_code_runs(folder, monkeypatch, capsys, wire_double):
    """It prints what its comments say."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"key": "any"}
    run_blocks("docs/how-to.md", names, server=wire_double.url)
    lines = capsys.readouterr().out.splitlines()
    filtered, by_field = lines[:3], lines[3:6]
    assert filtered[0] == "sweden.md Sweden"
    assert by_field[0].startswith("sweden.md")
    assert "norway.md" not in " ".join(filtered + by_field)
    assert names["index"].get(["travel.pdf#page=1"])  # type: ignore[attr-defined]
    for shown in re.findall(r"^print\(.*# (.*)$", PAGE, re.MULTILINE):
        assert shown in lines
    for name in ("index", "on_server"):
        names[name].close()  # type: ignore[attr-defined]
