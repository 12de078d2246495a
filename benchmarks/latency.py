"""Latency of each policy at 1k and 10k points, where the time goes, ingestion rate and memory.

python -m benchmarks.latency [--sizes 1000 10000] [--queries 200]
"""

from __future__ import annotations

import argparse
import tempfile
import time

from benchmarks.report import percentiles, publish
from logic_retrievers import CoderUnionPolicy, Engine, OnnxEncoder, PassageIndex
from logic_retrievers.answering import AnyPolicy
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.report.memory import resident_mib
from logic_retrievers.report.timing import (
    Stopwatch,
    film_passages,
    timed_searches,
)

EXCLUDING = "auto, queries that exclude"


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
        stored = film_passages(size)
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
    found = timed_searches(engine, watch, queries)
    return {
        **percentiles(found.total),
        **percentiles(found.encoder, "encoder "),
        **percentiles(found.qdrant, "Qdrant "),
        **percentiles(found.own, "own "),
    }


if __name__ == "__main__":
    main()
