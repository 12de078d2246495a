"""Queries with candidates in tiers, and their files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from logic_export.data.tiers.examples import TieredExample, read_tiers, write_tiers

from logic_retrievers.errors import InputError, ReadError, StorageError

MADE = [
    TieredExample(
        "who, unlike x?", ("a", "b\u2028c"), ("x",), ("y", "z"), "s", "contrastive", "who?"
    ),
    TieredExample("was heißt „größer“?", (), (), (), "t"),
]


@pytest.mark.parametrize("name", ["rows.jsonl", "deep/rows.jsonl.gz"])
def test_rows_come_back_as_they_were_written(tmp_path: Path, name: str):
    for copy in ("one", "two"):
        write_tiers(tmp_path / copy / name, MADE)
    path = tmp_path / "one" / name
    assert read_tiers(path) == MADE
    assert path.read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    second = json.loads(text.split("\n")[1])
    assert set(second) == {"query", "positives", "distractors", "negatives", "source"}


def test_a_teams_own_file_need_not_say_more_than_it_knows(tmp_path: Path):
    path = tmp_path / "clicked.jsonl"
    path.write_text('{"query": "q", "positives": ["a"], "distractors": ["b"], "relation": null}\n')
    assert read_tiers(path) == [TieredExample("q", ("a",), ("b",), (), "clicked.jsonl")]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"query": " ", "positives": ["a"]}, "needs a text"),
        ({"query": "q", "positives": "a"}, "'positives' must be a list of passages"),
        ({"query": "q", "negatives": ["a", 5]}, "'negatives' must be a string, found int"),
        ({"query": "q", "positives": ["a"], "negatives": ["b", "a"]}, "stands twice: 'a'"),
        ({"query": "q", "distractor": ["a"]}, "unknown field 'distractor'; a row has query, posi"),
    ],
)
def test_a_row_that_cannot_be_names_its_place(tmp_path: Path, row: dict[str, object], fault: str):
    """A passage both right and wrong pulls the encoder both ways, in silence."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"query": "fine"}\n\n' + json.dumps(row) + "\n")
    with pytest.raises(ReadError, match=rf"rows.jsonl:3: .*{fault}"):
        read_tiers(path)


def test_a_file_by_any_editor_is_read(tmp_path: Path):
    """A byte order mark or another line end would be part of a key or of a passage."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"query": "q", "positives": ["a"]}\r\n\r\n{"query": "r"}')
    assert [(one.query, one.positives) for one in read_tiers(path)] == [("q", ("a",)), ("r", ())]
    path.write_bytes(b"")
    assert read_tiers(path) == []


def test_a_place_where_nothing_can_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot write"):
        write_tiers(tmp_path / "file" / "rows.jsonl", MADE)


def test_the_same_faults_are_refused_in_code():
    with pytest.raises(InputError, match="needs a text"):
        TieredExample("", ("a",), (), (), "s")
    with pytest.raises(InputError, match="stands twice"):
        TieredExample("q", ("a",), ("b",), ("a",), "s")
    assert MADE[0].passages == ("a", "b\u2028c", "x", "y", "z")
