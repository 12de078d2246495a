"""Memory and time while a large text file is read, split and indexed.

python -m benchmarks.reading_memory [--megabytes 50 200] [--index]

The file is made of film descriptions in random order, each with a number of its own. Each size is
measured in a process of its own, where the shipped encoder is loaded: its tokenizer splits. With
``--index`` the chunks are stored in an embedded index too, under made vectors (a hash's time).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.common.made_vectors import RandomEncoder
from benchmarks.common.memory import anonymous_mib, resident_mib
from benchmarks.common.output import publish
from benchmarks.common.timing import film_passages
from logic_retrievers import PassageIndex, Splitter, read_documents
from logic_retrievers.encoders import default_encoder

FILMS = 20_000
SECONDS_BETWEEN_SAMPLES = 0.05


def main() -> None:
    """Measure and publish, or measure one file in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--index", action="store_true")
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.file:
        sys.stdout.write(json.dumps(measure(arguments.file, arguments.index)))
        return
    rows = []
    for megabytes in arguments.megabytes:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "films.txt")
            write_text(file, megabytes)
            command = [sys.executable, "-m", __spec__.name, "--file", str(file)]
            if arguments.index:
                command.append("--index")
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            rows.append({"MB": megabytes, **json.loads(done.stdout)})
    publish("reading_memory", rows)


def write_text(file: Path, megabytes: int) -> None:
    """A file of film descriptions."""
    films = [film.text for film in film_passages(FILMS)]
    choose = random.Random(0)
    with file.open("w", encoding="utf-8") as stream:
        number = size = 0
        while size < megabytes * 1_000_000:
            number += 1
            size += stream.write(f"Number {number}. {choose.choice(films)}\n\n")


def measure(file: Path, indexed: bool) -> dict[str, Any]:
    """Figures of one file."""
    encoder = default_encoder()
    splitter = Splitter.for_encoder(encoder)
    list(splitter.split(film_passages(5)))
    base, begun, cpu = resident_mib(), time.perf_counter(), time.process_time()
    documents = read_documents(file)
    with peaks() as highest:
        chunks = splitter.split(documents)
        if indexed:
            with (
                tempfile.TemporaryDirectory() as folder,
                PassageIndex.open("films", RandomEncoder(), location=folder) as index,
            ):
                count = index.add(chunks).added
        else:
            count = sum(1 for _ in chunks)
    return {
        "chunks": count,
        "s": round(time.perf_counter() - begun, 1),
        "CPU s": round(time.process_time() - cpu, 1),
        "resident before MiB": base,
        "resident peak MiB": highest["resident"],
        "RssAnon peak MiB": highest["anonymous"],
    }


@contextmanager
def peaks() -> Iterator[dict[str, float]]:
    """The highest memory of this process while the block runs."""
    highest = {"resident": 0.0, "anonymous": 0.0}
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN_SAMPLES):
            highest["resident"] = max(highest["resident"], resident_mib())
            highest["anonymous"] = max(highest["anonymous"], anonymous_mib())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield highest
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    main()
