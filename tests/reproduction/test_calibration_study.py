"""The study of calibration over tiny folders, with the shipped encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sparse_data import claims, conflictqa, lines

from benchmarks.common.labelled_pairs import load_labelled_sets, sample_rows
from benchmarks.reproduction.artefacts import Curves, Figure, Measurement, Section, Table
from benchmarks.reproduction.studies.calibration.section import STUDY
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import ReadError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    conflictqa(tmp_path)
    claims(tmp_path)
    return tmp_path


def test_pairs_have_the_labels_of_their_sets(folder: Path) -> None:
    """One label taken the wrong way round, and the best judge looks worst."""
    sets = {labelled.name: labelled for labelled in load_labelled_sets(1000)}
    whole, related = sets["ConflictQA test"], sets["ConflictQA test, one question"]
    assert len(whole.pairs) == 3 * (4 + 2 + 2)
    assert len(related.pairs) == 3 * (4 + 2)
    assert related.contradicts.sum() == 12
    for name in ("HealthVer dev", "SciFact dev claims", "SICK trial"):
        one = sets[name]
        assert len(one.pairs) == 16
        for (_, other), contradicts in zip(one.pairs, one.contradicts, strict=True):
            assert contradicts == ("never" not in other)
    assert len(set(sets["HealthVer dev"].groups)) == 8


def test_no_more_pairs_than_asked_for_and_the_same_ones_again() -> None:
    rows = [(f"{n}", "", False, "") for n in range(50)]
    assert len(sample_rows(rows, 20)) == 20
    assert (
        sample_rows(rows, 20, seed=1)
        == sample_rows(rows, 20, seed=1)
        != sample_rows(rows, 20, seed=2)
    )
    assert sample_rows(rows, 50) == rows


def test_malformed_evidence_is_named_with_its_line(folder: Path) -> None:
    lines(folder / "scifact" / "claims_dev.jsonl", [{"_id": "1", "text": "x", "evidence": ["y"]}])
    with pytest.raises(ReadError, match="evidence"):
        load_labelled_sets(10)


def test_the_section_has_a_table_for_each_set(folder: Path) -> None:
    bench = Workbench(folder / "vectors.sqlite")
    section = STUDY.run(bench)
    assert STUDY.run(bench).model_dump_json() == section.model_dump_json()
    tables = [artefact for artefact in section.artefacts if isinstance(artefact, Table)]
    assert [table.name for table in tables] == [f"conflict-pairs-{n}" for n in range(1, 6)]
    for table in tables:
        rows = {str(row.cells[0]): row for row in table.rows}
        assert [row.origin for row in table.rows] == ["measured"] * 7 + ["absent"]
        assert rows["cosine"].cells[2] is None
        error, auc = (rows["probability (ours)"].cells[n] for n in (2, 4))
        assert isinstance(error, Measurement)
        assert isinstance(auc, Measurement)
        assert error.p is None
        assert auc.p is not None
    reliability, precision = (
        artefact for artefact in section.artefacts if isinstance(artefact, Figure)
    )
    assert isinstance(reliability.plot, Curves)
    assert isinstance(precision.plot, Curves)
    assert reliability.plot.diagonal
    for panel in reliability.plot.panels.values():
        curve = panel["probability (ours)"]
        assert curve.low is not None
        assert curve.high is not None
        assert all(a <= y <= b for a, y, b in zip(curve.low, curve.y, curve.high, strict=True))
    for panel in precision.plot.panels.values():
        assert panel["cosine"].x[-1] == 1
        assert np.all(np.diff(panel["cosine"].x) >= 0)
    assert Section.model_validate_json(section.model_dump_json()) == section
