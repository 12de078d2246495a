"""Ingestion into an embedded index: films through the library, SciFact through the command line.

python -m benchmarks.ingestion [--sizes 1000 10000] [--abstracts 5183]

Passages per second, time by parts and memory. Of the command also the seconds until something is
stored, from the start of its process, and processor seconds, which other work on the machine
disturbs less: `index`, and `index` with nothing left to do.

Latency of the policies is the report's: ``python -m benchmarks report OUT --study latency``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.common.memory import resident_mib
from benchmarks.common.output import publish
from benchmarks.common.timing import Stopwatch, film_passages
from logic_retrievers import OnnxEncoder, PassageIndex
from logic_retrievers.cli.app import app
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.index.edge import EdgeClient


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument("--abstracts", type=int, default=5_183)
    options = parser.parse_args()
    if options.sizes:
        publish("ingestion", [measure(size) for size in options.sizes])
    publish("index-command", measure_commands(options.abstracts), abstracts=options.abstracts)


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


def measure_commands(abstracts: int) -> list[dict[str, Any]]:
    """Figures of `logic-retrievers index` over the first abstracts of SciFact."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = folder / "scifact.jsonl"
        with gzip.open(data_folder() / "scifact" / "corpus.jsonl.gz") as lines:
            corpus.write_bytes(b"".join(islice(lines, abstracts)))
        return [_run_process(str(corpus), str(folder / "index")) for _ in range(2)]


def _run_process(*arguments: str) -> dict[str, Any]:
    code = "import sys; from benchmarks.ingestion import index; index(sys.argv[1:])"
    command = [sys.executable, "-c", code, str(time.time()), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def index(arguments: list[str]) -> None:
    """Work of the child process: time of its start, file, location and options of `index`."""
    begun, path, location, *options = arguments
    stored: list[tuple[float, float]] = []
    passages = 0
    for name in ("upsert", "update_vectors"):
        write = getattr(EdgeClient, name)

        def timed(*args: Any, write: Any = write, **kwargs: Any) -> None:
            nonlocal passages
            write(*args, **kwargs)
            stored.append((time.time() - float(begun), time.process_time()))
            passages += len(kwargs["points"])

        setattr(EdgeClient, name, timed)
    app(["index", path, "-l", location, *options], standalone_mode=False)
    seconds, processor = time.time() - float(begun), time.process_time()
    row = {
        "command": " ".join(("index", *options)),
        "passages written": passages,
        "first stored s": round(stored[0][0], 1) if stored else "-",
        "processor s until then": round(stored[0][1], 1) if stored else "-",
        "seconds": round(seconds, 1),
        "processor s": round(processor, 1),
        "passages/s": round(passages / seconds, 1),
        "memory MiB": resident_mib(),
    }
    sys.stdout.write("\n" + json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
