"""kill -9 at random moments of an embedded ingestion, or of building the HNSW index.

After each, all that was acknowledged must be there once, and the same call must complete the rest.

python -m benchmarks.ingestion_crash [--moments 100] [--optimizations 20] [--seed 0]

Vectors are made at random, so that the moments fall into storing and not into encoding.
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
from pathlib import Path
from typing import Any

from benchmarks.common.made_vectors import RandomEncoder
from benchmarks.common.output import publish
from benchmarks.embedded_growth import passages
from logic_retrievers import Engine, PassageIndex

PASSAGES = 4_000
BATCH = 64


def ingest(folder: str) -> None:
    """Work of the child process until it is killed; prints what is acknowledged."""
    with open_index(folder) as index:
        print(0, flush=True)
        index.add(
            passages(PASSAGES),
            batch_size=BATCH,
            progress=lambda progress: print(progress.done, flush=True),
        )


def optimize(folder: str) -> None:
    """Work of the other child process."""
    with open_index(folder) as index:
        print(PASSAGES, flush=True)
        index.optimize()


def open_index(folder: str) -> PassageIndex:
    """The collection in a folder."""
    return PassageIndex.open("crash", RandomEncoder(), location=folder, lexical=True)


def main() -> None:
    """Kill, run again, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--optimizations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows = [
        trials("ingestion", ingest.__name__, options.moments, rng),
        trials("HNSW", optimize.__name__, options.optimizations, rng),
    ]
    publish("crash", rows, passages=PASSAGES)
    if any(row["lost"] or row["twice"] or row["not completed"] for row in rows):
        sys.exit(1)


def trials(label: str, work: str, moments: int, rng: random.Random) -> dict[str, Any]:
    """Totals over all moments."""
    totals: Counter[str] = Counter()
    for number in range(moments + 1):
        with tempfile.TemporaryDirectory() as folder:
            if work == optimize.__name__:
                ingest_quietly(folder)
            if number == 0:
                _, whole = run(work, folder, None)
                continue
            moment = rng.uniform(0.0, 1.0) * whole
            acknowledged, seconds = run(work, folder, moment)
            totals["killed"] += seconds < whole
            totals.update(check(folder, acknowledged))
    keys = ("killed", "lost", "twice", "not completed", "leftovers")
    return {"work": label, "moments": moments, **{key: totals[key] for key in keys}}


def ingest_quietly(folder: str) -> None:
    """Stores all passages."""
    with open_index(folder) as index:
        index.add(passages(PASSAGES))


def run(work: str, folder: str, kill_after: float | None) -> tuple[int, float]:
    """Runs a child process, killed after some seconds.

    Returns:
        Passages that it acknowledged, and the time that it took.
    """
    code = f"from benchmarks.ingestion_crash import {work}; {work}({folder!r})"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    lines = [child.stdout.readline()]
    begun = time.perf_counter()
    try:
        child.wait(timeout=kill_after)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
    seconds = time.perf_counter() - begun
    lines += [line for line in child.stdout if line.endswith("\n")]
    return int(lines[-1]), seconds


def check(folder: str, acknowledged: int) -> dict[str, int]:
    """What is wrong after the crash, and after running again."""
    expected = [passage.id for passage in passages(PASSAGES)]
    with open_index(folder) as index:
        survived = Counter(passage.id for passage in index.scroll())
        index.add(passages(PASSAGES))
        index.optimize()
        complete = Counter(passage.id for passage in index.scroll())
        hits = Engine(index, "topical").search("a hotel near the w3", 5)
        shards = list((Path(folder) / "crash").glob("shard-*"))
    return {
        "lost": len(set(expected[:acknowledged]) - survived.keys()),
        "twice": sum(count > 1 for count in (*survived.values(), *complete.values())),
        "not completed": int(complete != Counter(expected) or len(hits) != 5),
        "leftovers": len(shards) - 1,
    }


if __name__ == "__main__":
    main()
