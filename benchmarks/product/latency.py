"""Measure the latency of every policy except ``judge`` over one collection.

python -m benchmarks.product.latency [--points 10000] [--queries 60]

One query at a time searches film texts of about 130 tokens in an embedded index with words, k = 10.
Document vectors are cached; queries are encoded each time. Ordinary queries come from MS MARCO,
excluding queries from ExcluIR. "Rest" is the time outside the encoder: engine, parser, policy,
judge, evidence.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.common.output import cached_encoder, percentiles, publish, resident_mib
from benchmarks.common.timing import TimedEncoder, film_passages
from logic_retrievers import Engine, PassageIndex
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.policies import POLICIES

K = 10
# Policies that do more work for a query with an exclusion.
EXCLUDING = ("auto", "boolean")


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    ordinary, excluding = (
        [query.text for query in load_dataset(name).queries[: options.queries]]
        for name in ("msmarco_small", "excluir")
    )
    searches = {name: (name, ordinary) for name in POLICIES if name != "judge"}
    searches |= {f"{name}, queries that exclude": (name, excluding) for name in EXCLUDING}
    encoder = TimedEncoder(default_encoder(), cached_encoder())
    with PassageIndex.open("latency", encoder) as index:
        index.add(film_passages(options.points))
        rows = [
            {"policy": label, **measure(Engine(index, policy), encoder, queries)}
            for label, (policy, queries) in searches.items()
        ]
        publish("latency", rows, points=options.points, memory_mib=resident_mib())


def measure(engine: Engine, encoder: TimedEncoder, queries: list[str]) -> dict[str, Any]:
    """Time a search for each query, after a warm-up search."""
    engine.search("warm up", K)
    totals, encoding, processor = [], [], []
    for query in queries:
        encoder.seconds = 0.0
        cpu, begun = time.process_time(), time.perf_counter()
        engine.search(query, K)
        totals.append(time.perf_counter() - begun)
        processor.append(time.process_time() - cpu)
        encoding.append(encoder.seconds)
    rest = [total - part for total, part in zip(totals, encoding, strict=True)]
    return {
        "queries": len(queries),
        **percentiles(totals),
        **percentiles(encoding, "encoder "),
        **percentiles(rest, "rest "),
        # Also counts threads that spin while they wait.
        "processor ms a query": round(1000 * float(np.mean(processor)), 2),
    }


if __name__ == "__main__":
    main()
