"""Files to passages: what is good gets through, what is bad is named."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from logic_retrievers.documents import DocumentReader, Splitter, files, read_documents
from logic_retrievers.documents.front_matter import split_front_matter
from logic_retrievers.types import Passage


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path) -> tuple[list[Passage], DocumentReader]:
    reading = read_documents(path)
    return list(reading), reading


def lines_of(reading: DocumentReader) -> list[int | None]:
    return [error.line for error in reading.errors]


ROW = '{"_id": "good", "text": "fine"}\n'


class TestJsonl:
    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ('{"text": "a", "n": 1e400}', "metadata.n is inf"),
            ('{"text": "a", "n": %s}' % ("[" * 900 + "]" * 900), "more than 24 levels"),
            ('{"text": "a", "n": %s}' % ("[" * 90_000 + "]" * 90_000), "not valid JSON"),
            ('{"text": "a", "_id": "%s"}' % ("9" * 5000), "4,096 characters"),
            ('{"text": "a", "n": %s}' % 2**64, "integer beyond 64 bits"),
            ('{"text": "a", "n": %s}' % ("9" * 5000), "not valid JSON"),
        ],
    )
    def test_a_row_that_no_index_takes_is_left_out_and_named(self, tmp_path, row, message):
        """It would end the whole ingestion, or be stored and never found again."""
        passages, reading = read(write(tmp_path / "a.jsonl", f"{ROW}{row}\n{ROW}"))
        assert [passage.id for passage in passages] == ["good"]
        assert lines_of(reading) == [2, 3]  # the third has the id of the first
        assert message in str(reading.errors[0])

    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv"])
    def test_a_line_of_gigabytes_is_not_held(self, tmp_path, monkeypatch, name):
        """A packed file of 1.5 MB can unpack to one row that takes all memory."""
        monkeypatch.setattr(files, "LONGEST_LINE", 100)
        monkeypatch.setattr(files, "BLOCK", 64)
        if name == "a.csv":
            rows = f"_id,text\na,fine\nb,{'x' * 500}\nc,fine\nd,{'x' * 101}"
        else:
            rows = "\n".join(
                json.dumps({"_id": key, "text": text})
                for key, text in (("a", "fine"), ("b", "x" * 500), ("c", "fine"), ("d", "x" * 101))
            )
        content = gzip.compress(rows.encode()) if name.endswith("gz") else rows
        passages, reading = read(write(tmp_path / name, content))
        assert [passage.id for passage in passages] == ["a", "c"]
        first = 3 if name == "a.csv" else 2
        assert lines_of(reading) == [first, first + 2]
        assert all("longer than 100 bytes" in str(error) for error in reading.errors)

    def test_a_row_becomes_a_passage_with_all_that_it_said(self, tmp_path: Path) -> None:
        """A key that is neither id nor text must not vanish."""
        row = {"_id": 7, "title": "Ham", "text": "Salty.", "year": 2020, "metadata": {"k": [1]}}
        path = write(tmp_path / "a.jsonl", json.dumps(row))
        passages, reading = read(path)
        assert passages == [
            Passage("7", "Ham\nSalty.", {"title": "Ham", "year": 2020, "k": [1]}, "a.jsonl")
        ]
        assert not reading.errors

    @pytest.mark.parametrize("key", ["text", "page_content", "contents"])
    def test_the_names_of_the_text(self, tmp_path: Path, key: str) -> None:
        """Exports of other tools call the text by other names."""
        (passage,), _ = read(write(tmp_path / "a.jsonl", json.dumps({"id": "x", key: "body"})))
        assert (passage.id, passage.text) == ("x", "body")

    def test_ids_given_by_place_are_stable(self, tmp_path: Path) -> None:
        """Blank lines count, or an editor's line number would not find the row."""
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
            (b'{"_id": "b", "text": "x", "n": NaN}', "NaN"),
            (b'{"_id": "b", "text": "caf\xe9"}', "0xE9 at offset 57"),
            (b'{"_id": "b", "text": "\\uD83D"}', "surrogate"),
            (b'{"_id": "a", "text": "x"}', "used before"),
            (b"[" * 100_000, "not valid JSON"),
        ],
    )
    def test_a_bad_line_is_named_and_the_good_ones_stay(
        self, tmp_path: Path, bad: bytes, says: str
    ) -> None:
        """One bad row must neither end the reading nor disappear without a word."""
        content = b'{"_id":"a","text":"first row."}\n' + bad + b'\n{"_id":"c","text":"last"}'
        path = write(tmp_path / "a.jsonl", content)
        passages, reading = read(path)
        assert [p.id for p in passages] == ["a", "c"]
        (error,) = reading.errors
        assert (error.file, error.line) == (str(path), 2)
        assert str(error).startswith(f"{path}:2: ")
        assert says in str(error)
        assert reading.incomplete == {"a.jsonl"}

    def test_an_escaped_emoji_is_no_lone_surrogate(self, tmp_path: Path) -> None:
        """JSON writes characters beyond 16 bits as two escapes; both together are fine."""
        (passage,), _ = read(write(tmp_path / "a.jsonl", json.dumps({"text": "so 😀"})))
        assert passage.text == "so 😀"

    def test_marks_line_ends_and_separators(self, tmp_path: Path) -> None:
        """U+2028 inside a string does not end a JSONL line; a byte-order mark is no text."""
        row = json.dumps({"text": "a\u2028b\x85c"}, ensure_ascii=False)
        passages, reading = read(write(tmp_path / "a.jsonl", f"\ufeff{row}\r\n{row}\r\n"))
        assert [p.text for p in passages] == ["a\u2028b\x85c"] * 2
        assert not reading.errors

    def test_offsets_count_the_byte_order_mark(self, tmp_path: Path) -> None:
        """The offset is for a hex editor, which shows the mark."""
        _, reading = read(write(tmp_path / "a.jsonl", b"\xef\xbb\xbf\xff"))
        assert "offset 3" in str(reading.errors[0])

    def test_gzip_and_a_download_that_broke_off(self, tmp_path: Path) -> None:
        """A truncated archive gives the rows before the break, and says that it broke."""
        rows = [json.dumps({"_id": str(i), "text": os.urandom(64).hex()}) for i in range(5000)]
        packed = gzip.compress("\n".join(rows).encode())
        whole, _ = read(write(tmp_path / "whole.jsonl.gz", packed))
        assert len(whole) == 5000
        part, reading = read(write(tmp_path / "part.jsonl.gz", packed[: len(packed) // 2]))
        assert 0 < len(part) < 5000
        assert "cannot be read" in str(reading.errors[-1])

    def test_it_streams(self, tmp_path: Path) -> None:
        """The first passage comes before the file is read to its end: here, it has none."""
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
        """Order and case of other columns are the user's; quotes, commas, line ends are CSV's."""
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
        """A range finds them; ids, titles and numbers with a leading zero stay as they are."""
        rows = "id,title,text,seats,price,zip,sign\n12,2024,5,60,2.50,01234,+1\n"
        (passage,), _ = read(write(tmp_path / "a.csv", rows))
        metadata = {"title": "2024", "seats": 60, "price": 2.5, "zip": "01234", "sign": "+1"}
        assert passage == Passage("12", "2024\n5", metadata, "a.csv")

    def test_bad_rows(self, tmp_path: Path) -> None:
        """A comma without quotes would cut a text short in silence."""
        content = b"id,text\n1,one\n2,two, and more\n3\n4,\n5,caf\xe9\n6,six\n1,again\n"
        passages, reading = read(write(tmp_path / "a.csv", content))
        assert [p.id for p in passages] == ["1", "6"]
        assert lines_of(reading) == [3, 4, 5, 6, 8]
        assert f"0xE9 at offset {content.index(0xE9)} " in str(reading.errors[3])

    def test_an_open_quote_does_not_swallow_the_rest(self, tmp_path: Path) -> None:
        """Python's reader takes everything up to the end of the file as one cell."""
        rows = "".join(f"{i},row {i}\n" for i in range(2, 2000))
        path = write(tmp_path / "a.csv", f'id,text\n0,fine\n1,"open\n{rows}')
        passages, reading = read(path)
        assert len(passages) == 1999
        assert lines_of(reading) == [3]

    def test_an_open_quote_before_a_quoted_row(self, tmp_path: Path) -> None:
        """The quote that seems to close the open one belongs to a good row."""
        path = write(tmp_path / "a.csv", 'id,text\n1,"open\n2,two\n3,"three, or so"\n')
        passages, reading = read(path)
        assert [p.text for p in passages] == ["two", "three, or so"]
        assert lines_of(reading) == [2]

    def test_many_open_quotes(self, tmp_path: Path) -> None:
        """Recovery must not nest once per error: 30,000 of them would overflow the stack."""
        path = write(tmp_path / "a.csv", "id,text\n" + '1,"a"b\n' * 30_000 + "2,good\n")
        passages, reading = read(path)
        assert [p.text for p in passages] == ["good"]
        assert len(reading.errors) == 30_000

    def test_cells_longer_than_pythons_limit(self, tmp_path: Path) -> None:
        """131,072 characters are a long report, not an error."""
        (passage,), _ = read(write(tmp_path / "a.csv", f"text\n{'word ' * 100_000}\n"))
        assert len(passage.text) == 500_000

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("", "empty"),
            ("id;text\n1;a\n", "separated by commas"),
            ("text,a,a\nx,y,z\n", "two columns are called 'a'"),
            ('"text\nx\n', "not a CSV row"),
        ],
    )
    def test_a_header_that_cannot_work(self, tmp_path: Path, content: str, says: str) -> None:
        """Without a text column every row would fail; the file is one error."""
        passages, reading = read(write(tmp_path / "a.csv", content))
        assert not passages
        (error,) = reading.errors
        assert says in str(error)


class TestWholeFiles:
    def test_markdown_keeps_headings_and_reads_front_matter(self, tmp_path: Path) -> None:
        """Headings carry the topic; front matter is data, not text."""
        content = "---\ntitle: 'Tea'\ntags:\n- hot\n- green\n---\n# Brewing\n\nBoil."
        (passage,), _ = read(write(tmp_path / "tea.MD", content))
        assert passage == Passage(
            "tea.MD",
            "Tea\n# Brewing\n\nBoil.",
            {"title": "Tea", "tags": ["hot", "green"]},
            "tea.MD",
        )

    def test_a_title_is_not_said_twice(self, tmp_path: Path) -> None:
        """Most Markdown files repeat the title as their first heading."""
        (passage,), _ = read(write(tmp_path / "a.md", "---\ntitle: Tea\n---\n# Tea\n\nBoil."))
        assert passage.text == "# Tea\n\nBoil."

    @pytest.mark.parametrize(
        "text",
        [
            "---\nA rule, then prose.\n---\nMore.",
            "---\na: &x [1]\nb: *x\n---\nText.",
            "---\nd: !!timestamp 2020-01-01\n---\nText.",
            "---\nx: !!python/object/apply:os.system ['ls']\n---\nText.",
            "---\n- a list\n---\nText.",
            "---\nkey: value\n- stray\n---\nText.",
            "---\nnever: closed\n",
            "# Plain",
            "----\na: b\n----\n",
        ],
    )
    def test_front_matter_that_is_none_stays_in_the_text(self, text: str) -> None:
        """What is no mapping of plain values must not be lost."""
        assert split_front_matter(text) == ({}, text)

    @pytest.mark.parametrize(
        ("yaml", "values"),
        [
            ('a: one\r\n# note\r\n\r\nb: [x, "y"]\r\nc:\r\n', {"a": "one", "b": ["x", "y"]}),
            ("year: 2020\nrate: -1.50\ndraft: true\n", {"year": 2020, "rate": -1.5, "draft": True}),
            ("zip: 007\ncard: 4000123412341234\n", {"zip": "007", "card": "4000123412341234"}),
            (
                "country: no\ndate: 2020-01-02\nat: 12:30\n",
                {"country": "no", "date": "2020-01-02", "at": "12:30"},
            ),
            ("year: '2020'\n", {"year": "2020"}),
            ("rooms:\n  - name: A\n    seats: 4\n", {"rooms": [{"name": "A", "seats": 4}]}),
            ("note: >\n  two\n  lines\n", {"note": "two lines\n"}),
            ("two words: x  # why\n", {"two words": "x"}),
            ("title: Tea: the basics\nyear: 3\n", {"title": "Tea: the basics", "year": 3}),
        ],
    )
    def test_front_matter_values(self, yaml: str, values: dict[str, object]) -> None:
        """Numbers can be compared; what merely looks like one, a date or a no, stays as written."""
        assert split_front_matter(f"---\n{yaml}---\nText") == (values, "Text")

    def test_a_year_as_title_is_a_text(self, tmp_path: Path) -> None:
        """It stands before the text, as any title."""
        (passage,), _ = read(write(tmp_path / "a.md", "---\ntitle: 2024\n---\nMinutes."))
        assert (passage.text, passage.metadata) == ("2024\nMinutes.", {"title": "2024"})

    def test_text_keeps_its_line_ends(self, tmp_path: Path) -> None:
        """Offsets of chunks count the characters of the file as it is."""
        (passage,), _ = read(write(tmp_path / "a.txt", "one\r\n\r\ntwo\n"))
        assert passage == Passage("a.txt", "one\r\n\r\ntwo\n", {}, "a.txt")

    @pytest.mark.parametrize(
        ("content", "line", "says"),
        [
            (b"one\ntwo\ncaf\xe9", 3, "0xE9 at offset 11 is not UTF-8"),
            ("one".encode("utf-16"), None, "UTF-16"),
            (b" \n", None, "empty"),
            (b"", None, "empty"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, content: bytes, line: int | None, says: str) -> None:
        """The user hears where the byte is and how to convert the file."""
        write(tmp_path / "good.txt", "good")
        write(tmp_path / "bad.txt", content)
        passages, reading = read(tmp_path)
        assert [p.id for p in passages] == ["good.txt"]
        (error,) = reading.errors
        assert error.line == line
        assert says in str(error)
        assert reading.incomplete == {"bad.txt"}


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def sentences(count: int) -> str:
    return " ".join(f"Satz {i} über é und 😀." for i in range(count))


class TestLargeFiles:
    """Files of more than 1 MiB, whose text a splitter gets in blocks."""

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    def test_the_chunks_are_those_of_the_whole_text(self, tmp_path: Path, mark: str) -> None:
        """A character cut at a block's end, or a wrong offset, would be stored for ever."""
        front, body = "---\ntitle: T\nyear: 1\n---\n", sentences(60_000)
        reading = read_documents(write(tmp_path / "a.md", mark + front + body))
        splitter = Splitter(words, 200)
        (passage,) = reading
        assert passage == Passage("a.md", f"T\n{body}", {"title": "T", "year": 1}, "a.md")
        chunks = list(splitter.split(reading))
        assert chunks == list(splitter.split([passage]))
        assert len(chunks) > 2000

    def test_the_splitter_gets_blocks(self, tmp_path: Path) -> None:
        """Else memory grows with the file; meanwhile it counts what it has read."""
        path = write(tmp_path / "a.txt", sentences(100_000))
        write(tmp_path / "b.txt", "short")
        reading = read_documents(tmp_path)
        assert reading.total_bytes == path.stat().st_size + 5
        parts = reading.parts()
        passage, text = next(parts)
        lengths, positions = [], []
        for block in text:
            lengths.append(len(block))
            positions.append(reading.read_bytes)
        assert passage.text == path.read_text("utf-8")[: lengths[0]]
        assert max(lengths) <= 2**20
        assert sum(lengths) == len(path.read_text("utf-8"))
        assert positions == sorted(positions)
        assert len(set(positions)) > 10
        assert [passage.id for passage, _ in parts] == ["b.txt"]
        assert reading.read_bytes == reading.total_bytes

    def test_a_bad_byte_far_behind(self, tmp_path: Path) -> None:
        """Half of a file is not stored: the error comes before its first chunk, with its place."""
        good = "Zeile é.\n" * 200_000
        for bad, name in ((b"caf\xe9 au lait", "a.txt"), (b"caf\xc3", "b.md")):
            write(tmp_path / name, good.encode() + bad)
        write(tmp_path / "c.txt", b" " * 2**21)
        write(tmp_path / "d.txt", "good")
        reading = read_documents(tmp_path)
        for passages in (reading, Splitter(words, 200).split(reading)):
            assert [passage.id for passage in passages] == ["d.txt"]
            assert lines_of(reading) == [200_001, 200_001, None]
            offset = len(good.encode()) + 3
            assert f"0xE9 at offset {offset} " in str(reading.errors[0])
            assert f"0xC3 at offset {offset} " in str(reading.errors[1])
            assert "empty" in str(reading.errors[2])
            assert reading.incomplete == {"a.txt", "b.md", "c.txt"}

    def test_a_file_that_is_changed_while_it_is_read(self, tmp_path: Path) -> None:
        """Its chunks may be half of it: nothing of this source may count as stale."""
        path = write(tmp_path / "a.txt", sentences(100_000))
        write(tmp_path / "b.txt", "good")
        reading = read_documents(tmp_path)
        chunks = Splitter(words, 200).split(reading)
        assert next(chunks).id == "a.txt#0"
        with path.open("r+b") as stream:
            stream.seek(2**21)
            stream.write(b"\xff" * 100)
        assert [chunk.id for chunk in chunks][-1] == "b.txt"
        assert "is not UTF-8" in str(reading.errors[0])
        assert reading.incomplete == {"a.txt"}

    def test_bytes_of_rows_and_of_archives(self, tmp_path: Path) -> None:
        """A bar that stands still for one large archive tells nothing."""
        rows = "".join(f'{{"text": "{os.urandom(64).hex()}"}}\n' for _ in range(20_000))
        path = write(tmp_path / "a.jsonl.gz", gzip.compress(rows.encode()))
        reading = read_documents(path)
        assert reading.total_bytes == path.stat().st_size
        positions = [reading.read_bytes for _ in reading]
        assert positions == sorted(positions)
        assert len(set(positions)) > 10
        assert reading.read_bytes == reading.total_bytes
