"""The study of questions with distractor clauses: recalls, rank shifts, and the questions."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from logic_export.data.tiers.examples import TieredExample
from logic_export.training.lore import DISTRACTORS, POSITIVES
from suites.hashed_encoder import HashedEncoder

from benchmarks.papers import lore_tables
from benchmarks.papers.lore import STUDY
from benchmarks.papers.lore_tables import (
    BASE,
    DISTRACTORS_RAW,
    DISTURBED,
    INFONCE,
    LORE,
    RAW,
    RIGHT_DISTURBED,
    SETS,
    both_forms,
    measure_encoders,
)
from benchmarks.report.artefacts import Section
from benchmarks.report.workbench import Workbench
from logic_retrievers.errors import MissingExtraError

PASSAGES = tuple("abcdefg")


class Placed:
    """An encoder that ranks passages in the order of the query's letters."""

    def encode_queries(self, texts, names):
        orders = np.array([[len(text) - text.index(one) for one in PASSAGES] for text in texts])
        return {"topical": orders.astype(np.float32)}

    def encode_documents(self, texts, names):
        return {"topical": np.eye(len(PASSAGES), dtype=np.float32)[[*map(PASSAGES.index, texts)]]}


def asked(raw: str, disturbed: str) -> dict[str, list[TieredExample]]:
    def example(query: str) -> TieredExample:
        return TieredExample(query, ("a", "b"), ("c",), ("d", "e", "f", "g"), "made")

    return {RAW: [example(raw)], DISTURBED: [example(disturbed)]}


def test_figures_by_hand():
    """Shifts with the wrong sign would reward an encoder that follows the clause."""
    found = measure_encoders(asked("abdefgc", "cadefgb"), {BASE: Placed()}, Placed())[BASE]
    assert found.recalls[RIGHT_DISTURBED] == {"0": 0.5}
    assert found.recalls[DISTRACTORS_RAW] == {"0": 0}
    assert found.shifts == {POSITIVES: (-1,), DISTRACTORS: (6,)}
    rows = asked("abcdefg", "abcdefg")
    rows = {f: [TieredExample(r[0].query, ("a",), (), PASSAGES[1:], "x")] for f, r in rows.items()}
    found = measure_encoders(rows, {BASE: Placed()}, Placed())[BASE]
    assert found.shifts == {POSITIVES: (0,), DISTRACTORS: ()}
    assert np.isnan(found.recalls[DISTRACTORS_RAW]["0"])


class MadeBench(Workbench):
    roles = ("infonce", "lore")

    @cached_property
    def encoder(self):
        return HashedEncoder(["topical"])

    def trained(self, role):
        return HashedEncoder(["topical"], role) if role in self.roles else None


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def example(n: int, query: str) -> TieredExample:
        passages = [f"{word} {n}" for word in ("tea", "owls", "ink", "jam", "sea", "fog")]
        return TieredExample(
            query, tuple(passages[:1]), tuple(passages[1:2]), tuple(passages[2:]), "x"
        )

    made = {
        RAW: [example(n, f"who likes tea {n}") for n in range(8)],
        DISTURBED: [example(n, f"not owls, who likes tea {n}") for n in range(8)],
    }
    monkeypatch.setattr(lore_tables, "both_forms", lambda folders: made)


def test_the_section_is_whole_and_comes_out_the_same_twice(rows, tmp_path: Path):
    found = STUDY.run(MadeBench(tmp_path / "vectors"))
    assert found == STUDY.run(MadeBench(tmp_path / "vectors"))
    assert found == Section.model_validate_json(found.model_dump_json())
    table, gains, bars, shifts = found.artefacts
    assert [row.cells[0] for row in table.rows][:3] == [BASE, INFONCE, LORE]
    published = {
        row.cells[0]: dict(zip(table.columns, row.cells, strict=True)) for row in table.rows
    }
    lore = published["Qwen3-0.6B, LORE"]
    assert (lore["HotpotQA: N1, disturbed"], lore["MS MARCO: P, disturbed"]) == (0.238, 0.693)
    assert lore["HotpotQA: N1, undisturbed"] is None
    assert [row.cells[0] for row in gains.rows] == list(SETS)
    assert set(bars.plot.systems) == {BASE, INFONCE, LORE}
    assert all(
        sum(counts) == 8 for panel in shifts.plot.panels.values() for counts in panel.values()
    )


def test_models_that_are_not_there_are_rows_with_their_recipe(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(MadeBench, "roles", ())
    table, *figures = STUDY.run(MadeBench(tmp_path / "vectors")).artefacts
    missing = {row.cells[0]: row.note for row in table.rows if row.origin == "absent"}
    assert set(missing) == {INFONCE, LORE}
    assert all("query-encoder-minilm.toml" in note for note in missing.values())
    assert [one.name for one in figures] == [
        "disturbed-questions-recall",
        "disturbed-questions-shifts",
    ]


def test_without_the_extra_the_study_names_it(tmp_path, monkeypatch):
    """A missing extra must raise an error that names it, not end the report in a traceback."""
    monkeypatch.setitem(__import__("sys").modules, "benchmarks.papers.lore_tables", None)
    with pytest.raises(MissingExtraError, match=r"logic-retrievers\[train\]"):
        STUDY.run(MadeBench(tmp_path / "vectors"))


@pytest.mark.data
def test_the_questions_have_the_same_candidates_in_both_forms():
    """With different candidates, ranks would shift for reasons other than the clause."""
    for folders in SETS.values():
        found = both_forms(folders)
        assert len(found[RAW]) == len(found[DISTURBED]) > 100
        for raw, disturbed in zip(found[RAW], found[DISTURBED], strict=True):
            assert set(raw.passages) == set(disturbed.passages)
            assert raw.positives == disturbed.positives
            assert raw.query == disturbed.original != disturbed.query
