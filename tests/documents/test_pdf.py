"""PDF files: pages become passages; pages without text are reported."""

from __future__ import annotations

from pathlib import Path

import fpdf
import pytest
from PIL import Image
from written_files import read, write

from logic_retrievers.types import Passage


def make_pdf(*pages: str | None, title: str = "", password: str = "", owner: str = "") -> bytes:
    """Make a page per item: text for a string, a picture for "", a blank page for ``None``."""
    made = fpdf.FPDF()
    made.set_font("helvetica", size=11)
    if title:
        made.set_title(title)
    for text in pages:
        made.add_page()
        if text:
            made.multi_cell(0, 6, text)
        elif text == "":
            made.image(Image.new("L", (20, 20), 128), w=100)
    if password or owner:
        made.set_encryption(owner_password=owner or password, user_password=password or None)
    return bytes(made.output())


def test_every_page_is_a_passage_that_knows_its_number(tmp_path: Path) -> None:
    """Citing a manual of 300 pages needs the page; blank pages count."""
    content = make_pdf("Für Gäste über 60.", None, "Köln\nParental leave is paid.", title="Buch")
    passages, reading = read(tmp_path / "a.pdf", content)
    assert passages == [
        Passage("a.pdf#page=1", "Für Gäste über 60.", {"page": 1, "title": "Buch"}, "a.pdf"),
        Passage(
            "a.pdf#page=3", "Köln\nParental leave is paid.", {"page": 3, "title": "Buch"}, "a.pdf"
        ),
    ]
    assert not reading.errors
    assert reading.read_bytes == reading.total_bytes


def test_columns_tables_and_hyphens(tmp_path: Path) -> None:
    """Lines read across two columns, or half words, are never found."""
    made = fpdf.FPDF()
    made.add_page()
    made.set_font("helvetica", size=11)
    with made.text_columns(ncols=2, gutter=8) as columns:
        columns.write(" ".join(f"w{i}" for i in range(700)))
    made.add_page()
    made.multi_cell(40, 6, "The Donau\u00addampf\u00adschiff\u00adfahrt is self-evident.")
    with made.table() as table:
        for cells in (("City", "Day"), ("Köln", "40")):
            row = table.row()
            for cell in cells:
                row.cell(cell)
    (columns_page, page), _ = read(tmp_path / "a.pdf", bytes(made.output()))
    assert columns_page.text.split() == [f"w{i}" for i in range(700)]
    assert " ".join(page.text.split()) == (
        "The Donaudampfschifffahrt is self-evident. City Day Köln 40"
    )


def draw(*lines: tuple[str, ...], widths: tuple[int, ...] = (95, 95)) -> bytes:
    """Draw a page of lines across columns, in millimetres."""
    made = fpdf.FPDF()
    made.add_page()
    made.set_font("courier", size=7)
    for row, cells in enumerate(lines):
        for column, cell in enumerate(cells):
            made.text(10 + sum(widths[:column]), 20 + 5 * row, cell)
    return bytes(made.output())


@pytest.mark.parametrize(
    "rows",
    [
        [(f"Town {n}", str(n * 7), "yes") for n in range(20)],
        [(f"Term {n}", "What the term means in a line of words") for n in range(20)],
    ],
    ids=["short cells", "terms"],
)
def test_rows_of_a_table_stay_whole(rows: list[tuple[str, ...]], tmp_path: Path) -> None:
    """Splitting a row would separate a number from its town."""
    (page,), _ = read(tmp_path / "a.pdf", draw(*rows, widths=(90, 60, 30)))
    assert page.text.split() == " ".join(cell for row in rows for cell in row).split()


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["the pre-", "and post-war years"], "the pre- and post-war years"),
        (["Vor-", "und Nachteile"], "Vor- und Nachteile"),
        (["a user-", "defined type"], "a user-defined type"),
        (["the Anglo-", "Saxon king"], "the Anglo-Saxon king"),
        (["COVID-", "19 and X-", "Ray"], "COVID-19 and X-Ray"),
        (["the 19th-", "century town"], "the 19th-century town"),
        (["a long-", "term lease"], "a long-term lease"),
        (["from 1990-", "1995"], "from 1990-1995"),
        (["a pock-", "et, gold-", "en"], "a pocket, golden"),
        (["die Arbeits-", "zeit, Vor-", "teile"], "die Arbeitszeit, Vorteile"),
        (["hyphen-", "ated words"], "hyphenated words"),
        (["and/", "or"], "and/\nor"),
    ],
)
def test_hyphens_at_the_end_of_a_line(lines: list[str], text: str, tmp_path: Path) -> None:
    """No one searches for "preand" or "userdefined"."""
    (page,), _ = read(tmp_path / "a.pdf", draw(*((line,) for line in lines)))
    assert page.text == text


def test_scanned_pages_are_named(tmp_path: Path) -> None:
    """A scanned page among text pages would be missing from all answers unnoticed."""
    passages, reading = read(tmp_path / "a.pdf", make_pdf("Text.", "", None, ""))
    assert [p.id for p in passages] == ["a.pdf#page=1"]
    (error,) = reading.errors
    assert "2 of 4 (2, 4)" in str(error)
    assert "ocrmypdf" in str(error)
    assert reading.incomplete == {"a.pdf"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (make_pdf("Secret.", password="p"), "needs a password; save a copy"),
        (make_pdf("A text of a file.")[:700], "damaged"),
        (b"hello world", "damaged, or of another format"),
        (b"", "is empty"),
        (make_pdf(None, None), "no text on any of its pages (2)"),
        (make_pdf(""), "1 of 1 (1)"),
    ],
)
def test_a_file_that_gives_nothing_says_why(tmp_path: Path, content: bytes, says: str) -> None:
    """A bad file must neither end a folder's reading nor vanish."""
    write(tmp_path / "b.txt", "good")
    write(tmp_path / "a.pdf", content)
    passages, reading = read(tmp_path)
    assert [p.id for p in passages] == ["b.txt"]
    (error,) = reading.errors
    assert str(error).startswith(f"{tmp_path / 'a.pdf'}: ")
    assert says in str(error)
    assert reading.incomplete == {"a.pdf"}


def test_a_file_that_only_its_owner_may_change_is_read(tmp_path: Path) -> None:
    """Every viewer opens such a file without a password."""
    (passage,), _ = read(tmp_path / "a.pdf", make_pdf("Open to read.", owner="o"))
    assert passage.text == "Open to read."
