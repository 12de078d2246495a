"""What a search costs: its time by parts, processor time, money and memory."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from logic_retrievers.answering import AnyPolicy
from logic_retrievers.engine import Engine
from logic_retrievers.evaluation import bootstrap, load_dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.policies import POLICIES, CoderUnionPolicy
from logic_retrievers.report.artefacts import Bars, Figure, Measured, Row, Section, Table
from logic_retrievers.report.collection_memory import collection_memory
from logic_retrievers.report.cross_encoder import CrossEncoder
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.timed_collection import timed_collection
from logic_retrievers.report.timing import (
    Stopwatch,
    Timings,
    film_passages,
    timed_searches,
)
from logic_retrievers.report.workbench import ROLES, Workbench

POINTS = 10_000
QUERIES = 60
SLOW_QUERIES = 10
"""Of what takes a second a query."""
RERANKED = 20
"""Passages that the cross-encoder reads."""

_EXCLUDING = ("auto", "boolean")
"""Policies that do more for a query that rules something out."""
_LEXICAL = ("lexical", "hybrid")
"""Policies that need the vector of words."""
_Asked: TypeAlias = tuple[AnyPolicy, Sequence[str]]
_ONE_REQUEST = "union, one request"
_WITH_WORDS = "auto with words, queries that exclude"
_IN_PYTHON = (*_LEXICAL, _ONE_REQUEST, _WITH_WORDS)
"""What embedded mode walks through every point in Python for; a server does not."""
_PARTS: Mapping[str, Callable[[Timings], Sequence[float]]] = {
    "encoder": lambda found: found.encoder,
    "Qdrant": lambda found: found.qdrant,
    "own": lambda found: found.own,
}
_RERANKER = f"cross-encoder over the first {RERANKED} of topical"


def run(bench: Workbench) -> Section:
    """Every policy over one collection, then the cross-encoder over what topical finds."""
    bench.say("latency: memory")
    memory = collection_memory(bench.vectors, POINTS)
    with timed_collection(bench) as index:
        index.add(film_passages(POINTS))
        timings = _policies(bench, index)
        index.backfill([LEXICAL])
        timings |= _with_words(bench, index)
        folder = bench.model("cross-encoder")
        if folder is not None:
            bench.say(f"latency: {_RERANKER}")
            timings[_RERANKER] = _reranked(folder, index)
    return Section(
        name="latency",
        title="Latency, cost and memory",
        text=(
            f"One query at a time over {POINTS:,} embedded film texts of about 130 tokens, k = 10, "
            "depth 100. Documents come from the kept vectors, queries are encoded anew. Ordinary "
            "queries are MS MARCO's; those that exclude are ExcluIR's.",
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


def _policies(bench: Workbench, index: PassageIndex) -> dict[str, Timings]:
    ordinary, excluding = _queries()
    asked: dict[str, _Asked] = {name: (name, ordinary) for name in POLICIES if name not in _LEXICAL}
    for name in _EXCLUDING:
        asked[f"{name}, queries that exclude"] = (name, excluding)
    one_request = CoderUnionPolicy(keep=1.0, one_request=True)
    asked[_ONE_REQUEST] = (one_request, ordinary[:SLOW_QUERIES])
    return _timed(bench, index, asked)


def _with_words(bench: Workbench, index: PassageIndex) -> dict[str, Timings]:
    ordinary, excluding = _queries()
    asked: dict[str, _Asked] = {name: (name, ordinary) for name in _LEXICAL}
    asked[_WITH_WORDS] = ("auto", excluding)
    return _timed(bench, index, asked)


def _queries() -> tuple[list[str], list[str]]:
    """Ordinary ones, and some that exclude."""
    ordinary, excluding = (
        [query.text for query in load_dataset(name).queries[:QUERIES]]
        for name in ("msmarco_small", "excluir")
    )
    return ordinary, excluding


def _timed(
    bench: Workbench, index: PassageIndex, asked: Mapping[str, _Asked]
) -> dict[str, Timings]:
    watch = Stopwatch(index)
    found = {}
    for label, (policy, queries) in asked.items():
        bench.say(f"latency: {label}")
        found[label] = timed_searches(Engine(index, policy), watch, queries)
    return found


def _reranked(folder: Path, index: PassageIndex) -> Timings:
    """Plain search, and the cross-encoder over what it finds; no score is kept from before."""
    engine, found = Engine(index, "topical"), Timings()
    queries = [query.text for query in load_dataset("excluir").queries[:SLOW_QUERIES]]
    with tempfile.TemporaryDirectory() as scores:
        judge = CrossEncoder(folder, Path(scores) / "pairs.sqlite")
        judge.probabilities([("warm", "up")])
        for query in queries:
            cpu, begun = time.process_time(), time.perf_counter()
            hits = engine.search(query, RERANKED)
            judge.probabilities([(query, hit.passage.text) for hit in hits])
            found.total.append(time.perf_counter() - begun)
            found.cpu.append(time.process_time() - cpu)
    return found


def _latency_table(timings: Mapping[str, Timings]) -> Table:
    rows = [
        Row(cells=(label, len(found.total), *_percentiles(found.total), *_parts(found)))
        for label, found in timings.items()
    ]
    if _RERANKER not in timings:
        rows.append(_absent(9))
    parts = [f"{part} {p}" for part in _PARTS for p in ("p50", "p95")]
    return Table(
        name="latency",
        title=f"Milliseconds a query over {POINTS:,} passages",
        columns=("policy", "queries", "p50", "p95", *parts),
        rows=tuple(rows),
        notes=(
            "Own: what is left of the whole, the parser and the policy with its evidence.",
            f"Embedded mode walks every point in Python for: {', '.join(_IN_PYTHON)}. These are "
            "meant for a server, or for collections of a few thousand passages.",
        ),
    )


def _absent(cells: int) -> Row:
    blank = (None,) * cells
    note = f"no model in the role cross-encoder: {ROLES['cross-encoder']}"
    return Row(cells=(_RERANKER, *blank), origin="absent", note=note)


def _percentiles(seconds: Sequence[float]) -> tuple[Measured, Measured]:
    p50, p95 = np.percentile(1000 * np.asarray(seconds), [50, 95])
    return Measured(value=float(p50), unit="ms"), Measured(value=float(p95), unit="ms")


def _parts(found: Timings) -> Iterator[Measured | None]:
    for seconds in _PARTS.values():
        yield from _percentiles(seconds(found)) if found.encoder else (None, None)


def _cost_table(bench: Workbench, timings: Mapping[str, Timings]) -> Table:
    thousandths = 1000 * bench.core_hour / 3600
    rows = [
        Row(cells=(label, _mean(found.cpu, 1000, "s"), _mean(found.cpu, 1000 * thousandths)))
        for label, found in timings.items()
    ]
    if _RERANKER not in timings:
        rows.append(_absent(2))
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
        rows=tuple(Row(cells=(when, _mib(found))) for when, found in memory.items()),
        notes=("A process of its own, which does nothing else.",),
    )


def _parts_figure(timings: Mapping[str, Timings]) -> Figure:
    shown = {
        label: found
        for label, found in timings.items()
        if found.encoder and label not in _IN_PYTHON
    }
    return Figure(
        name="latency-parts",
        title="Where the time of a query goes",
        caption=(
            "Mean milliseconds of a query in the encoder, in Qdrant and in the rest. A query that "
            "excludes has three to five texts to encode; without a constraint auto costs what "
            "topical does, and the parser. Without what embedded mode does in Python."
        ),
        plot=Bars(
            y_label="ms a query",
            labels=tuple(shown),
            systems={
                part: tuple(_mean(seconds(found), 1000, "ms") for found in shown.values())
                for part, seconds in _PARTS.items()
            },
        ),
    )


def _mean(seconds: Sequence[float], factor: float, unit: str = "") -> Measured:
    (found,) = bootstrap(factor * np.asarray(seconds))
    return Measured(value=found.mean, low=found.low, high=found.high, unit=unit)


def _mib(memory: float) -> Measured | None:
    return None if math.isnan(memory) else Measured(value=memory, unit="MiB")
