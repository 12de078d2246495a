"""A reindexing beside readers and a writer, and one that is killed again and again.

python -m benchmarks.reindexing [--passages 10000] [--moments 20] [--location URL] [--seed 0]

Eight threads search by the alias without a pause while another one adds, changes and deletes; the
alias is switched under them. An error, a short list, and a passage that is lost or brought back are
counted. Without --location the server is the wire double. The killed one is of a folder; it goes on
after each `kill -9`, and at the end both collections are compared. Vectors are made at random.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.common.made_vectors import RandomEncoder
from benchmarks.common.output import publish
from benchmarks.embedded_growth import passages
from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.errors import LogicRetrieversError

READERS = 8
K = 5


def main() -> None:
    """Both trials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--moments", type=int, default=20)
    parser.add_argument("--location")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with ExitStack() as stack:
        location = options.location or stack.enter_context(wire_double())
        under_load = beside_others(location, options.passages, rng)
    publish("reindexing_load", [under_load])
    crashed = killed(options.passages, options.moments, rng)
    publish("reindexing_crash", [crashed])
    if any(row[key] for row in (under_load, crashed) for key in ("errors", "lost", "wrong")):
        sys.exit(1)


@contextmanager
def wire_double() -> Iterator[str]:
    """The address of the tests' server."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from fault_injection import WireDouble  # type: ignore[import-not-found]

    with WireDouble() as double:
        yield double.url


def beside_others(location: str, count: int, rng: random.Random) -> dict[str, Any]:
    """A reindexing under readers and a writer."""
    encoder = RandomEncoder()
    found: Counter[str] = Counter()
    written = {passage.id: passage.text for passage in passages(count)}
    stop = threading.Event()
    with PassageIndex.open("bench-reindex-1", encoder, location=location) as first:
        first.add(passages(count))
        first.reindex("bench-reindex-2", alias="bench-reindex")

    def guarded(work: Any) -> Any:
        def loop() -> None:
            with PassageIndex.open("bench-reindex", RandomEncoder(), location=location) as index:
                while not stop.is_set():
                    try:
                        work(index)
                    except LogicRetrieversError as error:
                        found["errors"] += 1
                        print(type(error).__name__, error, file=sys.stderr)

        return threading.Thread(target=loop)

    def read(index: PassageIndex) -> None:
        hits = Engine(index, "topical").search(f"w{time.monotonic_ns() % 999} w3", K)
        found["searches"] += 1
        found["short lists"] += len(hits) < K

    def write(index: PassageIndex) -> None:
        number = found["writes"] = found["writes"] + 1
        new = Passage(f"new{number}", f"w{number} written meanwhile")
        changed = Passage(f"p{rng.randrange(count)}", f"w{number} changed meanwhile")
        gone = rng.choice(list(written))
        index.add([new, changed])
        written.update({new.id: new.text, changed.id: changed.text})
        if gone not in {new.id, changed.id}:
            index.delete(ids=[gone])
            written.pop(gone, None)

    threads = [*(guarded(read) for _ in range(READERS)), guarded(write)]
    for thread in threads:
        thread.start()
    with PassageIndex.open("bench-reindex", encoder, location=location) as index:
        report = index.reindex("bench-reindex-3", alias="bench-reindex", lexical="german")
        time.sleep(1.0)
        stop.set()
        for thread in threads:
            thread.join()
        stored = {passage.id: passage.text for passage in index.scroll()}
        client: Any = index.client
        for number in (1, 2, 3):
            client.delete_collection(f"bench-reindex-{number}")
    return {
        "passages": count,
        "seconds": round(report.seconds, 1),
        "searches": found["searches"],
        "writes": found["writes"],
        "errors": found["errors"] + found["short lists"],
        "lost": len(written.keys() - stored.keys()),
        "wrong": sum(written.get(name) != text for name, text in stored.items()),
    }


def killed(count: int, moments: int, rng: random.Random) -> dict[str, Any]:
    """Kills at random moments of what the whole would take, and then once to the end."""
    with tempfile.TemporaryDirectory() as folder:
        with PassageIndex.open("first", RandomEncoder(), location=folder) as index:
            index.add(passages(count))
        code = f"from benchmarks.reindexing import work; work({folder!r})"
        kills, written = 0, []
        for _ in range(moments):
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
            assert child.stdout is not None
            child.stdout.readline()
            try:
                child.wait(rng.uniform(0.0, count / 25_000))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.wait()
                kills += 1
        with PassageIndex.open("first", RandomEncoder(), location=folder) as index:
            written.append(index.reindex("second").written)
            expected = {passage.id: passage for passage in index.scroll()}
            with PassageIndex.open("second", RandomEncoder(), client=index.client) as second:
                stored = Counter(passage.id for passage in second.scroll())
                same = {passage.id: passage for passage in second.scroll()} == expected
    return {
        "passages": count,
        "moments": moments,
        "killed": kills,
        "written by the last call": written[-1],
        "errors": 0,
        "lost": len(expected.keys() - stored.keys()),
        "wrong": int(not same) + sum(number > 1 for number in stored.values()),
    }


def work(folder: str) -> None:
    """What the child process does until it is killed."""
    with PassageIndex.open("first", RandomEncoder(), location=folder) as index:
        print("begun", flush=True)
        index.reindex("second")


if __name__ == "__main__":
    main()
