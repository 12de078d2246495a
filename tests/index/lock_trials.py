"""Trials of several processes over one folder: ``python tests/index/lock_trials.py 200 [SEED]``.

Two to four processes open a collection, add, delete, read, close, and are killed, in random order.
Each process logs its acknowledged operations. The script prints failures and ``N trials, ...``.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from suites import HashedEncoder

from logic_retrievers.errors import CollectionLockedError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import EdgeClient  # noqa: F401 - once, not in each process
from logic_retrievers.types import Passage

# number of times that a process opens the collection
ROUNDS = 8


class Trial:
    """The index of a trial, and one journal file per process of acknowledged operations."""

    def __init__(self, folder: Path) -> None:
        self.place, self.journal = folder / "index", folder / "journal"
        self.journal.mkdir()

    def write(self, *words: object) -> None:
        with (self.journal / str(os.getpid())).open("a") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def noted(self, word: str) -> list[str]:
        """Return all entries for a word; a killed process leaves half a line, which is skipped."""
        lines = [
            line.split()
            for file in self.journal.iterdir()
            for line in file.read_text().splitlines(keepends=True)
            if line.endswith("\n")
        ]
        return [each for first, *others in lines if first == word for each in others]

    def stored(self) -> set[str]:
        """Ids whose storing was acknowledged and that no process began to delete."""
        return {*self.noted("added")} - {*self.noted("deleting")}

    def opened(self, **settings: object) -> PassageIndex:
        """Open the index; retry as long as a patient user would."""
        end = time.monotonic() + 60
        while True:
            try:
                return PassageIndex.open("p", HashedEncoder(), location=self.place, **settings)
            except CollectionLockedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.005)

    def check(self, index: PassageIndex, stored: set[str], deleted: set[str]) -> None:
        found = Counter(passage.id for passage in index.scroll())
        assert found.keys() >= stored, "lost"
        assert not found.keys() & deleted, "back"
        assert index.count() == len(found) == found.total(), "double, or miscounted"

    def work(self, chance: random.Random) -> None:
        """Run one process: open, add, delete, read and close repeatedly."""
        number = 0
        for _ in range(ROUNDS):
            deleted, stored = {*self.noted("deleted")}, self.stored()
            reads = bool(stored) and chance.random() < 0.3
            with self.opened(read_only=True) if reads else self.opened() as index:
                # a reader sees the state at its opening: others may have deleted since
                self.check(index, stored & self.stored(), deleted)
                for _ in range(0 if reads else chance.randrange(4)):
                    count = chance.choice((1, 10, 100))
                    ids = [f"{os.getpid()}-{number + n}" for n in range(count)]
                    number += count
                    index.add([Passage(name, f"text {name}") for name in ids])
                    self.write("added", *ids)
                    if chance.random() < 0.2:
                        gone = ids[: len(ids) // 2]
                        self.write("deleting", *gone)
                        index.delete(gone)
                        self.write("deleted", *gone)
            time.sleep(chance.random() * 0.02)

    def check_end(self) -> None:
        with self.opened() as index:
            self.check(index, self.stored(), {*self.noted("deleted")})

    def start(self, task: Callable[[], None]) -> int:
        """Run a task in a separate process: this process must stay without engine threads."""
        child = os.fork()
        if child:
            return child
        try:
            task()
        except BaseException as error:
            self.write("wrong", f"{type(error).__name__}:{error}"[:300].replace(" ", "_"))
        os._exit(0)

    def run(self, chance: random.Random) -> list[str]:
        """Run one trial and return the failures."""

        def start() -> int:
            seed = chance.getrandbits(32)
            return self.start(lambda: self.work(random.Random(seed)))

        running = [start() for _ in range(chance.choice((2, 3, 4)))]
        for _ in range(chance.randrange(4)):
            time.sleep(chance.random() / 2)
            victim = running.pop(chance.randrange(len(running)))
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            running.append(start())
        for process in running:
            os.waitpid(process, 0)
        if self.stored():
            os.waitpid(self.start(self.check_end), 0)
        return self.noted("wrong")


def main(trials: int, seed: int) -> None:
    failed = 0
    for number in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            wrong = Trial(Path(folder)).run(random.Random(f"{seed}-{number}"))
        failed += bool(wrong)
        for line in wrong:
            sys.stdout.write(f"trial {number}: {line}\n")
    sys.stdout.write(f"{trials} trials, {failed} with something wrong\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
