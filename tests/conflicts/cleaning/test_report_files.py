"""Report files: written whole or not at all, and harmless to the programs that open them."""

from __future__ import annotations

import csv
import errno
import io
import json
import re
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from report_pages import ANY_TEXT, cleaning_result, decision

from logic_retrievers.conflicts.cleaning.report import write_report
from logic_retrievers.conflicts.cleaning.report.files import render_csv, render_json_lines
from logic_retrievers.conflicts.cleaning.result import Difference
from logic_retrievers.conflicts.cleaning.word_diff import find_differences
from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.files import LONGEST_CELL, csv_cell
from logic_retrievers.types import Passage


def rows(text):
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_the_suffix_decides(tmp_path):
    result = cleaning_result(decision())
    names = ["report.html", "report.jsonl", "report.csv"]
    assert [path.name for path in write_report(result, tmp_path / "report.html")] == names
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    alone = tmp_path / "alone"
    alone.mkdir()
    assert write_report(result, alone / "X.JSONL") == [alone / "X.JSONL"]
    assert write_report(result, alone / "x.y.csv") == [alone / "x.y.csv"]
    assert len(list(alone.iterdir())) == 2
    for name in ("report.pdf", "report", ".html"):
        with pytest.raises(ConfigurationError, match=r"\.html, \.jsonl or \.csv"):
            write_report(result, tmp_path / name)


def test_a_place_where_nothing_can_be_written(tmp_path, monkeypatch):
    """A failed report must keep the last one and say why there is no new one."""
    result = cleaning_result(decision())
    with pytest.raises(StorageError, match="No such file"):
        write_report(result, tmp_path / "nowhere" / "report.html")
    files = write_report(result, tmp_path / "report.html")
    before = [path.read_bytes() for path in files]

    def full(self, *arguments, **settings):
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(StorageError, match="No space left"):
        write_report(cleaning_result(), tmp_path / "report.html")
    assert [path.read_bytes() for path in files] == before
    assert len(list(tmp_path.iterdir())) == 3


def test_a_line_has_all_of_a_decision():
    metadata = {"on": date(2024, 5, 1), "n": np.int64(3), "x": float("inf"), "in": {"tags": {"q"}}}
    passages = {"a": Passage("a", "open 14", metadata, source="a.md"), "b": Passage("b", "open 30")}
    difference = Difference("number", (5, 7), (5, 7))
    one = decision(
        action="quarantined", probability=0.95, differences=[difference], newer="b",
        quarantined=["a"], trusted=["b"], why="'b' is trusted",
    )  # fmt: skip
    (line,) = render_json_lines(cleaning_result(one, passages=passages, dry_run=True)).splitlines()
    assert json.loads(line) == {
        "kind": "contradiction",
        "severity": "high",
        "reason": "they differ",
        "cosine": 0.9,
        "score": 1.5,
        "probability": 0.95,
        "own_probability": 0.25,
        "differences": [{"type": "number", "one": [5, 7], "other": [5, 7]}],
        "newer": "b",
        "certain": True,
        "one": {
            "id": "a",
            "text": "open 14",
            "source": "a.md",
            "metadata": {"on": "2024-05-01", "n": 3, "x": "inf", "in": {"tags": ["q"]}},
        },
        "other": {"id": "b", "text": "open 30", "source": None, "metadata": {}},
        "action": "quarantined",
        "decision": "'b' is trusted",
        "quarantined": ["a"],
        "closed": [],
        "until": None,
        "trusted": ["b"],
        "dry_run": True,
    }


@given(ANY_TEXT, ANY_TEXT)
def test_lines_give_back_every_text(one, other):
    """Half a surrogate pair stops a writer; a line separator breaks a reader."""
    passages = {"a": Passage("a", one, {"x": other}), "b": Passage("b", other)}
    text = render_json_lines(
        cleaning_result(decision(reason=one), decision("b", "a"), passages=passages)
    )
    text.encode("utf-8")
    first, second = (json.loads(line) for line in text.split("\n")[:-1])
    assert (first["one"]["text"], first["reason"], first["other"]["text"]) == (one, one, other)
    assert second["other"]["metadata"] == {"x": other}
    assert not set("\u202e\x9b\u2028") & set(text)


def test_probabilities_that_are_no_numbers_are_still_json():
    line = render_json_lines(cleaning_result(decision(probability=float("nan"))))
    assert json.loads(line)["probability"] == "nan"


def test_no_cell_is_a_formula():
    """A passage that begins with = could run a program for the user who opens the sheet."""
    words = '=HYPERLINK("x")'
    passages = {
        words: Passage(words, words, {"date": words, "source": words}),
        "b": Passage("b", "y", {"date": -5}),
    }
    (row,) = rows(render_csv(cleaning_result(decision(words, "b", reason=words, why=words,
        quarantined=[words], newer=words), passages=passages)))  # fmt: skip
    guarded_ones = ("one", "one_text", "one_date", "one_source", "reason", "decision", "newer")
    for name in (*guarded_ones, "quarantined"):
        assert row[name].startswith("'"), name
    assert row["other_date"] == "-5", "a number is a number"


@pytest.mark.parametrize(
    "begin",
    ["=", "+", "-", "@", "\t=", "＝", "＋", "－", "＠", "﹣", '"=', "'+", '" @', "\u3000＝"],  # noqa: RUF001
)
@pytest.mark.parametrize("before", ["", "a;", "a; b\n", "a\t", "a\r"])
def test_no_part_of_a_cell_is_a_formula(before, begin):
    """Excel splits at semicolons in half of Europe and reads full-width signs as formulas."""
    cell = csv_cell(f"{before}{begin}1+1")
    for part in re.split("[;\t\n]", cell):
        assert re.match(r"""(?![\s"]*[=+\-@＝＋－＠﹣])""", part), cell  # noqa: RUF001
    assert cell.replace("'", "") == csv_cell(before) + f"{begin}1+1".replace("'", "")


@pytest.mark.parametrize(
    "text", ["3-1; 4=4", "see a@b.c; or d-e", "a;b;c", "x\n\ny", "don't; won't", "5 + 5\tand"]
)
def test_an_ordinary_text_is_left_alone(text):
    assert csv_cell(text) == text


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_is_one_cell(one, other):
    passages = {"a": Passage("a", one, {"source": other}), "b": Passage("b", other, source=one)}
    differences = find_differences(one, other)
    text = render_csv(cleaning_result(decision(differences=differences), passages=passages))
    text.encode("utf-8")
    (row,) = rows(text)
    assert (row["one_text"], row["other_text"]) == (csv_cell(one), csv_cell(other))
    assert row["kind"] == "contradiction"
    assert None not in row


def test_a_cell_is_not_longer_than_a_spreadsheet_takes():
    """Excel breaks a longer cell and shifts the following columns."""
    shown = csv_cell("x" * 100_000)
    assert len(shown) < 32_767
    assert shown == "x" * LONGEST_CELL + " [68000 more characters]"
