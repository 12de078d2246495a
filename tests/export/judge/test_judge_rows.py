"""The judge's rows on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pydantic")

from logic_export.judge.rows import (
    JudgeRow,
    labelled_row,
    read_judge_rows,
    unique_rows,
    write_judge_rows,
)

from logic_retrievers.errors import ReadError
from logic_retrievers.judging import LABELS, PAIR_KINDS

CERTAIN = [labelled_row("A calm inn.", f"hypothesis {label}", label) for label in LABELS]
KINDS = [labelled_row("A calm inn.", f"other {kind}", kind, PAIR_KINDS) for kind in PAIR_KINDS]
SOFT = JudgeRow("Ein Gasthof: früh.", "no\u2028noise", (0.25, 0.5, 0.25))


@pytest.mark.parametrize("name", ["rows.jsonl", "deep/rows.jsonl.gz"])
def test_rows_come_back_as_they_were_written(tmp_path: Path, name: str):
    """A soft target that came back as a label would throw the teacher's doubts away."""
    write_judge_rows(tmp_path / name, [*CERTAIN, SOFT, *KINDS])
    assert read_judge_rows(tmp_path / name) == [*CERTAIN, SOFT, *KINDS]


def test_a_certain_label_is_written_as_one(tmp_path: Path):
    """People and other programs read these files."""
    write_judge_rows(tmp_path / "rows.jsonl", [CERTAIN[2], SOFT])
    lines = (tmp_path / "rows.jsonl").read_text("utf-8").split("\n")
    certain, soft = (json.loads(line) for line in lines if line)
    assert certain["label"] == "contradiction"
    assert "target" not in certain
    assert soft["target"] == [0.25, 0.5, 0.25]
    assert "label" not in soft


def test_the_likeliest_label():
    assert [row.label for row in CERTAIN] == list(LABELS)
    assert [row.label for row in KINDS] == list(PAIR_KINDS)
    assert SOFT.label == "neutral"


def test_other_columns_do_not_matter_and_texts_are_trimmed(tmp_path: Path):
    row = {"premise": " a ", "hypothesis": "b\n", "label": "neutral", "id": 7, "source": None}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    assert read_judge_rows(tmp_path / "rows.jsonl") == [labelled_row("a", "b", "neutral")]


@pytest.mark.parametrize(
    "line",
    [
        "{broken",
        "[]",
        '{"premise": "a", "hypothesis": "b"}',
        '{"premise": "a", "hypothesis": "b", "label": "maybe"}',
        '{"premise": 3, "hypothesis": "b", "label": "neutral"}',
        '{"premise": "a", "hypothesis": "b", "target": [0.5, 0.5]}',
        '{"premise": "a", "hypothesis": "b", "target": [-1, 1, 1]}',
        '{"premise": "a", "hypothesis": "b", "target": [NaN, 0, 1]}',
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, line: str):
    """A traceback after an hour of building rows does not say which file was wrong."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"premise": "a", "hypothesis": "b", "label": "neutral"}\n' + line + "\n")
    with pytest.raises(ReadError, match=r"rows\.jsonl:2"):
        read_judge_rows(path)


def test_files_that_cannot_be_read(tmp_path: Path):
    (tmp_path / "no.jsonl.gz").write_bytes(b"plain")
    for name in ("no.jsonl.gz", "none.jsonl"):
        with pytest.raises(ReadError, match=name):
            read_judge_rows(tmp_path / name)


def test_each_pair_counts_once_and_an_empty_text_never():
    """One pair with two labels teaches nothing; the first set of a recipe is the better one."""
    twice = labelled_row("A calm inn.", "hypothesis neutral", "contradiction")
    empty = [labelled_row(" ", "b", "neutral"), labelled_row("a", "", "neutral")]
    assert unique_rows([*empty, *CERTAIN, twice]) == CERTAIN
