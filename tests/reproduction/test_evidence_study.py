"""The study of evidence: its shares and its kinds of failures, and a run over a small part."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reproduction.artefacts import Curves, Figure, Measurement, Section, Table
from benchmarks.reproduction.studies.evidence import section as evidence
from benchmarks.reproduction.studies.evidence.demotions import Demotion, Return
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.queries import ParsedQuery

DEMOTION = Demotion("q", ParsedQuery.excluding("a", ["b"]), "p", 2, 9, ("b",))


@pytest.mark.parametrize(
    ("found", "kinds"),
    [
        (Return(DEMOTION, 2, (), 1, 1, "none"), []),
        (Return(DEMOTION, 3, ("c",), 2, 2, "none"), [0]),
        (Return(DEMOTION, 3, (), 6, 1, "negated_fact"), [1, 2]),
        (Return(DEMOTION, 1, (), 5, 5, "none"), [3]),
        (Return(DEMOTION, 1, (), 6, 6, "none"), [4]),
    ],
)
def test_why_a_passage_does_not_come_back(found: Return, kinds: list[int]) -> None:
    assert evidence._failures(found) == [evidence._KINDS[kind] for kind in kinds]


def test_shares_at_a_rank_or_better() -> None:
    curve = evidence._rank_curve([1, 2, 7, 400])
    assert dict(zip(curve.x, curve.y, strict=True)) == {
        1: 0.25, 2: 0.5, 3: 0.5, 5: 0.5, 10: 0.75, 20: 0.75, 50: 0.75, 100: 0.75
    }  # fmt: skip
    assert curve.low is not None
    assert curve.low[0] <= 0.25


def test_both_readings_stand_side_by_side() -> None:
    """Against its own shorter text a passage is back; against the whole text it is not."""
    table = evidence._returns_table({"auto": [("set", Return(DEMOTION, 2, (), 6, 6, "none"))]})
    assert [cell.value for cell in table.rows[0].cells[3:]] == [1.0, 1.0, 0.0]
    assert [row.cells[1] for row in table.rows] == ["all", "set"]


@pytest.mark.data
def test_a_small_part_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every demotion of auto names its constraint; the same seed gives the same section."""
    monkeypatch.setattr(evidence, "_PARTS", (("boolquestions_not", "dev"),))
    monkeypatch.setattr(evidence, "LIMIT_PAIRS", 5)
    monkeypatch.setattr(evidence, "CASES", 10)
    bench = Workbench(vectors=tmp_path / "vectors.sqlite")
    section = evidence.STUDY.run(bench)
    assert section == evidence.STUDY.run(bench)
    assert Section.model_validate_json(section.model_dump_json()) == section
    reasons, back, failures, ranks = section.artefacts
    assert isinstance(reasons, Table)
    shares = [row.cells[5] for row in reasons.rows if row.cells[1] == "auto" and row.cells[4]]
    assert shares
    assert all(isinstance(cell, Measurement) and cell.value == 1 for cell in shares)
    assert isinstance(back, Table)
    assert back.rows[0].cells[:3] == ("auto", "all", 10)
    assert isinstance(failures, Table)
    assert isinstance(ranks, Figure)
    assert isinstance(ranks.plot, Curves)
