"""The constraint question: rows, loss and figures, and a run that learns eight rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from logic_export.judge.constraint import (
    CONSTRAINT_BUILDERS,
    CONSTRAINT_ROWS,
    ConstraintRow,
    marked_clusters,
    marked_queries,
    operators,
    overlaps,
    read_constraint_rows,
    write_constraint_rows,
)
from logic_export.judge.constraint_training import constraint_figures, constraint_loss
from logic_export.recipe import DataSettings
from logic_export.training.training_data import build_set
from small_judges import marked
from small_recipes import json_lines
from transformers import EvalPrediction

from logic_retrievers.errors import ConfigurationError, ReadError

BOAT = {"domain": "sea", "queries": [{"q": "whales not from a boat", "kind": "exclusion"}]}


def texts(row: ConstraintRow) -> tuple[str, str, list[str], str | None]:
    """Return the row as texts: query, kind, excluded words, and the wanted part if known."""
    excluded = [row.query[start:end] for start, end in row.excluded]
    wanted = None
    if row.dropped is not None:
        gone = (*row.dropped, *row.excluded)
        kept = [" " if overlaps((i, i + 1), gone) else c for i, c in enumerate(row.query)]
        wanted = " ".join("".join(kept).split())
    return row.query, row.kind, excluded, wanted


def test_marks_become_spans(tmp_path: Path):
    """A span of the wrong occurrence would teach that a wanted word is excluded."""
    clusters = [
        {"q": "german tool, not in german", "kind": "property", "excluded": ["german"]},
        {"q": "car for hire, no car seat", "kind": "several", "excluded": ["car"]},
        {"q": "fish is ok, not shellfish", "kind": "exclusion", "excluded": ["fish"]},
        {"q": "who never paid", "kind": "negated_fact", "excluded": []},
        {"q": "no. 1 hotel", "kind": "nothing", "excluded": []},
    ]
    clusters[0]["leaves"] = [[13, 26]]
    path = json_lines(tmp_path / "clusters.jsonl", [{"domain": "a", "queries": clusters}])
    rows = marked_clusters("all", [str(path)])
    assert [texts(row) for row in rows] == [
        ("german tool, not in german", "exclusion", ["german"], "german tool,"),
        ("car for hire, no car seat", "exclusion", ["car"], None),
        ("fish is ok, not shellfish", "exclusion", ["fish"], None),
        ("who never paid", "negated_fact", [], "who never paid"),
        ("no. 1 hotel", "none", [], "no. 1 hotel"),
    ]
    assert [row.excluded for row in rows[:3]] == [((20, 26),), ((17, 20),), ((0, 4),)]
    queries = [
        marked("Who, other than Ann, ran in 1969?", "exclusion", "Who ran in 1969?", "Ann"),
        marked("sugarless cake", "exclusion", "cake", "sugar"),
        marked("who never ran", "negated_fact"),
        marked("no time to die", "nothing"),
    ]
    rows = marked_queries("all", str(json_lines(tmp_path / "queries.jsonl", queries)))
    assert [texts(row) for row in rows] == [
        ("Who, other than Ann, ran in 1969?", "exclusion", ["Ann"], "Who, ran in 1969?"),
        ("sugarless cake", "exclusion", ["sugar"], "cake"),
        ("who never ran", "negated_fact", [], "who never ran"),
        ("no time to die", "none", [], "no time to die"),
    ]
    write_constraint_rows(tmp_path / "rows.jsonl", rows)
    assert read_constraint_rows(tmp_path / "rows.jsonl") == rows


def test_exclusions_are_worded_over_questions(tmp_path: Path):
    question = {"_id": "1", "text": "Where is Knox?", "hard_negative_title": "Ely F.C."}
    path = str(json_lines(tmp_path / "questions.jsonl", [question] * 40))
    rows = CONSTRAINT_BUILDERS["worded_exclusions"](path, "all")
    assert len({row.query for row in rows}) > 10
    for row in rows:
        _, kind, excluded, wanted = texts(row)
        assert (kind, excluded) == ("exclusion", ["Ely F.C"])
        assert wanted.lower() == "where is knox"
    plain = CONSTRAINT_BUILDERS["plain_queries"]
    assert len(plain(path)) == 40
    assert plain(path, part="dev") == [ConstraintRow("Where is Knox?", "none")] * 5
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n2\td\t1\n")
    assert plain(path, str(tmp_path / "qrels.tsv")) == []


def test_operators_are_those_of_a_search_box():
    rows = operators("dev")
    assert len(rows) > 100
    for row in rows:
        query, _, _, wanted = texts(row)
        assert row.dropped == ((len(wanted), len(query)),)
        assert all(query[:start].endswith((" -", ":", " NOT ")) for start, _ in row.excluded)
    marks = {row.query[row.excluded[0][0] - 1] for row in rows}
    assert marks == {"-", ":", " "}


def test_nevir_asks_for_negated_facts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    asked = ["Who didn't sing?", "Which university is unusual?"]
    json_lines(tmp_path / "nevir" / "train" / "queries.jsonl", [{"text": text} for text in asked])
    rows = CONSTRAINT_BUILDERS["nevir_queries"]()
    assert [row.kind for row in rows] == ["negated_fact", "none"]


def test_the_files_that_come_along():
    """A mistake in a project file would train wrong words."""
    for builder in (marked_clusters, marked_queries):
        train, dev = builder("train"), builder("dev")
        assert 0.1 < len(dev) / (len(train) + len(dev)) < 0.2
        for row in (*train, *dev):
            assert (row.kind == "exclusion") == bool(row.excluded)
            spans = (*row.excluded, *(row.dropped or ()))
            assert all(0 <= start < end <= len(row.query) for start, end in spans)
        known = [row for row in train if row.kind == "exclusion" and row.dropped is not None]
        assert len(known) > 500
        assert all(overlaps(span, row.dropped) for row in known for span in row.excluded)


@pytest.mark.parametrize(
    ("builder", "row"),
    [
        ("marked_clusters", BOAT),
        ("marked_clusters", {"domain": "a", "queries": [marked("a", "exclusion", "a", "b")]}),
        ("marked_queries", marked("a", "exclusion", "a", "b")),
        ("marked_queries", marked("a b", "nothing", "a", "b")),
        ("marked_queries", marked("a", "several")),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, builder: str, row: dict[str, Any]):
    path = str(json_lines(tmp_path / "bad.jsonl", [row]))
    options = {"part": "all", **({"files": [path]} if "domain" in row else {"path": path})}
    dataset = DataSettings(builder=builder, licence="MIT", ships=True, options=options)
    with pytest.raises(ReadError, match=r"bad\.jsonl:1"):
        build_set(dataset, 0, CONSTRAINT_ROWS)
    with pytest.raises(ConfigurationError, match="no builder 'pairs'"):
        build_set(dataset.model_copy(update={"builder": "pairs"}), 0, CONSTRAINT_ROWS)


def test_the_loss_leaves_out_what_is_unknown():
    """Counting padding or unknown words would teach that the wanted part omits nothing."""
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.full((2, 3, 5), -100.0)
    labels[:, 0, 2:] = torch.tensor([[0.0, 1, 0], [1, 0, 0]])
    labels[0, 1, :2], labels[1, 1, 0] = torch.tensor([1.0, 1]), 0.0
    sigmoid, kinds = logits.sigmoid(), logits[:, 0, 2:].log_softmax(1)
    tags = -(sigmoid[0, 1, :2].log().sum() + (1 - sigmoid[1, 1, 0]).log()) / 3
    expected = 2 * tags - (kinds[0, 1] + kinds[1, 0]) / 2
    torch.testing.assert_close(constraint_loss({"logits": logits}, labels), expected)


def test_figures_of_each_set():
    """Shares over the wrong kind of queries would select a checkpoint that reads everything."""
    labels = np.full((5, 2, 5), -100.0)
    labels[:, 0, 2:] = np.eye(3)[[1, 1, 0, 0, 2]]
    labels[:, 1, 0] = [1, 0, 0, 0, 0]
    logits = np.zeros((5, 2, 5))
    logits[:, 0, 2:] = [[0, 9, 0], [9, 0, 0], [0, 0, 9], [9, 0, 0], [9, 0, 0]]
    logits[:, 1, 0] = [9, 9, 9, -9, 9]
    assert constraint_figures({"a": 3, "b": 2})(EvalPrediction(logits, labels)) == {
        "a exclusions read": 0.5,
        "a ordinary read": 1.0,
        "b ordinary read": 0.0,
        "a exact words": 0.5,
        "score": 0.5,
    }
