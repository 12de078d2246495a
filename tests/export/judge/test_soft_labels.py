"""The file of soft labels, and the builders of pairs that nobody has labelled."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")

from logic_export.judge.builders import soft_source
from logic_export.judge.rows import JudgeRow, labelled_row, write_judge_rows
from logic_export.judge.soft_labels import SoftLabels
from logic_export.judge.unlabelled import candidates, neighbour_kinds, siblings
from logic_export.recipe import DataSettings

from logic_retrievers.errors import ConfigurationError, ReadError, StorageError
from logic_retrievers.judging import LABELS, PAIR_KINDS

ROWS = [labelled_row(f"passage {number}", "a query", "neutral") for number in range(5)]
WEIGHTS = st.sampled_from([LABELS, PAIR_KINDS]).flatmap(
    lambda labels: st.lists(
        st.lists(st.floats(0.01, 1), min_size=len(labels), max_size=len(labels)),
        min_size=len(ROWS),
        max_size=len(ROWS),
    )
)


@given(WEIGHTS)
def test_probabilities_come_back_within_a_byte(tmp_path_factory: pytest.TempPathFactory, weights):
    """As JudgeRow wants them: shares of the three labels or the five kinds that sum to 1."""
    targets = np.array(weights, dtype=np.float32)
    targets /= targets.sum(axis=1, keepdims=True)
    file = tmp_path_factory.mktemp("labels") / "soft.npz"
    labels = SoftLabels()
    labels.add(ROWS, targets)
    labels.write(file)
    read = SoftLabels.read(file).label(ROWS)
    assert [row.premise for row in read] == [row.premise for row in ROWS]
    for row, target in zip(read, targets, strict=True):
        assert sum(row.target) == pytest.approx(1)
        np.testing.assert_allclose(row.target, target, atol=0.01)


def test_the_pair_counts_and_its_order():
    """The label of (a, b) is none of (b, a), and none of texts that are joined in another place."""
    labels = SoftLabels()
    labels.add([labelled_row("a b", "c", "neutral")], np.array([[0.2, 0.3, 0.5]]))
    others = [labelled_row("c", "a b", "neutral"), labelled_row("a", "b c", "neutral")]
    assert labels.label(others) == []
    assert labels.missing(others) == others
    assert len(labels) == 1
    with pytest.raises(ConfigurationError, match="name another file"):
        labels.add(ROWS[:1], np.full((1, len(PAIR_KINDS)), 0.2))


def test_files_that_are_none(tmp_path: Path):
    for name, content in (("empty", b""), ("text", b"{}"), ("zip", b"PK\3\4broken")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ReadError, match=name):
            SoftLabels.read(tmp_path / name)
    with pytest.raises(ReadError, match="missing"):
        SoftLabels.read(tmp_path / "missing")
    np.savez(tmp_path / "other.npz", pairs=np.zeros(2, np.uint64), targets=np.zeros((2, 2)))
    with pytest.raises(ReadError, match="no probabilities"):
        SoftLabels.read(tmp_path / "other.npz")
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="cannot write"):
        SoftLabels().write(tmp_path / "file" / "soft.npz")


def test_siblings_are_the_hypotheses_of_one_premise(tmp_path: Path):
    rows = [JudgeRow("p", text, (1, 0, 0)) for text in ("a", "b", "a")]
    write_judge_rows(tmp_path / "pairs.jsonl", [*rows, JudgeRow("q", "c", (1, 0, 0))])
    found = {(row.premise, row.hypothesis) for row in siblings(str(tmp_path / "pairs.jsonl"))}
    assert found == {("a", "b"), ("b", "a")}


def write_dataset(folder: Path, documents: list[object], queries: list[object]) -> None:
    folder.mkdir()
    for name, lines in (("corpus", documents), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_candidates_are_what_a_judge_would_read(tmp_path: Path):
    """The first topical ones of every query, long passages as excerpts."""
    long = "A cake without nuts. " + "Filler about nothing at all goes here. " * 20
    documents = [{"_id": "long", "text": long}, {"_id": "hotel", "text": "A hotel by the sea."}]
    queries = [{"_id": "1", "text": "a cake without nuts ", "satisfying": ["long"]}]
    write_dataset(tmp_path / "train", documents, queries)
    [row] = candidates(str(tmp_path), depth=1)
    assert row.hypothesis == "a cake without nuts"
    assert row.premise.startswith("A cake without nuts.")
    assert len(row.premise) < len(long)


def test_neighbours_are_near_and_stand_both_ways(tmp_path: Path):
    """Of three passages the two that speak of one thing, as the cleaner would read them."""
    texts = {"a": "The pool opens at nine.", "b": "The pool opens at ten.", "c": "Iron rusts."}
    documents = [{"_id": name, "text": text} for name, text in texts.items()]
    queries = [{"_id": "1", "text": "a pool", "satisfying": ["a"]}]
    write_dataset(tmp_path / "train", documents, queries)
    rows = neighbour_kinds(str(tmp_path))
    assert {(row.premise, row.hypothesis) for row in rows} == {
        (texts["a"], texts["b"]),
        (texts["b"], texts["a"]),
    }
    assert all(row.labels == PAIR_KINDS for row in rows)
    assert not neighbour_kinds(str(tmp_path), passages=1)
    assert not neighbour_kinds(str(tmp_path), least_cosine=1.01)


def test_a_missing_option_is_named():
    dataset = DataSettings(builder="soft", licence="MIT", ships=True, options={"labels": "x"})
    with pytest.raises(ConfigurationError, match="'builder' is missing"):
        soft_source(dataset)
