"""Latency of each policy at 1k and 10k points, where the time goes, ingestion rate and memory.

python -m benchmarks.latency [--sizes 1000 10000] [--queries 200]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

from benchmarks.report import percentiles, publish, resident_mib
from logic_retrievers import Engine, OnnxEncoder, Passage, PassageIndex, UnionPolicy
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.procedures import Effect, Work


class Stopwatch:
    """Counts the seconds that effects take: encoding apart from calls of Qdrant."""

    def __init__(self, connection: Any) -> None:
        self.encoder = self.qdrant = 0.0
        self._perform = connection.perform
        connection.perform = self.perform

    def perform(self, effect: Effect) -> Any:
        """Carries out the effect and notes the time."""
        begun = time.perf_counter()
        try:
            return self._perform(effect)
        finally:
            seconds = time.perf_counter() - begun
            if isinstance(effect, Work):
                self.encoder += seconds
            else:
                self.qdrant += seconds


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
    queries = [query.text for query in load_dataset("msmarco_small").queries[: options.queries]]
    policies = {
        "topical": "topical",
        "sequential": "sequential",
        "union": "union",
        "union, one request": UnionPolicy(keep=1.0, one_request=True),
    }
    latency, ingestion = [], []
    encoder = OnnxEncoder()
    encoder.encode_queries(["warm up"])
    for size in options.sizes:
        stored = passages(size)
        with (
            tempfile.TemporaryDirectory() as folder,
            PassageIndex.open("films", encoder, location=folder) as index,
        ):
            watch = Stopwatch(index.connection)
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
                latency.append({"points": size, "policy": name, **measure(index, policy, queries)})
    publish("latency", latency)
    publish("ingestion", ingestion)


def measure(index: PassageIndex, policy: Any, queries: list[str]) -> dict[str, float]:
    """Percentiles of whole searches, one query at a time, and of their parts."""
    watch = Stopwatch(index.connection)
    engine = Engine(index, policy)
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
