"""Question sets in folders: reading, writing and error messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonl_files import write_rows

from benchmarks.probe_questions.command import write_probe
from logic_retrievers.errors import ConfigurationError, InputError, ReadError, StorageError
from logic_retrievers.probe.questions import (
    FIELDS,
    TEMPLATE,
    ProbeQuestion,
    ProbeSet,
    read_probe,
    write_template,
)

PASSAGES = [
    {"_id": "a", "title": "Rye", "text": "without nuts"},
    {"_id": "b", "text": "Walnut bread"},
    {"_id": "copy", "text": "Rye without nuts"},
    {"_id": "void", "text": " "},
]
NEEDED = {"_id": "q1", "text": "Which bread has no nuts?", "gold": ["Rye"]}
FULL = {
    **NEEDED,
    "wrong": ["Walnut bread"],
    "kind": "exclusion",
    "satisfying": ["copy"],
    "violating": ["b"],
    "candidates": ["a", "b", "copy"],
    "trusted": ["a"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bakery"
    write_rows(place / "corpus.jsonl", PASSAGES)
    write_rows(place / "questions.jsonl", [FULL, NEEDED | {"_id": 2}])
    return place


def test_a_folder_reads(folder: Path) -> None:
    """A label on a merged copy would name a passage that nothing can find."""
    found = read_probe(folder)
    assert found.name == "bakery"
    assert found.passages == {"a": "Rye without nuts", "b": "Walnut bread"}
    assert found.questions == (
        ProbeQuestion(
            "q1",
            "Which bread has no nuts?",
            gold=("Rye",),
            wrong=("Walnut bread",),
            kind="exclusion",
            satisfying=("a",),
            violating=("b",),
            candidates=("a", "b"),
            trusted=("a",),
        ),
        ProbeQuestion("2", "Which bread has no nuts?", gold=("Rye",)),
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": "Rye"}, "'gold' must be a list of answers"),
        ({"wrong": ["Rye", 7.5]}, "'wrong' must be a list of answers"),
        ({"wrong": ["the RYE"]}, "'the RYE' is wrong and 'Rye' right: grading sees no difference"),
        ({"gold": ["Rye", " "]}, "no empty one"),
        ({"gold": ["\ud800"]}, "'gold' holds half of a surrogate pair"),
        ({"gold": None}, "needs a right answer"),
        ({"text": " "}, "needs an id and a text"),
        ({"kind": 3}, "'kind' must be a string"),
        ({"answers": ["Rye"]}, "unknown field 'answers'; there are _id, text, gold, wrong, kind"),
        ({"trusted": ["z"]}, "the passage 'z' of 'trusted' is not in the corpus"),
        ({"violating": ["void"]}, "the passage 'void' of 'violating' has no text"),
        ({"satisfying": ["a"], "violating": ["copy"]}, "'a' is satisfying and violating at once"),
        ({"_id": "first"}, "the id 'first' was used before"),
    ],
)
def test_a_row_that_is_wrong(folder: Path, change: dict[str, Any], message: str) -> None:
    """Users fill these files in, so errors must name the line."""
    write_rows(folder / "questions.jsonl", [NEEDED | {"_id": "first"}, NEEDED | change])
    with pytest.raises(ReadError, match=rf"questions\.jsonl:2: .*{message}"):
        read_probe(folder)


def test_what_is_missing(folder: Path) -> None:
    (folder / "questions.jsonl").write_text("\n")
    with pytest.raises(ReadError, match=r"no question in questions"):
        read_probe(folder)
    (folder / "questions.jsonl").unlink()
    with pytest.raises(ReadError, match=r"bakery: no questions\.jsonl\[\.gz\]"):
        read_probe(folder)
    (folder / "corpus.jsonl").unlink()
    with pytest.raises(ReadError, match=r"bakery: no corpus\.jsonl\[\.gz\]"):
        read_probe(folder)
    with pytest.raises(ReadError, match="nowhere: no such folder"):
        read_probe(folder / "nowhere")


def test_what_is_written_reads_back_or_is_not_written(tmp_path: Path) -> None:
    """A changed set gives results for a different one; half a folder is worse."""
    one = ProbeQuestion("q", "Wer?\u2028", ("Ann",), satisfying=("p",), candidates=("p", "r"))
    made = ProbeSet("made", (one,), {"p": "Ann's té.", "r": "x\ty"})
    write_probe(tmp_path / "made", made)
    assert read_probe(tmp_path / "made") == made
    copies = ProbeSet("copies", (ProbeQuestion("q", "Who?", ("Ann",)),), {"a": "x", "b": "x"})
    with pytest.raises(InputError, match="copies cannot be written"):
        write_probe(tmp_path / "copies", copies)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_folder_that_is_there_stays(folder: Path) -> None:
    """A user may have filled it in."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(ConfigurationError, match="is there already"):
        write_probe(folder, read_probe(TEMPLATE))
    with pytest.raises(ConfigurationError, match="is there already"):
        write_template(folder)
    with pytest.raises(StorageError, match=r"corpus\.jsonl'"):
        write_template(folder / "corpus.jsonl" / "inside")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_template_is_a_set_that_reads(tmp_path: Path) -> None:
    """Users copy it, so it must contain and explain every field."""
    write_template(tmp_path / "mine")
    assert len(read_probe(tmp_path / "mine").questions) == 2
    rows = (tmp_path / "mine" / "questions.jsonl").read_text("utf-8").splitlines()
    assert set().union(*(json.loads(row) for row in rows)) == set(FIELDS)
    readme = (tmp_path / "mine" / "README.md").read_text("utf-8")
    assert all(f"| `{name}` | {meaning} |" in readme for name, meaning in FIELDS.items())


def test_a_set_made_in_python_is_checked() -> None:
    """``ProbeSet`` is public: a set without a file must not fail during a probe."""
    question = ProbeQuestion("q1", "Which bread?", ("Rye",), candidates=("a",))
    assert ProbeSet("bakery", (question,), {"a": "Rye"}).questions == (question,)
    for questions, passages, says in (
        ((), {}, "no question"),
        ((question, question), {"a": "Rye"}, "twice"),
        ((question,), {"b": "Rye"}, "unknown passage"),
    ):
        with pytest.raises(InputError, match=says):
            ProbeSet("bakery", questions, passages)
    with pytest.raises(InputError, match="right and wrong"):
        ProbeQuestion("q1", "Which bread?", ("Rye",), wrong=("Rye",))
