"""Whole files to passages: Markdown and text."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from written_files import lines_of, read, write

from logic_retrievers.documents import files, read_documents
from logic_retrievers.documents.rows import split_front_matter
from logic_retrievers.types import Passage


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
        """Most Markdown files repeat the title in their first heading."""
        (passage,), _ = read(write(tmp_path / "a.md", "---\ntitle: Tea\n---\n# Tea\n\nBoil."))
        assert passage.text == "# Tea\n\nBoil."

    @pytest.mark.parametrize(
        "text",
        [
            "---\nA rule, then prose.\n---\nMore.",
            "---\na: &x [1]\nb: *x\n---\nText.",
            "---\nx: !!python/object/apply:os.system ['ls']\n---\nText.",
            "---\n1: a key that is no text\n---\nText.",
            "---\n- a list\n---\nText.",
            f"---\na: {'[' * 30}{']' * 30}\n---\nText.",  # deeper than an index allows
            "---\nkey: value\n- stray\n---\nText.",
            "---\nnever: closed\n",
            "# Plain",
            "----\na: b\n----\n",
        ],
    )
    def test_front_matter_that_is_none_stays_in_the_text(self, text: str) -> None:
        """Text that is not a mapping of plain values must not be lost."""
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
        """Numbers can be compared; look-alikes, dates and "no" stay as written."""
        assert split_front_matter(f"---\n{yaml}---\nText") == (values, "Text")

    def test_a_year_as_title_is_a_text(self, tmp_path: Path) -> None:
        """The title precedes the text, as any title does."""
        (passage,), _ = read(write(tmp_path / "a.md", "---\ntitle: 2024\n---\nMinutes."))
        assert (passage.text, passage.metadata) == ("2024\nMinutes.", {"title": "2024"})

    def test_text_keeps_its_line_ends(self, tmp_path: Path) -> None:
        """Chunk offsets count the file's characters unchanged."""
        (passage,), _ = read(write(tmp_path / "a.txt", "one\r\n\r\ntwo\n"))
        assert passage == Passage("a.txt", "one\r\n\r\ntwo\n", {}, "a.txt")

    @pytest.mark.parametrize(
        ("content", "line", "says"),
        [
            (b"one\ntwo\ncaf\xe9", 3, "0xE9 is not utf-8"),
            ("one".encode("utf-16"), None, "UTF-16"),
            (b" \n", None, "empty"),
            (b"", None, "empty"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, content: bytes, line: int | None, says: str) -> None:
        """The error names the byte's position and how to convert the file."""
        write(tmp_path / "good.txt", "good")
        write(tmp_path / "bad.txt", content)
        passages, reading = read(tmp_path)
        assert [p.id for p in passages] == ["good.txt"]
        (error,) = reading.errors
        assert error.line == line
        assert says in str(error)
        assert reading.incomplete == {"bad.txt"}


class TestLargeFiles:
    def test_a_text_that_is_too_long_is_refused(self, tmp_path: Path, monkeypatch) -> None:
        """The text is held in memory, with a number for each token."""
        monkeypatch.setattr(files, "LONGEST_TEXT", 100)
        write(tmp_path / "a.txt", "x" * 101)
        write(tmp_path / "b.txt", "é" * 100)
        passages, reading = read(tmp_path)
        assert [passage.id for passage in passages] == ["b.txt"]
        assert "longer than 100" in str(reading.errors[0])

    def test_a_bad_byte_far_behind(self, tmp_path: Path) -> None:
        """Half of a file must not be stored."""
        good = "Zeile é.\n" * 200_000
        write(tmp_path / "a.txt", good.encode() + b"caf\xe9 au lait")
        write(tmp_path / "b.md", good.encode() + b"caf\xc3")
        passages, reading = read(tmp_path)
        assert not passages
        assert lines_of(reading) == [200_001, 200_001]

    def test_bytes_of_rows_and_of_archives(self, tmp_path: Path) -> None:
        """The progress bar must move within one large archive."""
        rows = "".join(f'{{"text": "{os.urandom(64).hex()}"}}\n' for _ in range(20_000))
        path = write(tmp_path / "a.jsonl.gz", gzip.compress(rows.encode()))
        reading = read_documents(path)
        assert reading.total_bytes == path.stat().st_size
        positions = [reading.read_bytes for _ in reading]
        assert positions == sorted(positions)
        assert len(set(positions)) > 10
        assert reading.read_bytes == reading.total_bytes
