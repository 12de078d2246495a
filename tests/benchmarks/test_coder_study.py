"""The study of exclusions on generated folders, end to end."""

from __future__ import annotations

from pathlib import Path

import pytest
from inn_queries import write_inns
from suites.hashed_encoder import HashedEncoder

from benchmarks.common.dataset_search import bm25_search
from benchmarks.papers import coder, coder_reranker
from benchmarks.report.workbench import Workbench
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import Dataset

PARTS = ("excluir/test", "nevir/test", "scifact")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """A workbench with a coder and no contrastive encoder, over a few inns."""
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


def test_the_study_of_exclusions(bench: Workbench) -> None:
    section = coder.run(bench)
    assert coder.run(bench) == section
    result = {artefact.name: artefact for artefact in section.artefacts}
    assert len(result) == len(section.artefacts)
    table = result["exclusion-excluir"]
    rows = {str(row.cells[0]): row for row in table.rows if row.origin != "published"}
    assert rows["CoDeR-Seq, not back-filled"].origin == "measured"
    assert rows["plain contrastive training"].origin == "absent"
    assert {"BM25", "base encoder", "auto", "set operations"} <= rows.keys()
    right = dict(zip(table.columns, rows["auto"].cells, strict=True))["right_rank"]
    assert right.p is not None
    assert "paired_accuracy" in result["exclusion-nevir"].columns
    assert "auto" in result["exclusion-excluir-curves"].plot.panels["V@k"]
    origins = {row.origin for row in result["exclusion-reranker"].rows}
    assert origins == {"measured", "absent", "published"}
    assert result["exclusion-ordinary"].rows[0].cells[:2] == ("scifact", 4)


def test_bm25_counts_shared_words_and_returns_no_more_than_there_is() -> None:
    texts = {"cat": "cats sleep on sofas", "dog": "dogs sleep in kennels", "fish": "fishes swim"}
    search = bm25_search(Dataset("made", texts, ()))
    first, second = search(["where do dogs sleep", "fishes"], 10)
    assert [name for name, _ in first][:2] == ["dog", "cat"]
    assert len(first) == 3
    assert second[0][0] == "fish"
    assert second[0][1] > second[1][1]
