"""Cost of a search: time by parts, processor time, money and memory."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.common.cross_encoder import CrossEncoder
from benchmarks.common.memory import collection_memory
from benchmarks.common.timing import (
    Stopwatch,
    Timings,
    film_passages,
    timed_collection,
    timed_searches,
)
from benchmarks.reproduction.artefacts import Bars, Figure, Measurement, Row, Section, Table
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.table_cells import absent_row
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import bootstrap, load_dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.policies import POLICIES
from logic_retrievers.search import Engine

POINTS = 10_000
QUERIES = 60
SLOW_QUERIES = 10
"""Queries for systems that take a second per query."""
RERANKED = 20
"""Passages that the cross-encoder reads."""

_EXCLUDING = ("auto", "boolean")
"""Policies that do more for a query with an exclusion."""
_PARTS: Mapping[str, Callable[[Timings], Sequence[float]]] = {
    "encoder": lambda timings: timings.encoder,
    "Qdrant": lambda timings: timings.qdrant,
    "own": lambda timings: timings.own,
}
_RERANKER = f"cross-encoder over the first {RERANKED} of topical"


def run(bench: Workbench) -> Section:
    """Every policy over one collection, then the cross-encoder over the topical results."""
    bench.log("latency: memory")
    memory = collection_memory(bench.vectors, POINTS)
    with timed_collection(bench) as index:
        index.add(film_passages(POINTS))
        timings = _policy_timings(bench, index)
        folder = bench.model("cross-encoder")
        if folder is not None:
            bench.log(f"latency: {_RERANKER}")
            timings[_RERANKER] = _time_reranker(folder, index)
    return Section(
        name="latency",
        title="Latency, cost and memory",
        text=(
            f"One query at a time over {POINTS:,} embedded film texts of about 130 tokens, with "
            "words, k = 10, depth 100. Documents come from the kept vectors, queries are encoded "
            "anew. Ordinary queries are MS MARCO's; those that exclude are ExcluIR's.",
        ),
        artefacts=(
            _latency_table(timings),
            _cost_table(bench, timings),
            _memory_table(memory),
            _parts_figure(timings),
        ),
    )


STUDY = Study(
    name="latency",
    title="Latency, cost and memory",
    data=("wikipedia_movies", "msmarco_small", "excluir"),
    run=run,
    models=("cross-encoder",),
    timed=True,
)


def _policy_timings(bench: Workbench, index: PassageIndex) -> dict[str, Timings]:
    ordinary, excluding = (
        [query.text for query in load_dataset(name).queries[:QUERIES]]
        for name in ("msmarco_small", "excluir")
    )
    searches = {name: (name, ordinary) for name in POLICIES if name != "judge"}
    searches |= {f"{name}, queries that exclude": (name, excluding) for name in _EXCLUDING}
    watch = Stopwatch(index)
    timings = {}
    for label, (policy, queries) in searches.items():
        bench.log(f"latency: {label}")
        timings[label] = timed_searches(Engine(index, policy), watch, queries)
    return timings


def _time_reranker(folder: Path, index: PassageIndex) -> Timings:
    """Times plain search and the cross-encoder over its results, without cached scores."""
    engine, timings = Engine(index, "topical"), Timings()
    queries = [query.text for query in load_dataset("excluir").queries[:SLOW_QUERIES]]
    with tempfile.TemporaryDirectory() as scores:
        judge = CrossEncoder(folder, Path(scores) / "pairs.sqlite")
        judge.probabilities([("warm", "up")])
        for query in queries:
            cpu, begun = time.process_time(), time.perf_counter()
            hits = engine.search(query, RERANKED)
            judge.probabilities([(query, hit.passage.text) for hit in hits])
            timings.total.append(time.perf_counter() - begun)
            timings.cpu.append(time.process_time() - cpu)
    return timings


def _latency_table(timings: Mapping[str, Timings]) -> Table:
    rows = [
        Row(cells=(label, len(searches.total), *_percentiles(searches.total), *_parts(searches)))
        for label, searches in timings.items()
    ]
    if _RERANKER not in timings:
        rows.append(absent_row(_RERANKER, "cross-encoder", 9))
    parts = [f"{part} {p}" for part in _PARTS for p in ("p50", "p95")]
    return Table(
        name="latency",
        title=f"Milliseconds a query over {POINTS:,} passages",
        columns=("policy", "queries", "p50", "p95", *parts),
        rows=tuple(rows),
        notes=("Own: what is left of the whole, the parser and the policy with its evidence.",),
    )


def _percentiles(seconds: Sequence[float]) -> tuple[Measurement, Measurement]:
    p50, p95 = np.percentile(1000 * np.asarray(seconds), [50, 95])
    return Measurement(value=float(p50), unit="ms"), Measurement(value=float(p95), unit="ms")


def _parts(searches: Timings) -> Iterator[Measurement | None]:
    for seconds in _PARTS.values():
        yield from _percentiles(seconds(searches)) if searches.encoder else (None, None)


def _cost_table(bench: Workbench, timings: Mapping[str, Timings]) -> Table:
    thousandths = 1000 * bench.core_hour / 3600
    rows = [
        Row(cells=(label, _mean(searches.cpu, 1000, "s"), _mean(searches.cpu, 1000 * thousandths)))
        for label, searches in timings.items()
    ]
    if _RERANKER not in timings:
        rows.append(absent_row(_RERANKER, "cross-encoder", 2))
    return Table(
        name="latency-cost",
        title="What 1,000 queries cost",
        columns=("policy", "processor time", "price, in thousandths"),
        rows=tuple(rows),
        notes=(
            "Processor time is that of all threads of the process together, Qdrant's included, "
            "which runs embedded; threads that wait by spinning count as well.",
            f"The price is that time at {bench.core_hour:g} a core-hour, in thousandths of your "
            "currency. That rate is assumed, not measured: set your own.",
        ),
    )


def _memory_table(memory: Mapping[str, float]) -> Table:
    return Table(
        name="latency-memory",
        title="Resident memory of a process",
        columns=("when", "memory"),
        rows=tuple(Row(cells=(when, _mib(mib))) for when, mib in memory.items()),
        notes=("A process of its own, which does nothing else.",),
    )


def _parts_figure(timings: Mapping[str, Timings]) -> Figure:
    part_timings = {label: searches for label, searches in timings.items() if searches.encoder}
    return Figure(
        name="latency-parts",
        title="Where the time of a query goes",
        caption=(
            "Mean milliseconds of a query in the encoder, in Qdrant and in the rest. A query that "
            "excludes has three to five texts to encode; without a constraint auto costs what "
            "topical does, and the parser."
        ),
        plot=Bars(
            y_label="ms a query",
            labels=tuple(part_timings),
            systems={
                part: tuple(
                    _mean(seconds(searches), 1000, "ms") for searches in part_timings.values()
                )
                for part, seconds in _PARTS.items()
            },
        ),
    )


def _mean(seconds: Sequence[float], factor: float, unit: str = "") -> Measurement:
    (estimate,) = bootstrap(factor * np.asarray(seconds))
    return Measurement(value=estimate.mean, low=estimate.low, high=estimate.high, unit=unit)


def _mib(memory: float) -> Measurement | None:
    return None if math.isnan(memory) else Measurement(value=memory, unit="MiB")
