"""Latency of each policy at 1k and 10k points, where the time goes, ingestion rate and memory.

python -m benchmarks.latency [--sizes 1000 10000] [--queries 200]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

from benchmarks.report import percentiles, publish, resident_mib
from logic_retrievers import CoderUnionPolicy, Engine, OnnxEncoder, Passage, PassageIndex
from logic_retrievers.answering import AnyPolicy
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.procedures import Effect

EXCLUDING = "auto, queries that exclude"


class Stopwatch:
    """Counts the seconds of encoding, and those of all other effects: reading from Qdrant."""

    def __init__(self, index: PassageIndex) -> None:
        self.encoder = self.qdrant = 0.0
        self._perform = index.connection.perform
        index.connection.perform = self.perform  # type: ignore[method-assign]
        for side in ("encode_queries", "encode_documents"):
            setattr(index.encoder, side, self._timed(getattr(index.encoder, side)))

    def perform(self, effect: Effect) -> Any:
        """Carries out the effect and notes the time that was not the encoder's."""
        begun, encoder = time.perf_counter(), self.encoder
        try:
            return self._perform(effect)
        finally:
            self.qdrant += time.perf_counter() - begun - (self.encoder - encoder)

    def _timed(self, encode: Any) -> Any:
        def timed(*arguments: Any) -> Any:
            begun = time.perf_counter()
            try:
                return encode(*arguments)
            finally:
                self.encoder += time.perf_counter() - begun

        return timed


def passages(count: int) -> list[Passage]:
    """The first films of the shared data, cut to 600 characters: about 130 tokens."""
    rows = json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz")
    return [Passage(row.id(), row.text("text")[:600]) for row, _ in zip(rows, range(count))]  # noqa: B905


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    ordinary = [query.text for query in load_dataset("msmarco_small").queries[: options.queries]]
    excluding = [query.text for query in load_dataset("excluir").queries[: options.queries]]
    policies: dict[str, AnyPolicy] = {
        "topical": "topical",
        "sequential": "sequential",
        "union": "union",
        "union, one request": CoderUnionPolicy(keep=1.0, one_request=True),
        "auto": "auto",
        EXCLUDING: "auto",
    }
    latency, ingestion = [], []
    for size in options.sizes:
        stored = passages(size)
        with (
            tempfile.TemporaryDirectory() as folder,
            PassageIndex.open("films", OnnxEncoder(), location=folder) as index,
        ):
            index.encoder.encode_queries(["warm up"], index.vectors)
            watch = Stopwatch(index)
            before, begun = resident_mib(), time.perf_counter()
            index.add(stored)
            seconds = time.perf_counter() - begun
            ingestion.append(
                {
                    "points": len(stored),
                    "passages/s": round(len(stored) / seconds, 1),
                    "encoder share": round(watch.encoder / seconds, 3),
                    "Qdrant share": round(watch.qdrant / seconds, 3),
                    "memory before MiB": before,
                    "memory after MiB": resident_mib(),
                }
            )
            begun = time.perf_counter()
            index.add(stored)
            ingestion[-1]["again, unchanged: passages/s"] = round(
                len(stored) / (time.perf_counter() - begun), 1
            )
            for name, policy in policies.items():
                queries = excluding if name == EXCLUDING else ordinary
                figures = measure(Engine(index, policy), watch, queries)
                latency.append({"points": size, "policy": name, **figures})
    publish("latency", latency)
    publish("ingestion", ingestion)


def measure(engine: Engine, watch: Stopwatch, queries: list[str]) -> dict[str, float]:
    """Percentiles of whole searches, one query at a time, and of their parts."""
    engine.search("warm up", 10)
    total, encoder, qdrant, own = [], [], [], []
    for query in queries:
        watch.encoder = watch.qdrant = 0.0
        begun = time.perf_counter()
        engine.search(query, 10)
        seconds = time.perf_counter() - begun
        total.append(seconds)
        encoder.append(watch.encoder)
        qdrant.append(watch.qdrant)
        own.append(seconds - watch.encoder - watch.qdrant)
    return {
        **percentiles(total),
        **percentiles(encoder, "encoder "),
        **percentiles(qdrant, "Qdrant "),
        **percentiles(own, "own "),
    }


if __name__ == "__main__":
    main()
