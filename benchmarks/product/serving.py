"""Measure served searches with a judge: one caller at a time, and many at once.

python -m benchmarks.product.serving [--points 1000] [--callers 20] [--seconds 60]

``logic-retrievers serve`` runs over films in an embedded collection, as a process. Each caller
sends an excluding query (of ExcluIR), waits for the answer and sends the next.
"Least of a caller" is the number of answers that the slowest caller got, divided by the mean.
"Processor" is the service's own, of all cores; other programs hardly change it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.common.output import cached_encoder, percentiles, publish
from benchmarks.common.timing import film_passages
from logic_retrievers import PassageIndex
from logic_retrievers.evaluation import load_dataset

WARM_UP = 16


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--callers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    queries = cycle(query.text for query in load_dataset("excluir").queries)
    with tempfile.TemporaryDirectory() as folder:
        with PassageIndex.open(encoder=cached_encoder(), location=folder) as index:
            index.add(film_passages(options.points))
        with serving(folder) as port:
            for query in [next(queries) for _ in range(WARM_UP)]:
                search(HTTPConnection("127.0.0.1", port), query)
            rows = [measure(port, queries, n, options.seconds) for n in (1, options.callers)]
    alone, together = rows
    publish(
        "serving",
        rows,
        throughput=round(together["queries a second"] / alone["queries a second"], 3),
        p95=round(together["p95 ms"] / alone["p95 ms"], 1),
    )


@contextmanager
def serving(folder: str) -> Iterator[int]:
    """Serve the collection in a folder by the command; yield the port."""
    main = "from logic_retrievers.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "serve", "--location", folder, "--port", "0"],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    with process:
        try:
            found = (re.search(r"http://\S+:(\d+)", line) for line in process.stderr)
            yield int(next(match[1] for match in found if match))
        finally:
            process.terminate()


def measure(port: int, queries: Iterator[str], callers: int, seconds: float) -> dict[str, Any]:
    """Let callers search until the time is over."""
    end = time.perf_counter() + seconds

    judged = list[bool]()

    def call(_: int) -> list[float]:
        connection, took = HTTPConnection("127.0.0.1", port, timeout=300), list[float]()
        while (begun := time.perf_counter()) < end:
            judged.append(search(connection, next(queries)))
            took.append(time.perf_counter() - begun)
        return took

    begun, before = time.perf_counter(), processor_seconds(port)
    with ThreadPoolExecutor(callers) as pool:
        per_caller = list(pool.map(call, range(callers)))
    elapsed, busy = time.perf_counter() - begun, processor_seconds(port) - before
    took = [one for each in per_caller for one in each]
    return {
        "callers": callers,
        "queries": len(took),
        "judged": round(sum(judged) / len(took), 2),
        "queries a second": round(len(took) / elapsed, 2),
        "processor ms a query": round(1000 * busy / len(took)),
        "cores busy": round(busy / elapsed, 2),
        **percentiles(took),
        "slowest, ms": round(1000 * max(took)),
        "least of a caller": round(min(map(len, per_caller)) * callers / len(took), 2),
    }


def processor_seconds(port: int) -> float:
    """Return the processor time that the service has taken."""
    connection = HTTPConnection("127.0.0.1", port, timeout=300)
    connection.request("GET", "/metrics")
    metrics = connection.getresponse().read().decode()
    return float(re.findall(r"^process_cpu_seconds_total (\S+)", metrics, re.MULTILINE)[0])


def search(connection: HTTPConnection, query: str) -> bool:
    """Search; return whether the judge has read passages, which it does if the gate is open."""
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/search", json.dumps({"query": query, "explain": True}), headers)
    response = connection.getresponse()
    answer = response.read()
    if response.status != 200:
        raise SystemExit(f"{response.status}: {answer[:500]!r}")
    return b'"judge"' in answer


if __name__ == "__main__":
    main()
