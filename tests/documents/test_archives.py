"""Word documents and e-books."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import docx
import pytest
import pytest_socket
from written_files import hide_package

from logic_retrievers.documents import DocumentReader, archives, conversion, read_documents
from logic_retrievers.documents.files import SourceFile, open_file
from logic_retrievers.types import Passage

XHTML = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
    "<head><title/></head><body>{}</body></html>"
)


def make_docx(title: str = "Handbuch") -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    document.add_paragraph("Reisen", style="Title")
    document.add_heading("Kosten", 1)
    document.add_paragraph("Für 50 km & mehr gibt es ").add_run("snake_case*.").bold = True
    for text in ("rail", "hotel"):
        document.add_paragraph(text, style="List Bullet")
    document.add_paragraph("one", style="List Number")
    table = document.add_table(rows=0, cols=2)
    for values in (("City", "Day"), ("Köln", "40")):
        for cell, value in zip(table.add_row().cells, values, strict=True):
            cell.text = value
    document.sections[0].header.paragraphs[0].text = "HEADER"
    return saved(document)


def make_small_docx() -> bytes:
    """Word's three necessary parts, which are read in a moment."""
    schemas = "http://schemas.openxmlformats.org"
    document = f'<w:document xmlns:w="{schemas}/wordprocessingml/2006/main"><w:body>{{}}</w:body>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{schemas}/package/2006/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{schemas}/package/2006/relationships"><Relationship '
        f'Id="1" Type="{schemas}/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": document.format("<w:p><w:r><w:t>Text.</w:t></w:r></w:p>" * 9)
        + "</w:document>",
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return stream.getvalue()


def saved(document: docx.document.Document) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def make_epub(chapters: dict[str, str], **parts: str) -> bytes:
    items = "".join(f'<item id="i{n}" href="{href}"/>' for n, href in enumerate(chapters))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    content = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:'
        'container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http:'
        '//purl.org/dc/elements/1.1/"><dc:title> Ein\n Buch</dc:title></metadata><manifest>'
        f"{items}</manifest><spine>{spine}</spine></package>",
        **{f"OEBPS/{href.replace('%20', ' ')}": body for href, body in chapters.items() if body},
        **{name.replace("_", "/", 1).replace("__", "-"): body for name, body in parts.items()},
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return stream.getvalue()


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    old = zipfile.ZipFile(io.BytesIO(content))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, old.read(name)))
    return stream.getvalue()


def read(path: Path, content: bytes) -> tuple[list[Passage], DocumentReader]:
    path.write_bytes(content)
    reading = read_documents(path)
    return list(reading), reading


def test_a_word_document_keeps_its_structure(tmp_path: Path) -> None:
    """A splitter cuts at headings and paragraphs; a table without rows is a list of words."""
    passages, reading = read(tmp_path / "a.docx", make_docx())
    text = (
        "# Reisen\n\n# Kosten\n\nFür 50 km & mehr gibt es snake_case*.\n\n- rail\n- hotel\n\n"
        "1. one\n\n| City | Day |\n| --- | --- |\n| Köln | 40 |"
    )
    assert passages == [Passage("a.docx", text, {"title": "Handbuch"}, "a.docx")]
    assert not reading.errors


def test_an_empty_title_is_no_title(tmp_path: Path) -> None:
    (passage,), _ = read(tmp_path / "a.docx", make_docx(title=""))
    assert passage.metadata == {}


def test_nothing_that_a_document_links_to_is_opened(tmp_path: Path) -> None:
    """A picture by address would tell a stranger what is read, when, and where."""
    document = docx.Document()
    document.add_paragraph("Text.")
    package = document.part.relate_to(
        "http://127.0.0.1:9/x.png", docx.opc.constants.RELATIONSHIP_TYPE.IMAGE, True
    )
    picture = (
        '<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
        'xmlns:v="urn:schemas-microsoft-com:vml"><w:r><w:pict><v:shape>'
        f'<v:imagedata r:id="{package}"/></v:shape></w:pict></w:r></w:p>'
    )
    document.element.body.insert(0, docx.oxml.parse_xml(picture))
    (tmp_path / "a.docx").write_bytes(saved(document))
    file = SourceFile(tmp_path / "a.docx", "a.docx")
    pytest_socket.disable_socket()
    try:
        with open_file(file) as stream:
            records = list(archives.read_docx(file, stream))  # in this process
    finally:
        pytest_socket.enable_socket()
    assert [record.values for record in records] == [{"text": "Text."}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (make_small_docx()[:300], "damaged"),
        (b"hello", "damaged, or of another format"),
        (archives._OLD_WORD + b"rest", "protected by a password, or an old .doc"),
        (saved(docx.Document()), "no text in this document"),
        (make_epub({"a.xhtml": XHTML.format("x")}), "save it anew as .docx"),
        (repacked(make_small_docx(), {"word/document.xml": b"<w:document"}), "damaged"),
    ],
)
def test_bad_documents(tmp_path: Path, content: bytes, says: str) -> None:
    passages, reading = read(tmp_path / "a.docx", content)
    assert not passages
    (error,) = reading.errors
    assert says in str(error)
    assert reading.incomplete == {"a.docx"}


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path) -> None:
    """100 kB of zeros can unpack to gigabytes, and a tree of them takes all memory."""
    bomb = b"<x>" + b" " * conversion.LONGEST_MARKUP + b"</x>"
    content = repacked(make_small_docx(), {"word/document.xml": bomb})
    _, reading = read(tmp_path / "a.docx", content)
    assert "the document's XML is larger than 16,777,216 bytes" in str(reading.errors[0])
    chapters = {"a.xhtml": XHTML.format("fine"), "b.xhtml": bomb.decode()}
    passages, reading = read(tmp_path / "a.epub", make_epub(chapters))
    assert [p.text for p in passages] == ["fine"]
    assert "OEBPS/b.xhtml is larger than" in str(reading.errors[0])
    listing = {"OEBPS/book.opf": bomb}
    _, reading = read(tmp_path / "b.epub", repacked(make_epub({}), listing))
    assert "larger than 4 MiB" in str(reading.errors[0])


def test_entities_do_not_multiply(tmp_path: Path) -> None:
    """Nine levels of ten references each make a gigabyte of one word."""
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "{"lol" * 99}">{levels}]><x>&e9;</x>'.encode()
    _, reading = read(tmp_path / "a.docx", repacked(make_small_docx(), {"word/document.xml": bomb}))
    assert len(reading.errors) == 1
    _, reading = read(tmp_path / "a.epub", repacked(make_epub({}), {"OEBPS/book.opf": bomb}))
    assert len(reading.errors) == 1


def test_a_book_is_read_chapter_by_chapter_in_its_order(tmp_path: Path) -> None:
    """The manifest's order is the archive's, not the reader's."""
    chapters = {
        "text/b%20b.xhtml": XHTML.format("<h1>Eins</h1><p>Für Köln.</p>"),
        "cover.xhtml": XHTML.format('<img src="x.png" alt=""/>'),
        "a.xhtml": XHTML.format("<nav>NAV</nav><p>Zwei &amp; mehr</p>"),
    }
    passages, reading = read(tmp_path / "a.epub", make_epub(chapters))
    title = {"title": "Ein Buch"}
    assert passages == [
        Passage("a.epub#OEBPS/text/b b.xhtml", "# Eins\n\nFür Köln.", title, "a.epub"),
        Passage("a.epub#OEBPS/a.xhtml", "Zwei & mehr", title, "a.epub"),
    ]
    assert not reading.errors


def test_chapters_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """DRM encrypts chapters one by one; fonts that are encrypted do not matter."""
    encryption = "".join(
        f'<CipherReference URI="{uri}"/>' for uri in ("OEBPS/b.xhtml", "OEBPS/font.otf")
    )
    content = make_epub(
        {
            "a.xhtml": XHTML.format("<p>Eins</p>"),
            "b.xhtml": "\x00\x01",
            "gone.xhtml": "",
            "../../../etc/passwd": "",
        },
        **{"META-INF_encryption.xml": f"<encryption>{encryption}</encryption>"},
    )
    passages, reading = read(tmp_path / "a.epub", content)
    assert [p.text for p in passages] == ["Eins"]
    said = [str(error).split(": ", 1)[1] for error in reading.errors]
    assert "OEBPS/b.xhtml is encrypted (DRM)" in said[0]
    assert "OEBPS/gone.xhtml is missing" in said[1]
    assert "etc/passwd is missing" in said[2]
    assert reading.incomplete == {"a.epub"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (make_epub({"a.xhtml": XHTML.format("x")})[:300], "damaged"),
        (make_small_docx(), "Calibre"),
        (make_epub({"a.xhtml": XHTML.format("<img/>")}), "no chapter of this book has text"),
        (make_epub({}), "no chapter of this book has text"),
    ],
)
def test_bad_books(tmp_path: Path, content: bytes, says: str) -> None:
    passages, reading = read(tmp_path / "a.epub", content)
    assert not passages
    (error,) = reading.errors
    assert says in str(error)


def test_any_damage_is_read_or_reported(tmp_path: Path) -> None:
    """No input may end in anything but passages and errors."""
    book = make_epub({"a.xhtml": XHTML.format("<p>Text of a chapter.</p>" * 9)})
    chance = random.Random(5)
    for ending, whole in (("epub", book), ("docx", make_small_docx())):
        # stored, so that damage reaches the XML and is not stopped by the packing
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as stored:
            old = zipfile.ZipFile(io.BytesIO(whole))
            for part in old.namelist():
                stored.writestr(part, old.read(part))
        for number, content in enumerate([whole] * 30 + [stream.getvalue()] * 30):
            damaged = bytearray(content)
            for _ in range(chance.choice([1, 10, 200])):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            (tmp_path / f"{number}.{ending}").write_bytes(bytes(damaged))
    reading = read_documents(tmp_path)
    told = {passage.source for passage in reading} | {Path(e.file).name for e in reading.errors}
    assert told == {file.name for file in reading.files}
    assert len(told) == 120


@pytest.mark.parametrize("package", ["mammoth", "markdownify"])
def test_without_the_extra(tmp_path: Path, monkeypatch, package: str) -> None:
    hide_package(package, tmp_path / "hiding", monkeypatch)
    _, reading = read(tmp_path / "a.docx", make_small_docx())
    assert "Run: pip install 'logic-retrievers[files]'" in str(reading.errors[0])
