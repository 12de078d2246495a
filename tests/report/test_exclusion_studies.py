"""The studies of exclusions and settings over made folders, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from inn_queries import write_inns

from logic_retrievers.encoders import Encoder
from logic_retrievers.report.artefacts import Curves, Figure, HeatMaps, Measured, Section, Table
from logic_retrievers.report.studies import exclusion, exclusion_reranker, settings, settings_knobs
from logic_retrievers.report.workbench import Workbench
from logic_retrievers.testing.hashed import HashedEncoder

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
    monkeypatch.setattr(exclusion_reranker, "SETS", ("excluir",))
    monkeypatch.setattr(settings, "TUNING", {"excluir": "train", "nevir": "dev"})
    return Workbench(tmp_path / "vectors.sqlite", models=tmp_path / "models")


def by_name(section: Section) -> dict[str, Table | Figure]:
    found = {one.name: one for one in section.artefacts}
    assert len(found) == len(section.artefacts)
    return found


def test_the_study_of_exclusions(bench: Workbench) -> None:
    section = exclusion.run(bench)
    assert exclusion.run(bench).model_dump_json() == section.model_dump_json()
    assert Section.model_validate_json(section.model_dump_json()) == section
    found = by_name(section)
    table = found["exclusion-excluir"]
    assert isinstance(table, Table)
    origins = {str(row.cells[0]): row.origin for row in table.rows if row.origin != "published"}
    assert origins["CoDeR-Seq, cut"] == "measured"
    assert origins["plain contrastive training"] == "absent"
    assert {"BM25", "base encoder", "auto", "set operations"} <= origins.keys()
    cells = {
        str(row.cells[0]): dict(zip(table.columns, row.cells, strict=True)) for row in table.rows
    }
    right = cells["auto"]["right_rank"]
    assert isinstance(right, Measured)
    assert right.p is not None
    assert "paired_accuracy" in found["exclusion-nevir"].columns  # type: ignore[union-attr]
    curves = found["exclusion-excluir-curves"]
    assert isinstance(curves, Figure)
    assert isinstance(curves.plot, Curves)
    assert "auto" in curves.plot.panels["V@k"]
    reranker = found["exclusion-reranker"]
    assert isinstance(reranker, Table)
    assert {row.origin for row in reranker.rows} == {"measured", "absent", "published"}
    harm = found["exclusion-no-harm"]
    assert isinstance(harm, Table)
    assert harm.rows[0].cells[:2] == ("scifact", 4)


def test_the_study_of_settings(bench: Workbench) -> None:
    section = settings.run(bench)
    assert Section.model_validate_json(section.model_dump_json()) == section
    found = by_name(section)
    heat = found["settings-sequential-excluir-train"]
    assert isinstance(heat, Figure)
    assert isinstance(heat.plot, HeatMaps)
    plot = heat.plot
    assert [one.title for one in plot.maps] == ["FVR / 11", "R@10", "V@5"]
    assert all(
        (len(one.values), len(one.values[0])) == (len(plot.rows), len(plot.columns))
        for one in plot.maps
    )
    assert plot.chosen is not None
    assert (plot.rows[plot.chosen[0]], plot.columns[plot.chosen[1]]) == ("0.2", "0.3")
    table = found["settings-lowest-violations"]
    assert isinstance(table, Table)
    families = {str(row.cells[0]) for row in table.rows}
    assert "excluir/test: CoDeR-Union" in families
    assert "nevir/test: auto" in families
    knobs = found["settings-knobs"]
    assert isinstance(knobs, Table)
    assert knobs.baseline == str(knobs.rows[0].cells[0]) == "auto"
    assert len(knobs.columns) == 1 + sum(map(len, settings_knobs._METRICS.values()))
