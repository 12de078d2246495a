"""kill -9 during ingestion at ten random moments; then every passage must be stored once.

python -m benchmarks.ingestion_crash [--moments 10] [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter

from benchmarks.common.output import publish
from benchmarks.common.timing import film_passages
from logic_retrievers import OnnxEncoder, PassageIndex

PASSAGES = 600


def ingest(folder: str) -> None:
    """Work of the child process until it is killed."""
    with PassageIndex.open("films", OnnxEncoder(), location=folder) as index:
        print("begun", flush=True)
        index.add(film_passages(PASSAGES), batch_size=16)


def main() -> None:
    """Kill, run again, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = run(folder, None)
    rows = []
    for _ in range(options.moments):
        with tempfile.TemporaryDirectory() as folder:
            moment = rng.uniform(0.02, 0.95) * whole
            run(folder, moment)
            rows.append({"killed after s": round(moment, 2), **check(folder)})
    publish("crash", rows, passages=PASSAGES)
    if any(row["missing"] or row["twice"] for row in rows):
        sys.exit(1)


def run(folder: str, kill_after: float | None) -> float:
    """Ingests in a child process, killed after some seconds; returns the time it took."""
    command = [
        sys.executable,
        "-c",
        f"from benchmarks.ingestion_crash import ingest; ingest({folder!r})",
    ]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    begun = time.perf_counter()
    try:
        child.wait(timeout=kill_after)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
    return time.perf_counter() - begun


def check(folder: str) -> dict[str, int]:
    """Passages after the crash, and after running again."""
    expected = film_passages(PASSAGES)
    with PassageIndex.open("films", OnnxEncoder(), location=folder) as index:
        survived = index.count()
        report = index.add(expected)
        id_counts = Counter(passage.id for passage in index.scroll())
    return {
        "survived": survived,
        "added again": report.added,
        "unchanged": report.unchanged,
        "there in the end": sum(id_counts.values()),
        "missing": len({passage.id for passage in expected} - set(id_counts)),
        "twice": sum(count > 1 for count in id_counts.values()),
    }


if __name__ == "__main__":
    main()
