"""The study of contradictions over a tiny folder, with the shipped encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from logic_export.contradiction_retrieval import ScoredCandidates
from sparse_data import arguana, conflictqa

from benchmarks.reproduction.artefacts import (
    Curves,
    Figure,
    Histograms,
    Measurement,
    Section,
    Table,
)
from benchmarks.reproduction.studies.contradictions.figures import margin_artefacts
from benchmarks.reproduction.studies.contradictions.published import (
    cleaning_rows,
    paraphrase_rows,
    retrieval_rows,
    sparsity_rows,
)
from benchmarks.reproduction.studies.contradictions.section import STUDY, Scoring, scoring_rows
from benchmarks.reproduction.workbench import Workbench


@pytest.fixture
def section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Section:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    conflictqa(tmp_path)
    arguana(tmp_path)
    bench = Workbench(tmp_path / "vectors.sqlite")
    first = STUDY.run(bench)
    assert STUDY.run(bench).model_dump_json() == first.model_dump_json()
    return first


def test_the_section_has_its_tables_and_figures(section: Section) -> None:
    results = {artefact.name: artefact for artefact in section.artefacts}
    assert list(results) == [
        "contradiction-retrieval",
        "contradiction-paraphrases",
        "contradiction-arguana",
        "contradiction-alpha",
        "contradiction-margins",
        "contradiction-margins-table",
        "hoyer-histograms",
        "hoyer-medians",
        "cosine-against-hoyer",
    ]
    for artefact in results.values():
        if isinstance(artefact, Table):
            assert all(len(row.cells) == len(artefact.columns) for row in artefact.rows)
    table = results["contradiction-retrieval"]
    assert isinstance(table, Table)
    absent = [row for row in table.rows if row.origin == "absent"]
    assert ["contrastive-baseline.toml" in row.note for row in absent] == [True]
    plain, *rows = [row for row in table.rows if row.origin == "measured"]
    assert plain.cells[0] == table.baseline
    for row in rows:
        assert isinstance(row.cells[2], Measurement)
        assert isinstance(row.cells[3], Measurement)
        assert row.cells[2].p == row.cells[3].p is not None
    assert Section.model_validate_json(section.model_dump_json()) == section


def test_the_curve_begins_with_the_cosine_alone(section: Section) -> None:
    """A curve over another alpha than its axis says would choose a wrong setting."""
    results = {artefact.name: artefact for artefact in section.artefacts}
    figure, table = results["contradiction-alpha"], results["contradiction-retrieval"]
    assert isinstance(figure, Figure)
    assert isinstance(figure.plot, Curves)
    assert isinstance(table, Table)
    (lines,) = figure.plot.panels.values()
    cosine = table.rows[0].cells[2]
    assert isinstance(cosine, Measurement)
    assert lines["test"].x[0] == 0
    assert lines["test"].y[0] == pytest.approx(cosine.value, abs=1e-4)
    bundle = next(row for row in table.rows if str(row.cells[0]).endswith("alpha of the bundle"))
    assert lines["alpha in use"].x == (bundle.cells[1], bundle.cells[1])


def test_gains_are_paired_and_corrected() -> None:
    """A small gain that every query has is a sure one, whatever the queries differ by."""
    plain = np.linspace(0, 0.9, 50)
    scorings = {
        "cosine": Scoring(None, plain),
        "better": Scoring(1.0, plain + 0.01),
        "alike": Scoring(2.0, plain.copy()),
    }
    first, better, alike = scoring_rows(scorings, [str(n) for n in range(50)], 0)
    assert first.cells[3] is None
    assert isinstance(better.cells[3], Measurement)
    assert isinstance(alike.cells[3], Measurement)
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
    assert isinstance(figure.plot, Histograms)
    counts = [sum(panel["queries"]) for panel in figure.plot.panels.values()]
    assert counts == [2, 2]
    means = [row.cells[1] for row in table.rows]
    assert all(isinstance(mean, Measurement) for mean in means)
    values = [mean.value for mean in means if isinstance(mean, Measurement)]
    assert values == pytest.approx([(-0.1 + 0.4) / 2, (-0.1 - 0.2) / 2])


def test_what_is_published_says_where() -> None:
    """A figure without its source would stand there as if it were measured here."""
    rows = [
        *retrieval_rows(("ArguAna", "MSMARCO", "HotpotQA")),
        *sparsity_rows(),
        *paraphrase_rows(4),
        *cleaning_rows(),
    ]
    assert {row.origin for row in rows} == {"published"}
    assert all("Xu et al. 2024" in row.note for row in rows)
    assert len({row.cells[0] for row in rows}) == len(rows)
