"""Whole files to passages: Markdown and text, and what is too large for memory."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest
from written_files import lines_of, read, write

from logic_retrievers.documents import Splitter, read_documents
from logic_retrievers.documents.front_matter import split_front_matter
from logic_retrievers.types import Passage

ROW = '{"_id": "good", "text": "fine"}\n'


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
