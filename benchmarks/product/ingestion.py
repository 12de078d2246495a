"""Measure embedded ingestion: films through the library, SciFact through the command line.

python -m benchmarks.product.ingestion [--sizes 1000 10000] [--abstracts 5183]

Measures passages per second, the encoder's share of the time, and memory. The command `index` runs
twice; the second run has nothing left to do. Processor seconds are measured too, because other work
disturbs them less.
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

from benchmarks.common.output import publish, resident_mib
from benchmarks.common.timing import TimedEncoder, film_passages
from logic_retrievers import OnnxEncoder, PassageIndex
from logic_retrievers.cli.app import app
from logic_retrievers.evaluation import data_folder


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
    """Measure storing ``size`` films, and storing the same films again."""
    passages, encoder = film_passages(size), TimedEncoder(OnnxEncoder())
    with (
        tempfile.TemporaryDirectory() as folder,
        PassageIndex.open("films", encoder, location=folder) as index,
    ):
        encoder.encode_queries(["warm up"], ["topical", "compatibility"])
        encoder.seconds = 0.0
        memory, begun = resident_mib(), time.perf_counter()
        index.add(passages)
        seconds, encoding = time.perf_counter() - begun, encoder.seconds
        begun = time.perf_counter()
        index.add(passages)
        again = time.perf_counter() - begun
        return {
            "points": len(passages),
            "passages/s": round(len(passages) / seconds, 1),
            "encoder share": round(encoding / seconds, 3),
            "memory before MiB": memory,
            "memory after MiB": resident_mib(),
            "again, unchanged: passages/s": round(len(passages) / again, 1),
        }


def measure_commands(abstracts: int) -> list[dict[str, Any]]:
    """Measure `logic-retrievers index` over the first abstracts of SciFact, run twice."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus = folder / "scifact.jsonl"
        with gzip.open(data_folder() / "scifact" / "corpus.jsonl.gz") as lines:
            corpus.write_bytes(b"".join(islice(lines, abstracts)))
        rows = []
        for label in ("index", "index, nothing left to do"):
            code = "import sys; from benchmarks.product.ingestion import index; index(sys.argv[1:])"
            command = [sys.executable, "-c", code, str(corpus), str(folder / "index")]
            begun = time.perf_counter()
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            seconds = round(time.perf_counter() - begun, 1)
            figures = json.loads(done.stdout.splitlines()[-1])
            rows.append({"command": label, "seconds": seconds, **figures})
        return rows


def index(arguments: list[str]) -> None:
    """Run `index` in the child process, then print its processor time and memory."""
    path, location = arguments
    app(["index", path, "-l", location], standalone_mode=False)
    row = {"processor s": round(time.process_time(), 1), "memory MiB": resident_mib()}
    sys.stdout.write("\n" + json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
