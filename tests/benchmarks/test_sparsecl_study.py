"""The study of contradictions on a tiny folder, with the shipped encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from logic_export.contradiction_retrieval import ScoredCandidates, crossed_ndcg, find_alpha, ndcg
from sparse_data import SUBJECTS, arguana, conflictqa

from benchmarks.papers.sparsecl import STUDY, Scoring, scoring_rows
from benchmarks.papers.sparsecl_figures import margin_artefacts
from benchmarks.papers.sparsecl_pools import (
    PARTS,
    conflictqa_parts,
    conflictqa_pool,
    pairs_by_kind,
)
from benchmarks.report.artefacts import Section
from benchmarks.report.workbench import Workbench


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    conflictqa(tmp_path)
    arguana(tmp_path)


@pytest.fixture
def section(_folder: None, tmp_path: Path) -> Section:
    bench = Workbench(tmp_path / "vectors.sqlite")
    first = STUDY.run(bench)
    assert STUDY.run(bench) == first
    return first


def test_the_section_has_its_tables_and_figures(section: Section) -> None:
    results = {artefact.name: artefact for artefact in section.artefacts}
    assert list(results) == [
        *("contradiction-retrieval", "contradiction-paraphrases", "contradiction-arguana"),
        *("contradiction-alpha", "contradiction-margins", "contradiction-margins-table"),
        *("hoyer-histograms", "hoyer-medians", "cosine-against-hoyer"),
    ]
    table = results["contradiction-retrieval"]
    absent = [row for row in table.rows if row.origin == "absent"]
    assert ["contrastive-baseline.toml" in row.note for row in absent] == [True]
    plain, *rows = [row for row in table.rows if row.origin == "measured"]
    assert plain.cells[0] == table.baseline
    assert all(row.cells[2].p == row.cells[3].p is not None for row in rows)


def test_the_curve_begins_with_the_cosine_alone(section: Section) -> None:
    """A curve over the wrong alpha would choose a wrong setting."""
    results = {artefact.name: artefact for artefact in section.artefacts}
    table = results["contradiction-retrieval"]
    (lines,) = results["contradiction-alpha"].plot.panels.values()
    assert lines["test"].x[0] == 0
    assert lines["test"].y[0] == pytest.approx(table.rows[0].cells[2].value, abs=1e-4)
    bundle = next(row for row in table.rows if str(row.cells[0]).endswith("alpha of the bundle"))
    assert lines["alpha in use"].x == (bundle.cells[1], bundle.cells[1])


def test_gains_are_paired_and_corrected() -> None:
    """A small gain on every query is certain, however much the queries differ."""
    plain = np.linspace(0, 0.9, 50)
    scorings = {
        "cosine": Scoring(None, plain),
        "better": Scoring(1.0, plain + 0.01),
        "alike": Scoring(2.0, plain.copy()),
    }
    first, better, alike = scoring_rows(scorings, [str(n) for n in range(50)], 0)
    assert first.cells[3] is None
    assert better.cells[3].value == pytest.approx(0.01)
    assert better.cells[3].p == pytest.approx(2 / 10_001)
    assert alike.cells[3].p == 1


def test_a_margin_is_that_of_the_best_of_each_kind() -> None:
    results = [
        ScoredCandidates(np.array([True, False, True]), np.array([0.2, 0.5, 0.4]), np.zeros(3), 2),
        ScoredCandidates(np.array([True, False]), np.array([0.9, 0.5]), np.array([0.0, 0.3]), 1),
        ScoredCandidates(np.array([False, False]), np.array([0.9, 0.5]), np.zeros(2), 1),
    ]
    figure, table = margin_artefacts(results, ["a", "b", "c"], 2.0, 0)
    counts = [sum(panel["queries"]) for panel in figure.plot.panels.values()]
    assert counts == [2, 2]
    values = [row.cells[1].value for row in table.rows]
    assert values == pytest.approx([(-0.1 + 0.4) / 2, (-0.1 - 0.2) / 2])


def says_open(text: str) -> bool:
    return "open" in text or "never" in text


def subject(text: str) -> str:
    return next(subject for subject in SUBJECTS if subject in text)


def test_passages_of_every_part_are_candidates_and_one_part_asks() -> None:
    """A pool without the other parts is a third as hard, so its result is not comparable."""
    labelled = conflictqa_pool(conflictqa_parts(), "test")
    assert len(labelled.pool.texts) == 8 * 4
    assert len(labelled.pool.queries) == 3 * 4
    assert labelled.groups == tuple(name for name in "012" for _ in range(4))
    for (query, right), own in zip(labelled.pool.queries, labelled.pool.agreeing, strict=True):
        assert len(right) == 2
        assert not {query, *own} & set(right)
        assert says_open(labelled.pool.texts[query]) != says_open(labelled.pool.texts[right[0]])


def test_pairs_of_a_kind_are_of_that_kind() -> None:
    parts = conflictqa_parts()
    kinds = pairs_by_kind([group for part in PARTS for group in parts[part]])

    assert all(subject(a) != subject(b) for a, b in kinds["random"].pairs)
    for kind, alike in (("agreeing", True), ("contradicting", False)):
        for pair, other in kinds[kind].pairs:
            assert subject(pair) == subject(other)
            assert (says_open(pair) == says_open(other)) is alike
    assert all(len(pairs.pairs) == len(pairs.groups) for pairs in kinds.values())
    assert kinds == pairs_by_kind([group for part in PARTS for group in parts[part]])


def test_no_half_chooses_the_alpha_that_it_is_measured_with() -> None:
    """A half that chose its own alpha would look better than a new collection."""
    sparse_is_right = ScoredCandidates(
        np.array([False, True]), np.array([0.9, 0.5]), np.array([0.1, 0.9]), 1
    )
    cosine_is_right = ScoredCandidates(
        np.array([True, False]), np.array([0.9, 0.5]), np.array([0.1, 0.9]), 1
    )
    found = [sparse_is_right, cosine_is_right] * 4
    values, alphas = crossed_ndcg(found)
    assert alphas == (find_alpha(found[1::2]), find_alpha(found[::2]))
    assert alphas[0] < alphas[1]
    assert values[::2].tolist() == ndcg(found[::2], alphas[0]).tolist()
    assert values.max() < 1
