"""Word documents."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import docx
import pytest
import pytest_socket
from written_files import read

from logic_retrievers.documents import formats, read_documents
from logic_retrievers.documents.files import SourceFile, open_file
from logic_retrievers.types import Passage


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
    """Word's three required parts, quick to read."""
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


def repacked(content: bytes, changes: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    old = zipfile.ZipFile(io.BytesIO(content))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, old.read(name)))
    return stream.getvalue()


def test_a_word_document_keeps_its_structure(tmp_path: Path) -> None:
    """A splitter needs headings and paragraphs; a table without rows is a list of words."""
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
    """Loading a linked picture would tell a stranger what is read, when and where."""
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
    file = SourceFile(tmp_path / "a.docx", "a.docx", ".docx")
    pytest_socket.disable_socket()
    try:
        with open_file(file) as stream:
            records = list(formats.read_docx(file, stream))  # in this process
    finally:
        pytest_socket.enable_socket()
    assert [record.values for record in records] == [{"text": "Text."}]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (make_small_docx()[:300], "damaged"),
        (b"hello", "damaged, or of another format"),
        (bytes.fromhex("D0CF11E0A1B11AE1") + b"rest", "protected by a password, or an old .doc"),
        (saved(docx.Document()), "no text in this document"),
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
    """100 kB of zeros can unpack to gigabytes, whose parse tree takes all memory."""
    bomb = b"<x>" + b" " * formats.LONGEST_MARKUP + b"</x>"
    content = repacked(make_small_docx(), {"word/document.xml": bomb})
    _, reading = read(tmp_path / "a.docx", content)
    assert "larger than 16,777,216 bytes" in str(reading.errors[0])


def test_entities_do_not_multiply(tmp_path: Path) -> None:
    """Nine levels of ten references expand a word to a gigabyte."""
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "{"lol" * 99}">{levels}]><x>&e9;</x>'.encode()
    _, reading = read(tmp_path / "a.docx", repacked(make_small_docx(), {"word/document.xml": bomb}))
    assert len(reading.errors) == 1


def test_any_damage_is_read_or_reported(tmp_path: Path) -> None:
    """Any input ends in passages or errors."""
    chance, whole = random.Random(5), make_small_docx()
    # uncompressed, so that damage reaches the XML instead of failing the unpacking
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as stored:
        old = zipfile.ZipFile(io.BytesIO(whole))
        for part in old.namelist():
            stored.writestr(part, old.read(part))
    for number, content in enumerate([whole] * 15 + [stream.getvalue()] * 15):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 10, 200])):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        (tmp_path / f"{number}.docx").write_bytes(bytes(damaged))
    reading = read_documents(tmp_path)
    told = {passage.source for passage in reading} | {Path(e.file).name for e in reading.errors}
    assert told == {file.name for file in reading.files}
    assert len(told) == 30
