"""Ingestion into an embedded index: passages per second, time by parts, and memory.

python -m benchmarks.ingestion [--sizes 1000 10000]

Latency of the policies is the report's: ``python -m benchmarks report OUT --study latency``.
"""

from __future__ import annotations

import argparse
import tempfile
import time

from benchmarks.common.memory import resident_mib
from benchmarks.common.output import publish
from benchmarks.common.timing import Stopwatch, film_passages
from logic_retrievers import OnnxEncoder, PassageIndex


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    publish("ingestion", [measure(size) for size in parser.parse_args().sizes])


def measure(size: int) -> dict[str, float]:
    """Figures of storing ``size`` films, and of storing them again unchanged."""
    passages = film_passages(size)
    with (
        tempfile.TemporaryDirectory() as folder,
        PassageIndex.open("films", OnnxEncoder(), location=folder) as index,
    ):
        index.encoder.encode_queries(["warm up"], index.vectors)
        watch = Stopwatch(index)
        memory, begun = resident_mib(), time.perf_counter()
        index.add(passages)
        seconds = time.perf_counter() - begun
        encoder, qdrant = watch.encoder, watch.qdrant
        begun = time.perf_counter()
        index.add(passages)
        again = time.perf_counter() - begun
        return {
            "points": len(passages),
            "passages/s": round(len(passages) / seconds, 1),
            "encoder share": round(encoder / seconds, 3),
            "Qdrant share": round(qdrant / seconds, 3),
            "memory before MiB": memory,
            "memory after MiB": resident_mib(),
            "again, unchanged: passages/s": round(len(passages) / again, 1),
        }


if __name__ == "__main__":
    main()
