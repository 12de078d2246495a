"""Rows as other programs write them: column names, delimiters, lists and encodings."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from written_files import lines_of, read, write

from logic_retrievers.documents import files, read_documents
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

ROWS = [{"id": "a", "text": "one", "n": 1}, {"id": "b", "text": "two", "n": 2}]
EXPECTED = [("a", "one", {"n": 1}), ("b", "two", {"n": 2})]


def parts(passages: list[Passage]) -> list[tuple[str, str, object]]:
    return [(passage.id, passage.text, dict(passage.metadata)) for passage in passages]


@pytest.mark.parametrize(
    "name",
    ["text", "CONTENT", "page_content", "Document"],
)
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json"])
def test_known_names_in_any_case(tmp_path: Path, name: str, ending: str) -> None:
    """Exports use these names for the text; refusing the whole file costs a day."""
    row = {"ID": "a", "Title": "T", name: "one"}
    if ending in ("csv", "tsv"):
        mark = "," if ending == "csv" else "\t"
        content = f"{mark.join(row)}\n{mark.join(row.values())}\n"
    else:
        content = json.dumps(row)
    passages, reading = read(write(tmp_path / f"a.{ending}", content))
    assert parts(passages) == [("a", "T\none", {"Title": "T"})], reading.errors


def test_the_first_known_name_is_the_text(tmp_path: Path) -> None:
    """A document's name must not replace an empty text."""
    write(tmp_path / "a.csv", "document,body,content\nd,b,c\nd,b,\n")
    write(tmp_path / "b.jsonl", '{"document": "d", "text": ""}\n{"document": "d", "body": "b"}\n')
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["c", "b"]
    assert passages[0].metadata == {"document": "d", "body": "b"}
    assert lines_of(reading) == [3, 1]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_names_that_the_caller_gives(tmp_path: Path, ending: str) -> None:
    rows = [
        {"sku": 7, "Review": "12", "shop": "north", "text": "no"},
        {"sku": "", "Review": "two", "shop": "", "text": "no"},
        {"sku": 9, "Review": "", "shop": "south", "text": "no"},
    ]
    if ending == "csv":
        content = "\n".join(
            ",".join(map(str, row)) for row in (rows[0], *(r.values() for r in rows))
        )
    else:
        content = "\n".join(map(json.dumps, rows))
    write(tmp_path / f"a.{ending}", content)
    write(tmp_path / "b.md", "---\nReview: kept\n---\nBody.")
    names = {"text_column": "Review", "id_column": "sku", "source_column": "shop"}
    reading = read_documents(tmp_path, **names)
    passages = list(reading)
    second = 3 if ending == "csv" else 2
    assert [(p.id, p.text, p.source) for p in passages] == [
        ("7", "12", "north"),
        (f"a.{ending}#{second}", "two", f"a.{ending}"),
        ("b.md", "Body.", "b.md"),
    ]
    assert passages[0].metadata == {"text": "no"}
    assert ["'Review' is empty" in str(error) for error in reading.errors] == [True]
    assert {"north", f"a.{ending}"} <= reading.incomplete
    for wrong in ("text_column", "id_column", "source_column"):
        reading = read_documents(tmp_path / f"a.{ending}", **(names | {wrong: "nothing"}))
        assert not list(reading)
        assert "'nothing'" in str(reading.errors[0])
        assert "'sku', 'Review', 'shop', 'text'" in str(reading.errors[0])
        assert wrong != "text_column" or "--text-column" in str(reading.errors[0])


def test_a_source_named_in_several_files_with_an_error_in_one(tmp_path: Path) -> None:
    """A row after the error was unread, and so deleted as stale."""
    write(tmp_path / "a.csv", "id,text,shop\n1,one,X\n")
    write(tmp_path / "b.csv", 'id,text,shop\n2,"open,Y\n3,three,X\n')
    write(tmp_path / "c.csv", "id,text,shop\n4,four,Z\n")
    reading = read_documents(tmp_path, source_column="shop")
    assert [passage.id for passage in reading] == ["1", "4"]
    assert {"X", "Z"} <= reading.incomplete
    (tmp_path / "b.csv").unlink()
    reading = read_documents(tmp_path, source_column="shop")
    assert len(list(reading)) == 2
    assert not reading.incomplete


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id;text;n\na;one;1\nb;two;2\n"),
        ("a.csv", "id|text|n\na|one|1\nb|two|2\n"),
        ("a.csv", '\ufeff"id";"text";"n"\r\n"a";"one";1\r\nb;"two";"2"\r\n'),
        ("a.csv", "\r\rid,text,n\ra,one,1\r\rb,two,2\r"),
        ("a.tsv", "id\ttext\tn\ra\tone\t1\rb\ttwo\t2"),
        ("a.tsv", "id\ttext\tn\na\tone\t1\nb\ttwo\t2\n"),
        ("a.json", json.dumps(ROWS)),
        ("a.json", json.dumps(ROWS, indent=2)),
        ("a.json", "\ufeff" + "\n".join(json.dumps(row, indent=4) for row in ROWS)),
        ("a.json", "\n".join(map(json.dumps, ROWS))),
    ],
)
def test_other_forms_of_the_same_rows(tmp_path: Path, name: str, content: str | bytes) -> None:
    passages, reading = read(write(tmp_path / name, content))
    assert parts(passages) == EXPECTED, reading.errors
    assert not reading.errors


def test_a_delimiter_that_the_caller_gives(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id~text, or so~n\na~one~1\n")
    assert parts(list(read_documents(path, delimiter="~", text_column="text, or so"))) == [
        ("a", "one", {"n": 1})
    ]
    commas = write(tmp_path / "b.csv", "text;a,text\nx;y,z\n")
    assert [p.text for p in read_documents(commas, delimiter=",")] == ["z"]
    tabs = write(tmp_path / "c.txt.csv", "a\ttext\n1\tx\n")
    assert [p.text for p in read_documents(tabs, delimiter=r"\t")] == ["x"]
    for delimiter in ("", "ab", '"', "\n", 5):
        with pytest.raises(ConfigurationError, match="delimiter"):
            read_documents(path, delimiter=delimiter)  # type: ignore[arg-type]


def test_a_list_of_rows_is_read_row_by_row(tmp_path: Path) -> None:
    """Rows on one line need ids; a bad row is skipped, a syntax error ends the file."""
    rows = [{"text": f"row {i} " + "x" * 400} for i in range(9_000)]
    rows[5] = ["text"]  # type: ignore[call-overload]
    text = json.dumps(rows)
    passages, reading = read(write(tmp_path / "a.json", text))
    assert len(passages) == 8_999
    assert [passages[i].id for i in (0, 5, -1)] == ["a.json#1", "a.json#7", "a.json#9000"]
    assert ["list" in str(error) for error in reading.errors] == [True]
    passages, reading = read(write(tmp_path / "a.json", text[: len(text) // 2]))
    assert 4_000 < len(passages) < 5_000
    assert "not valid JSON" in str(reading.errors[-1])
    passages, reading = read(write(tmp_path / "a.json", json.dumps(rows[:2], indent=1) + "\n}{"))
    assert (len(passages), lines_of(reading)) == (2, [9])


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("indent", [None, 0, 2])
def test_a_list_named_jsonl_is_one_error(tmp_path: Path, indent: int | None, ending: str) -> None:
    """Its last row alone would be a line of JSON, and be stored without the others."""
    content = f"\n{json.dumps(ROWS, indent=indent)}".encode()
    content = gzip.compress(content) if ending.endswith("gz") else content
    passages, reading = read(write(tmp_path / f"a.{ending}", content))
    assert not passages
    assert ["name the file .json" in str(error) for error in reading.errors] == [True]


def test_a_list_without_rows_costs_itself(tmp_path: Path) -> None:
    """The error must not end the reading of other files."""
    write(tmp_path / "a.jsonl", f"[{' ' * 5_000}]")
    write(tmp_path / "b.txt", "good")
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["good"]
    assert lines_of(reading) == [1]


def test_a_list_that_is_too_long_is_one_error(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LONGEST_TEXT", 50)
    _, reading = read(write(tmp_path / "a.json", json.dumps(ROWS)))
    (error,) = reading.errors
    assert "longer than 50 characters; divide it" in str(error)


@pytest.mark.parametrize(
    ("content", "line"), [(b'[{"text": "a"},\n\xff{}]', 2), (b'{"text":\n"\xff", x}', 2)]
)
def test_a_bad_byte_is_named_before_the_syntax(tmp_path: Path, content: bytes, line: int) -> None:
    """'Expecting value' does not suggest a different encoding."""
    _, reading = read(write(tmp_path / "a.json", content))
    assert lines_of(reading) == [line]
    assert "byte 0xFF is not utf-8" in str(reading.errors[0])


@pytest.mark.parametrize("bad", ['{"txt": "x"}', '{"text": "\\ud800"}'])
def test_a_bad_first_object_of_a_list_costs_no_good_one(tmp_path, bad) -> None:
    rows = ",\n".join([bad, *map(json.dumps, ROWS)])
    passages, reading = read(write(tmp_path / "a.json", f"[{rows}]"))
    assert parts(passages) == EXPECTED
    assert lines_of(reading) == [1]


TEXTS = {
    "cp932": "育児休暇は全額支給されます。ソ表",
    "cp1251": "Отпуск по уходу оплачивается.",
    "gb18030": "育儿假全薪十二周。",
    "utf-16": "Für 日本 über 60.",
}


@pytest.mark.parametrize("ending", ["txt", "md", "csv", "jsonl", "json", "html"])
@pytest.mark.parametrize("encoding", TEXTS)
def test_encodings_that_are_named(tmp_path: Path, encoding: str, ending: str) -> None:
    """Other encodings counted as WINDOWS-1252, and that conversion made nonsense."""
    text = TEXTS[encoding]
    form = {"csv": f"n;text\n1;{text}\n", "html": f"<p>{text}"}
    row = json.dumps({"text": text}, ensure_ascii=False)
    content = form.get(ending, row if "json" in ending else text).encode(encoding)
    path = write(tmp_path / f"a.{ending}", content)
    reading = read_documents(path, encoding=encoding)
    assert [passage.text for passage in reading] == [text], reading.errors
    if ending != "html":
        passages, reading = read(path)
        assert not passages
        assert all("WINDOWS" not in str(error) for error in reading.errors)
        assert "encoding" in str(reading.errors[0])


def test_a_byte_that_is_not_of_the_named_encoding(tmp_path: Path) -> None:
    """It costs its row, as a byte that is not UTF-8 does."""
    rows = ["text", "раз", "два", "три"]
    content = "\n".join(rows).encode("cp1251").replace("два".encode("cp1251"), b"\x98")
    reading = read_documents(write(tmp_path / "a.csv", content), encoding="cp1251")
    assert [passage.text for passage in reading] == ["раз", "три"]
    assert (lines_of(reading), "0x98 is not cp1251" in str(reading.errors[0])) == ([3], True)
    whole = write(tmp_path / "a.txt", "text".encode("utf-16")[:-1])
    reading = read_documents(whole, encoding="utf-16")
    assert not list(reading)
    assert "utf-16" in str(reading.errors[0])
    for encoding in ("nonsense", "base64", "", None, 5, "a\0b", "idna", "Punycode"):
        with pytest.raises(ConfigurationError, match="encoding"):
            read_documents(whole, encoding=encoding)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["txt", "md", "csv", "jsonl", "json", "html"])
def test_utf_16_that_no_mark_begins(tmp_path: Path, ending: str) -> None:
    """This error, a plain UnicodeError, used to end the reading of other files."""
    write(tmp_path / f"a.{ending}", json.dumps({"text": "x"}))
    write(tmp_path / "b.txt", "good".encode("utf-16"))
    reading = read_documents(tmp_path, encoding="utf-16")
    assert [passage.text for passage in reading] == ["good"]
    assert [Path(error.file).name for error in reading.errors] == [f"a.{ending}"]
