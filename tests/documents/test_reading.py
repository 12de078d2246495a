"""Files to passages: good rows become passages, bad ones are reported."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import pytest
from written_files import lines_of, read, write

from logic_retrievers.documents import files, read_documents, rows
from logic_retrievers.types import Passage


def limit_lines(monkeypatch: pytest.MonkeyPatch, longest: int) -> None:
    for module in (files, rows):
        monkeypatch.setattr(module, "LONGEST_LINE", longest)


class TestJsonl:
    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
    def test_a_line_of_gigabytes_is_not_held(self, tmp_path, monkeypatch, name):
        """A packed file of 1.5 MB can unpack to a row that takes all memory."""
        limit_lines(monkeypatch, 100)
        content = "\n".join(
            json.dumps({"_id": key, "text": text})
            for key, text in (("a", "fine"), ("b", "x" * 100_000), ("c", "fine"), ("d", "x" * 101))
        )
        content = gzip.compress(content.encode()) if name.endswith("gz") else content
        passages, reading = read(write(tmp_path / name, content))
        assert [passage.id for passage in passages] == ["a", "c"]
        assert lines_of(reading) == [2, 4]
        assert all("longer than 100" in str(error) for error in reading.errors)

    def test_a_row_becomes_a_passage_with_all_that_it_said(self, tmp_path: Path) -> None:
        """A key other than id and text must not vanish."""
        row = {"_id": 7, "title": "Ham", "text": "Salty.", "year": 2020, "metadata": {"k": [1]}}
        path = write(tmp_path / "a.jsonl", json.dumps(row))
        passages, reading = read(path)
        assert passages == [
            Passage("7", "Ham\nSalty.", {"title": "Ham", "year": 2020, "k": [1]}, "a.jsonl")
        ]
        assert not reading.errors

    def test_ids_given_by_place_are_stable(self, tmp_path: Path) -> None:
        """Blank lines count, so that an editor's line number finds the row."""
        write(tmp_path / "sub" / "a.jsonl", '{"text": "one"}\n\n{"text": "two", "_id": null}\n')
        passages, _ = read(tmp_path)
        assert [p.id for p in passages] == ["sub/a.jsonl#1", "sub/a.jsonl#3"]
        assert {p.source for p in passages} == {"sub/a.jsonl"}

    @pytest.mark.parametrize(
        ("bad", "says"),
        [
            (b'{"_id": "b", "text": ', "not valid JSON"),
            (b'["text"]', "object"),
            (b'{"_id": "b", "txt": "x"}', "'txt'"),
            (b'{"_id": "b", "text": "  "}', "empty"),
            (b'{"_id": "b", "text": null}', "NoneType"),
            (b'{"_id": ["b"], "text": "x"}', "list"),
            (b'{"_id": true, "text": "x"}', "bool"),
            (b'{"_id": "b", "text": "caf\xe9"}', "0xE9"),
            (b'{"_id": "b", "text": "\\uD83D"}', "surrogate"),
            (b'{"_id": "a", "text": "x"}', "used before"),
            (b"[" * 100_000, "not valid JSON"),
            (b'{"text": "a", "n": ' + b"[" * 900 + b"]" * 900 + b"}", "more than 24 levels"),
            (b'{"text": "a", "_id": "' + b"9" * 5000 + b'"}', "4,096 characters"),
            (b'{"text": "a", "n": 18446744073709551616}', "integer beyond 64 bits"),
            (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", "not valid JSON"),
        ],
    )
    def test_a_bad_line_is_named_and_the_good_ones_stay(
        self, tmp_path: Path, bad: bytes, says: str
    ) -> None:
        """A bad row must neither end the reading nor vanish silently."""
        content = b'{"_id":"a","text":"first row."}\n' + bad + b'\n{"_id":"c","text":"last"}'
        path = write(tmp_path / "a.jsonl", content)
        passages, reading = read(path)
        assert [p.id for p in passages] == ["a", "c"]
        (error,) = reading.errors
        assert (error.file, error.line) == (str(path), 2)
        assert str(error).startswith(f"{path}:2: ")
        assert says in str(error)
        assert reading.incomplete == {"a.jsonl"}

    def test_nan_is_null(self, tmp_path: Path) -> None:
        """Python's json writes NaN for a missing number, and an index stores it as null."""
        row = json.dumps({"text": "a", "n": float("nan"), "m": [float("inf")]})
        (passage,), reading = read(write(tmp_path / "a.jsonl", row))
        assert (passage.metadata, reading.errors) == ({"n": None, "m": [None]}, [])

    def test_an_escaped_emoji_is_no_lone_surrogate(self, tmp_path: Path) -> None:
        """JSON writes characters beyond 16 bits as two escapes, which are valid together."""
        (passage,), _ = read(write(tmp_path / "a.jsonl", json.dumps({"text": "so 😀"})))
        assert passage.text == "so 😀"

    def test_marks_line_ends_and_separators(self, tmp_path: Path) -> None:
        """U+2028 in a string does not end a JSONL line; a byte-order mark is not text."""
        row = json.dumps({"text": "a\u2028b\x85c"}, ensure_ascii=False)
        passages, reading = read(write(tmp_path / "a.jsonl", f"\ufeff{row}\r\n{row}\r\n"))
        assert [p.text for p in passages] == ["a\u2028b\x85c"] * 2
        assert not reading.errors

    def test_gzip_and_a_download_that_broke_off(self, tmp_path: Path) -> None:
        """A truncated archive gives the rows before the break, and an error for it."""
        rows = [json.dumps({"_id": str(i), "text": os.urandom(64).hex()}) for i in range(5000)]
        packed = gzip.compress("\n".join(rows).encode())
        whole, _ = read(write(tmp_path / "whole.jsonl.gz", packed))
        assert len(whole) == 5000
        part, reading = read(write(tmp_path / "part.jsonl.gz", packed[: len(packed) // 2]))
        assert 0 < len(part) < 5000
        assert "cannot be read" in str(reading.errors[-1])

    def test_it_streams(self, tmp_path: Path) -> None:
        """The first passage must come before the file ends: this file never does."""
        path = tmp_path / "grows.jsonl"
        with path.open("w") as stream:
            stream.write('{"text": "1"}\n' * 50_000)
            stream.flush()
            passages = iter(read_documents(path))
            next(passages)
            stream.write('{"text": "late"}\n')
            stream.flush()
            assert [p.text for p in passages][-1] == "late"


class TestCsv:
    def test_columns_become_metadata(self, tmp_path: Path) -> None:
        """Users choose other columns' order and case; CSV defines quotes, commas and line ends."""
        path = write(
            tmp_path / "a.csv",
            '\ufeff,id,title,text,city\r\n0,x,T,"a, ""b""\r\nc",Bonn\r\n\r\n1,,,d,\r\n',
        )
        passages, reading = read(path)
        assert passages == [
            Passage("x", 'T\na, "b"\r\nc', {"title": "T", "city": "Bonn"}, "a.csv"),
            Passage("a.csv#5", "d", {}, "a.csv"),
        ]
        assert not reading.errors

    def test_numbers_can_be_compared(self, tmp_path: Path) -> None:
        """Ranges match numbers; ids, titles and numbers with a leading zero stay as written."""
        rows = "id,title,text,seats,price,zip,sign\n12,2024,5,60,2.50,01234,+1\n"
        (passage,), _ = read(write(tmp_path / "a.csv", rows))
        metadata = {"title": "2024", "seats": 60, "price": 2.5, "zip": "01234", "sign": "+1"}
        assert passage == Passage("12", "2024\n5", metadata, "a.csv")
        passages, _ = read(write(tmp_path / "b.csv", "_id,id,text\n,1.50,a\nx,7,b\n"))
        assert [(p.id, p.metadata) for p in passages] == [("1.50", {"_id": ""}), ("x", {"id": "7"})]

    def test_bad_rows(self, tmp_path: Path) -> None:
        """An unquoted comma must not cut a text short silently."""
        content = b"id,text\n1,one\n2,two, and more\n3\n4,\n5,caf\xe9\n6,six\n1,again\n"
        passages, reading = read(write(tmp_path / "a.csv", content))
        assert [p.id for p in passages] == ["1", "6"]
        assert lines_of(reading) == [3, 4, 5, 6, 8]
        assert "0xE9" in str(reading.errors[3])
        too_wide, too_narrow = map(str, reading.errors[:2])
        assert ("quotes" in too_wide, "quotes" in too_narrow) == (True, False)

    def test_an_open_quote_says_how_far_it_reached(self, tmp_path: Path) -> None:
        """To CSV all that follows is the cell, which must not be lost silently."""
        rows = "".join(f"{i},row {i}\n" for i in range(2, 2000))
        passages, reading = read(write(tmp_path / "a.csv", f'id,text\n0,fine\n1,"open\n{rows}'))
        assert [passage.text for passage in passages] == ["fine"]
        assert lines_of(reading) == [3]
        assert "up to line 2001" in str(reading.errors[0])

    @pytest.mark.parametrize("bad", ['1,"' + "2,x\n" * 100_000, "x" * 200_001 + "\n2,x\n"])
    @pytest.mark.parametrize("of_the_application", [10**9, 200_000])
    def test_a_file_is_not_read_on_in_the_middle_of_a_cell(
        self, tmp_path, monkeypatch, of_the_application, bad
    ) -> None:
        """A cell's content was taken for rows."""
        limit_lines(monkeypatch, 200_000)
        csv.field_size_limit(of_the_application)  # reading raises the limit at least to its own
        path = write(tmp_path / "a.csv", f"id,text\n0,fine\n{bad}")
        passages, reading = read(path)
        assert [passage.id for passage in passages] == ["0"]
        assert lines_of(reading) == [3]
        assert "what follows is not read" in str(reading.errors[0])

    def test_many_open_quotes(self, tmp_path: Path) -> None:
        """A quote inside a cell costs only its row."""
        path = write(tmp_path / "a.csv", "id,text\n" + '1,"a"b\n' * 30_000 + "2,good\n")
        passages, reading = read(path)
        assert [p.text for p in passages] == ["good"]
        assert len(reading.errors) == 30_000

    def test_cells_longer_than_pythons_limit(self, tmp_path: Path) -> None:
        """A long report has 131,072 characters, which is not an error."""
        (passage,), _ = read(write(tmp_path / "a.csv", f"text\n{'word ' * 100_000}\n"))
        assert len(passage.text) == 500_000

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("", "empty"),
            ("id,note\n1,a\n", "text_column"),
            ("text,a,a\nx,y,z\n", "two columns are called 'a'"),
            ('"text\nx\n', "not a CSV row"),
        ],
    )
    def test_a_header_that_cannot_work(self, tmp_path: Path, content: str, says: str) -> None:
        """Every row would fail without a text column, so the file gets one error."""
        passages, reading = read(write(tmp_path / "a.csv", content))
        assert not passages
        (error,) = reading.errors
        assert says in str(error)
