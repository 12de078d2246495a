"""The study of exclusions over made folders, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from inn_queries import write_inns
from suites.hashed_encoder import HashedEncoder

from benchmarks.common.dataset_search import bm25_search
from benchmarks.papers import coder, coder_reranker
from benchmarks.report.artefacts import Curves, Figure, Measurement, Section, Table
from benchmarks.report.workbench import Workbench
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import Dataset

PARTS = ("excluir/test", "nevir/test", "scifact")


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
    two = {name: coder.CONSTRAINED[name] for name in ("nevir", "excluir")}
    monkeypatch.setattr(coder, "CONSTRAINED", two)
    monkeypatch.setattr(coder, "FIGURES", tuple(two))
    monkeypatch.setattr(coder, "ORDINARY", ("scifact",))
    monkeypatch.setattr(coder_reranker, "SETS", ("excluir",))
    return Workbench(tmp_path / "vectors.sqlite", models=tmp_path / "models")


def by_name(section: Section) -> dict[str, Table | Figure]:
    results = {artefact.name: artefact for artefact in section.artefacts}
    assert len(results) == len(section.artefacts)
    return results


def test_the_study_of_exclusions(bench: Workbench) -> None:
    section = coder.run(bench)
    assert coder.run(bench).model_dump_json() == section.model_dump_json()
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


def test_bm25_counts_shared_words_and_returns_no_more_than_there_is() -> None:
    documents = {
        "cat": "cats sleep on sofas",
        "dog": "dogs sleep in kennels",
        "fish": "fishes swim",
    }
    search = bm25_search(Dataset("made", documents, ()))
    first, second = search(["where do dogs sleep", "fishes"], 10)
    assert [name for name, _ in first][:2] == ["dog", "cat"]
    assert len(first) == 3
    assert second[0][0] == "fish"
    assert second[0][1] > second[1][1]
