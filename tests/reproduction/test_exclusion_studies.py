"""The studies of exclusions and settings over made folders, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from inn_queries import write_inns
from suites.hashed_encoder import HashedEncoder

from benchmarks.reproduction.artefacts import Curves, Figure, HeatMaps, Measurement, Section, Table
from benchmarks.reproduction.studies.exclusion import reranker
from benchmarks.reproduction.studies.exclusion import section as exclusion
from benchmarks.reproduction.studies.settings import section as settings
from benchmarks.reproduction.studies.settings import single_settings
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.encoders import Encoder

PARTS = (
    *(f"excluir/{part}" for part in ("train", "test")),
    *(f"nevir/{part}" for part in ("dev", "test")),
    "scifact",
)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """With a coder and without a contrastive encoder, over a few inns."""
    for part in PARTS:
        write_inns(tmp_path / "data" / part)
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(Workbench, "encoder", HashedEncoder())
    (tmp_path / "models" / "coder").mkdir(parents=True)

    def trained(self: Workbench, role: str) -> Encoder | None:
        return HashedEncoder(["topical"], version=role) if self.model(role) else None

    monkeypatch.setattr(Workbench, "trained", trained)
    two = {name: exclusion.CONSTRAINED[name] for name in ("nevir", "excluir")}
    monkeypatch.setattr(exclusion, "CONSTRAINED", two)
    monkeypatch.setattr(exclusion, "FIGURES", tuple(two))
    monkeypatch.setattr(exclusion, "ORDINARY", ("scifact",))
    monkeypatch.setattr(reranker, "SETS", ("excluir",))
    monkeypatch.setattr(settings, "TUNING", {"excluir": "train", "nevir": "dev"})
    return Workbench(tmp_path / "vectors.sqlite", models=tmp_path / "models")


def by_name(section: Section) -> dict[str, Table | Figure]:
    results = {artefact.name: artefact for artefact in section.artefacts}
    assert len(results) == len(section.artefacts)
    return results


def test_the_study_of_exclusions(bench: Workbench) -> None:
    section = exclusion.run(bench)
    assert exclusion.run(bench).model_dump_json() == section.model_dump_json()
    assert Section.model_validate_json(section.model_dump_json()) == section
    result = by_name(section)
    table = result["exclusion-excluir"]
    assert isinstance(table, Table)
    origins = {str(row.cells[0]): row.origin for row in table.rows if row.origin != "published"}
    assert origins["CoDeR-Seq, not back-filled"] == "measured"
    assert origins["plain contrastive training"] == "absent"
    assert {"BM25", "base encoder", "auto", "set operations"} <= origins.keys()
    cells = {
        str(row.cells[0]): dict(zip(table.columns, row.cells, strict=True)) for row in table.rows
    }
    right = cells["auto"]["right_rank"]
    assert isinstance(right, Measurement)
    assert right.p is not None
    assert "paired_accuracy" in result["exclusion-nevir"].columns  # type: ignore[union-attr]
    curves = result["exclusion-excluir-curves"]
    assert isinstance(curves, Figure)
    assert isinstance(curves.plot, Curves)
    assert "auto" in curves.plot.panels["V@k"]
    reranker = result["exclusion-reranker"]
    assert isinstance(reranker, Table)
    assert {row.origin for row in reranker.rows} == {"measured", "absent", "published"}
    harm = result["exclusion-ordinary"]
    assert isinstance(harm, Table)
    assert harm.rows[0].cells[:2] == ("scifact", 4)


def test_the_study_of_settings(bench: Workbench) -> None:
    section = settings.run(bench)
    assert Section.model_validate_json(section.model_dump_json()) == section
    result = by_name(section)
    heat = result["settings-sequential-excluir-train"]
    assert isinstance(heat, Figure)
    assert isinstance(heat.plot, HeatMaps)
    plot = heat.plot
    assert [heat_map.title for heat_map in plot.maps] == ["FVR / 11", "R@10", "V@5"]
    assert all(
        (len(heat_map.values), len(heat_map.values[0])) == (len(plot.rows), len(plot.columns))
        for heat_map in plot.maps
    )
    assert plot.chosen is not None
    assert (plot.rows[plot.chosen[0]], plot.columns[plot.chosen[1]]) == ("0.2", "0.3")
    table = result["settings-lowest-violations"]
    assert isinstance(table, Table)
    families = {str(row.cells[0]) for row in table.rows}
    assert "excluir/test: CoDeR-Union" in families
    assert "nevir/test: auto" in families
    knobs = result["settings-single"]
    assert isinstance(knobs, Table)
    assert knobs.baseline == str(knobs.rows[0].cells[0]) == "auto"
    assert len(knobs.columns) == 1 + sum(map(len, single_settings._METRICS.values()))
