"""Files of training rows: round trips, and errors for malformed rows."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from logic_export.data.contradictions.groups import (
    ContradictionGroup,
    read_groups,
    unique_groups,
    write_groups,
)
from logic_export.data.set_examples import (
    DOCUMENTS,
    SetExample,
    read_examples,
    set_queries,
    write_examples,
)
from logic_export.data.tiers.examples import TieredExample, read_tiers, write_tiers
from logic_export.data.triplets import Triplet, read_triplets, unique_triplets, write_triplets
from logic_export.judge.rows import (
    JudgeRow,
    labelled_row,
    read_judge_rows,
    unique_rows,
    write_judge_rows,
)
from small_recipes import json_lines, write_rooms

from logic_retrievers.errors import ReadError, StorageError
from logic_retrievers.judging import LABELS, RELATIONS
from logic_retrievers.queries.expressions import Atom

GROUP = ContradictionGroup(("a", "b\u2028c"), ("was heißt „größer“?",), "s")
DOCUMENTS_OF_SET = {"x": "a room", "y": "b\u2028c"}
CERTAIN = [labelled_row("A calm inn.", f"hypothesis {label}", label) for label in LABELS]
RELATED = [labelled_row("A calm inn.", f"other {kind}", kind, RELATIONS) for kind in RELATIONS]
SOFT = JudgeRow("Ein Gasthof: früh.", "no\u2028noise", (0.25, 0.5, 0.25))


@dataclass(frozen=True)
class Format:
    """One format: example rows, and faulty lines."""

    write: Callable[[Path, Sequence[Any]], None]
    read: Callable[[Path], list[Any]]
    rows: list[Any]
    fine: str
    faults: dict[str, str]


FORMATS = {
    "triplets": Format(
        write_triplets,
        read_triplets,
        [Triplet("q", "a", "b\u2028c", "s"), Triplet("was heißt „größer“?", "b")],
        '{"query": "a", "satisfying": "b"}',
        {
            '{"query": "a"}': "satisfying",
            '{"query": "a", "satisfying": "b", "violating": "b"}': "both",
            '{"query": " ", "satisfying": "b"}': "query",
            '{"query": "a", "satisfying": "b", "violating": " "}': "violating",
            '{"query": "a", "satisfying": "b", "negative": "c"}': "negative",
        },
    ),
    "groups": Format(
        write_groups,
        read_groups,
        [GROUP, ContradictionGroup(("a",), ("b",))],
        '{"left": ["a"], "right": ["b"]}',
        {
            '{"left": "ab", "right": ["c"]}': "left",
            '{"left": ["a"], "right": []}': "need texts",
            '{"left": ["a"], "right": ["b", "a"]}': "both sides",
            '{"left": ["a", "a"], "right": ["b"]}': "twice",
        },
    ),
    "tiers": Format(
        write_tiers,
        read_tiers,
        [
            TieredExample("not x?", ("a", "b\u2028c"), ("x",), ("y",), "s", "contrastive", "who?"),
            TieredExample("was heißt „größer“?", (), (), (), "t"),
        ],
        '{"query": "fine"}',
        {
            '{"query": " ", "positives": ["a"]}': "needs a query",
            '{"query": "q", "positives": "a"}': "positives",
            '{"query": "q", "negatives": ["a", 5]}': "negatives",
            '{"query": "q", "distractors": [""]}': "empty",
            '{"query": "q", "positives": ["a"], "negatives": ["b", "a"]}': "twice",
        },
    ),
    "sets": Format(
        write_examples,
        read_examples,
        [
            SetExample("q", Atom("a") & ~Atom("b"), "g", ("x", "y"), ("z",), "s", DOCUMENTS_OF_SET),
            SetExample("r", Atom("a"), "g", ("x",), (), "other", DOCUMENTS_OF_SET),
        ],
        '{"query": "q", "expression": {"op": "atom", "text": "a"}, "group": "g", '
        '"satisfying": ["x"], "source": "s"}',
        {
            '{"query": "q", "expression": {"op": "x"}, "group": "g", "source": "s"}': "the op",
            '{"query": "q", "expression": {"op": "atom", "text": "a"}, "group": "g", '
            '"satisfying": ["a"], "source": "s"}': "the answer 'a' of 'q' has no text",
            '{"query": "q", "expression": {"op": "atom", "text": "a"}, "group": "g", '
            '"satisfying": [], "source": "s"}': "needs a text and an answer",
        },
    ),
    "judge": Format(
        write_judge_rows,
        read_judge_rows,
        [*CERTAIN, SOFT, *RELATED],
        '{"premise": " a ", "hypothesis": "b\\n", "label": "neutral", "id": 7}',
        {
            "{broken": "rows",
            '{"premise": "a", "hypothesis": "b"}': "target",
            '{"premise": "a", "hypothesis": "b", "label": "maybe"}': "label",
            '{"premise": 3, "hypothesis": "b", "label": "neutral"}': "premise",
            '{"premise": "a", "hypothesis": "b", "target": [0.5, 0.5]}': "target",
            '{"premise": "a", "hypothesis": "b", "target": [-1, 1, 1]}': "target",
            '{"premise": "a", "hypothesis": "b", "target": [NaN, 0, 1]}': "target",
        },
    ),
}


@pytest.mark.parametrize("file", ["rows.jsonl", "deep/rows.jsonl.gz"])
@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_rows_come_back_as_they_were_written(form: Format, file: str, tmp_path: Path):
    """U+2028 must not end a line, and equal rows must give equal bytes."""
    paths = [tmp_path / name / file for name in ("one", "two")]
    for path in paths:
        form.write(path, form.rows)
    assert form.read(paths[0]) == form.rows
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert (paths[0].read_bytes()[:2] == b"\x1f\x8b") is file.endswith(".gz")
    assert {path.name for path in paths[0].parent.iterdir()} <= {paths[0].name, DOCUMENTS}


@pytest.mark.parametrize(
    ("form", "line", "fault"),
    [(form, *pair) for form in FORMATS.values() for pair in form.faults.items()],
)
def test_a_malformed_row_is_named_with_its_line(form: Format, line: str, fault: str, tmp_path):
    """Malformed rows, such as a passage both right and wrong, must not be trained on silently."""
    path = tmp_path / "rows.jsonl"
    if form.read is read_examples:
        write_examples(path, form.rows)  # also writes the documents
    path.write_text(f"{form.fine}\n\n{line}\n")
    with pytest.raises(ReadError, match=fault) as caught:
        form.read(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_a_file_that_could_not_be_written_is_not_there(tmp_path: Path):
    """A half-written file would read as a smaller training set."""
    with pytest.raises(UnicodeEncodeError):
        write_groups(tmp_path / "own.jsonl", [GROUP, ContradictionGroup(("\ud800",), ("b",))])
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot write"):
        write_tiers(tmp_path / "file" / "rows.jsonl", [])


def test_a_file_by_any_editor_is_read(tmp_path: Path):
    """A byte order mark or a CRLF must not become part of a key or a passage."""
    path = tmp_path / "clicked.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"query": "q", "positives": ["a"]}\r\n\r\n{"query": "r"}')
    plain = TieredExample("q", ("a",), (), (), "clicked.jsonl")
    assert read_tiers(path) == [plain, replace(plain, query="r", positives=())]
    path.write_bytes(b"")
    assert read_tiers(path) == []


def test_rows_that_come_twice_count_once():
    """A repeated row would count twice and could meet itself as its own negative."""
    rows = [Triplet("q", "a", "b", "one"), Triplet("q", "a", "b", "two"), Triplet("q", "a")]
    assert unique_triplets(rows) == [rows[0], rows[2]]
    first = ContradictionGroup(("a", "b"), ("c",), "one")
    again = [ContradictionGroup(("b", "a"), ("c",), "two"), ContradictionGroup(("c",), ("a", "b"))]
    other = ContradictionGroup(("a",), ("c",))
    turned = ContradictionGroup(("a",), ("b", "c"))  # the same texts, but b contradicts a here
    assert unique_groups([first, *again, other, turned, other]) == [first, other, turned]
    twice = labelled_row("A calm inn.", "hypothesis neutral", "contradiction")
    empty = [labelled_row(" ", "b", "neutral"), labelled_row("a", "", "neutral")]
    assert unique_rows([*empty, *CERTAIN, twice]) == CERTAIN


# --- details of single formats


def test_optional_fields_are_left_out_and_need_not_be_there(tmp_path: Path):
    path = tmp_path / "rows.jsonl"
    write_tiers(path, FORMATS["tiers"].rows[1:])
    assert list(json.loads(path.read_text("utf-8"))) == [
        *("query", "positives", "distractors", "negatives", "source")
    ]
    path.write_text('{"query": "q", "positives": ["a"], "distractors": ["b"], "relation": null}\n')
    assert read_tiers(path) == [TieredExample("q", ("a",), ("b",), (), "rows.jsonl")]


def test_a_judges_label_is_written_where_it_is_certain(tmp_path: Path):
    """People and other programs read these files, so certain targets must be written as labels."""
    path = tmp_path / "rows.jsonl"
    write_judge_rows(path, [CERTAIN[2], SOFT])
    certain, soft = (json.loads(line) for line in path.read_text("utf-8").split("\n") if line)
    assert {*certain} == {"premise", "hypothesis", "label"}
    assert {*soft} == {"premise", "hypothesis", "target"}
    path.write_text(FORMATS["judge"].fine)  # with an extra column, and space around the texts
    assert read_judge_rows(path) == [labelled_row("a", "b", "neutral")]
    assert [row.label for row in [*CERTAIN, *RELATED, SOFT]] == [*LABELS, *RELATIONS, "neutral"]


def test_documents_of_set_queries_are_stored_once(tmp_path: Path):
    rows = FORMATS["sets"].rows
    write_examples(tmp_path / "rows.jsonl", [*rows, rows[0]])
    with gzip.open(tmp_path / DOCUMENTS) as file:
        assert len(file.readlines()) == 3
    for read, row in zip(read_examples(tmp_path / "rows.jsonl"), [*rows, rows[0]], strict=True):
        assert all(read.documents[name] == row.documents[name] for name in row.satisfying)


def test_a_folder_of_set_queries_is_read_with_its_variants(tmp_path: Path):
    """Variants must have their query's source, or they never share a batch with it."""
    folder = write_rooms(tmp_path / "rooms")
    found = set_queries(str(folder), variants=True)
    assert len(found) == len({one.query + one.group for one in found}) == 75
    assert len(set_queries(str(folder))) == 45
    assert {one.source for one in found} == {"rooms/train"}
    assert len({one.group for one in found}) == 15
    [denied] = [one for one in found if one.query == "find quiet not noise"]
    assert denied.expression == Atom("quiet") & ~Atom("noise")
    assert all("noise" not in denied.documents[name] for name in denied.satisfying)
    assert len(denied.satisfying) == 8 * 9


def test_set_queries_need_an_expression_and_an_answer_but_no_group(tmp_path: Path):
    folder = write_rooms(tmp_path / "rooms")
    path = folder / "train" / "queries.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0] |= {"satisfying": [], "violating": rows[0]["satisfying"]}
    neutral = [name for name in ("quiet0", "noise0") if name not in rows[1]["satisfying"]]
    rows[1]["neutral"] = neutral
    del rows[1]["group"]
    json_lines(path, rows)
    found = set_queries(str(folder))
    assert len(found) == 44
    assert (found[0].group, found[0].neutral) == (rows[1]["_id"], tuple(sorted(neutral)))
    del rows[3]["expression"]
    json_lines(path, rows)
    with pytest.raises(ReadError, match=f"{rows[3]['_id']}.* has no expression"):
        set_queries(str(folder))
