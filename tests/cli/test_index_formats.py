"""``index`` reads a folder of formats; what cannot be read is named, and what it was stays."""

from __future__ import annotations

from pathlib import Path

import fpdf
import pytest

from logic_retrievers.cli.console import ExitCode


@pytest.fixture
def run(call):
    return lambda *arguments, code=0: " ".join(call(*arguments, code=code).output.split())


def write_pdf(*pages: str) -> None:
    made = fpdf.FPDF()
    made.set_font("helvetica", size=11)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 6, text)
    made.output("handbook/leave.pdf")


def test_a_file_that_shrank_and_one_that_shows_nothing(run):
    """Chunks that are gone from a file would be found for ever; a blank file stops the rest."""
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
    """Columns, a delimiter, an encoding and a link go from the command line to the reader."""
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


def test_a_folder_of_formats(run, monkeypatch):
    """Pages of a PDF are found with their number; a missing extra removes nothing."""
    Path("handbook").mkdir()
    write_pdf("Dogs are allowed in the office.", "Parental leave is paid for twelve weeks.")
    Path("handbook/parking.html").write_text("<nav>Home</nav><main><p>Parking is free.</main>")
    Path("handbook/broken.docx").write_bytes(b"PK")
    said = run("index", "handbook", "-l", "there", code=ExitCode.PARTIAL)
    assert said.startswith("3 added")
    assert "left out: handbook/broken.docx: damaged, or of another format" in said
    Path("handbook/broken.docx").unlink()
    found = run("search", "parental leave", "-l", "there", "-k", "1", "--json")
    assert '"leave.pdf#page=2"' in found
    assert '"page": 2' in found
    with monkeypatch.context() as without:
        Path("hiding").mkdir()
        Path("hiding/pypdfium2.py").write_text("raise ModuleNotFoundError")
        without.syspath_prepend(Path("hiding").resolve())
        said = run("index", "handbook", "-l", "there", code=ExitCode.PARTIAL)
    assert "0 removed" in said
    assert "pip install 'logic-retrievers[files]'" in said
    write_pdf("Dogs are allowed in the office.")
    assert "0 added, 0 updated, 2 unchanged, 1 removed" in run("index", "handbook", "-l", "there")
