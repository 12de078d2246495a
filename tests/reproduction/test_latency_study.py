"""The study of latency: its watch, its rows, and a run over a few passages."""

from __future__ import annotations

import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.common.memory import collection_memory, resident_mib
from benchmarks.common.timing import Stopwatch, Timings, timed_searches
from benchmarks.reproduction.artefacts import Figure, Measurement, Section, Table
from benchmarks.reproduction.studies import latency
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import ReadError


class Index:
    """Its encoder takes 20 ms, and what else it does 40."""

    def __init__(self) -> None:
        self.encoder: Any = SimpleNamespace(
            encode_queries=lambda _: time.sleep(0.02), encode_documents=lambda _: None
        )
        self.connection: Any = SimpleNamespace(handle=self.handle)

    def handle(self, effect: str) -> None:
        self.encoder.encode_queries(effect)
        time.sleep(0.04)


class Searching:
    def __init__(self, index: Index) -> None:
        self.index = index
        self.asked: list[str] = []

    def search(self, query: str, k: int) -> None:
        self.asked.append(f"{query} {k}")
        self.index.connection.handle(query)
        time.sleep(0.01)


def test_the_parts_make_up_the_whole() -> None:
    """Encoding happens inside an effect: counted twice, Qdrant would take the encoder's time."""
    index = Index()
    engine: Any = Searching(index)
    watch = Stopwatch(index)  # type: ignore[arg-type]
    result = timed_searches(engine, watch, ["a", "b"], 7)
    assert engine.asked == ["warm up 7", "a 7", "b 7"]
    assert len(result.total) == len(result.cpu) == 2
    for encoder, qdrant, own in zip(result.encoder, result.qdrant, result.own, strict=True):
        assert 0.02 <= encoder < 0.04 <= qdrant
        assert own >= 0.01
    assert np.sum([result.encoder, result.qdrant, result.own]) == pytest.approx(sum(result.total))


def test_the_price_is_that_of_the_processor_time(tmp_path: Path) -> None:
    """1.8 s a query are half a core-hour a thousand queries."""
    timings = {"topical": Timings([1.0], [0.5], [0.25], [1.8])}
    table = latency._cost_table(Workbench(tmp_path / "v", core_hour=0.1), timings)
    processor, price = table.rows[0].cells[1:]
    assert isinstance(processor, Measurement)
    assert isinstance(price, Measurement)
    assert (processor.value, processor.unit) == (1800, "s")
    assert price.value == pytest.approx(50)
    assert any("0.1 a core-hour" in note and "assumed" in note for note in table.notes)


def test_what_is_missing_is_said_in_every_table(tmp_path: Path) -> None:
    timings = {"topical": Timings([0.002, 0.004], [0.001, 0.001], [0.001, 0.001], [0.1, 0.1])}
    for table in (
        latency._latency_table(timings),
        latency._cost_table(Workbench(tmp_path / "v"), timings),
    ):
        assert [len(row.cells) for row in table.rows] == [len(table.columns)] * 2
        assert table.rows[1].origin == "absent"
        assert "ONNX folder" in table.rows[1].note
    p50 = latency._latency_table(timings).rows[0].cells[2]
    assert isinstance(p50, Measurement)
    assert (p50.value, p50.unit) == (pytest.approx(3), "ms")


def test_a_cross_encoder_has_no_parts() -> None:
    timings = {latency._RERANKER: Timings(total=[1.0], cpu=[1.0])}
    (row,) = latency._latency_table(timings).rows
    assert row.origin == "measured"
    assert set(row.cells[4:]) == {None}


def test_memory_that_the_system_does_not_tell_is_a_dash() -> None:
    assert math.isnan(resident_mib()) or resident_mib() > 1
    rows = latency._memory_table({"before": math.nan, "stored": 3.0}).rows
    assert rows[0].cells[1] is None
    assert rows[1].cells[1] == Measurement(value=3.0, unit="MiB")


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.LongTextWarning")
def test_a_few_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "POINTS", 30)
    monkeypatch.setattr(latency, "QUERIES", 2)
    monkeypatch.setattr(latency, "SLOW_QUERIES", 1)
    section = latency.STUDY.run(Workbench(tmp_path / "vectors.sqlite"))
    assert Section.model_validate_json(section.model_dump_json()) == section
    times, cost, memory, parts = section.artefacts
    assert isinstance(times, Table)
    labels = [row.cells[0] for row in times.rows]
    assert {"topical", "auto", "auto, queries that exclude"} <= set(labels)
    assert times.rows[-1].origin == "absent"
    assert isinstance(cost, Table)
    assert [row.cells[0] for row in cost.rows] == labels
    assert isinstance(memory, Table)
    assert [row.cells[0] for row in memory.rows] == [
        "package imported",
        "encoder loaded",
        "30 passages stored",
    ]
    first, loaded, stored = (row.cells[1] for row in memory.rows)
    if isinstance(first, Measurement) and isinstance(loaded, Measurement):
        assert first.value < loaded.value
        assert isinstance(stored, Measurement)
    assert isinstance(parts, Figure)
    assert parts.plot.labels == tuple(labels[:-1])  # all but the cross-encoder, which has no parts
    assert "hybrid" in labels


def test_a_process_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash would be taken for a system that does not tell."""
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    with pytest.raises(ReadError, match="could not be measured"):
        collection_memory(tmp_path / "vectors.sqlite", 3)
