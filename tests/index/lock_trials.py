"""Trials of several processes over one folder: ``python tests/index/lock_trials.py 200 [SEED]``.

Two to four processes open a collection, add, delete, read, close, and are killed, in random order.
Each writes down what was acknowledged. Prints ``N trials, ...`` and each thing that went wrong.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from suites import HashedEncoder

from logic_retrievers.errors import CollectionLockedError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import EdgeClient  # noqa: F401 - once, not in each process
from logic_retrievers.types import Passage

ROUNDS = 8
"""How often a process opens the collection."""


class Journal:
    """What the processes of a trial acknowledged, a file each; a killed one leaves half a line."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, *words: object) -> None:
        with (self.folder / str(os.getpid())).open("a") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def lines(self) -> Iterator[tuple[str, list[str]]]:
        for file in self.folder.iterdir():
            for line in file.read_text().splitlines(keepends=True):
                if line.endswith("\n"):
                    yield (words := line.split())[0], words[1:]

    def stored(self) -> set[str]:
        """Ids whose storing was acknowledged, and that nobody began to delete."""
        words: dict[str, set[str]] = {"added": set(), "deleting": set()}
        for word, ids in self.lines():
            words.setdefault(word, set()).update(ids)
        return words["added"] - words["deleting"]

    def deleted(self) -> set[str]:
        return {name for word, ids in self.lines() if word == "deleted" for name in ids}


def open_index(place: Path, **settings: object) -> PassageIndex:
    """Tries for as long as a patient user."""
    end = time.monotonic() + 60
    while True:
        try:
            return PassageIndex.open("p", HashedEncoder(), location=place, **settings)
        except CollectionLockedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.005)


def check(index: PassageIndex, stored: set[str], deleted: set[str]) -> str:
    """What is wrong with the passages of an index."""
    found = Counter(passage.id for passage in index.scroll())
    wrong = {
        "lost": stored - found.keys(),
        "back": deleted & found.keys(),
        "double": {name for name, times in found.items() if times > 1},
    }
    if index.count() != len(found):
        wrong["miscounted"] = {str(index.count())}
    return ", ".join(f"{len(ids)} {word}" for word, ids in wrong.items() if ids)


def work(place: Path, journal: Journal, chance: random.Random) -> None:
    """One process: opens, adds, deletes, reads and closes again and again."""
    number = 0
    for _ in range(ROUNDS):
        deleted, stored = journal.deleted(), journal.stored()
        reads = bool(stored) and chance.random() < 0.3
        with open_index(place, read_only=True) if reads else open_index(place) as index:
            # a reader sees the state at its opening: others may have deleted meanwhile
            if wrong := check(index, stored & journal.stored(), deleted):
                journal.write("wrong", "reader:" if reads else "writer:", wrong)
                os._exit(1)
            for _ in range(0 if reads else chance.randrange(4)):
                ids = [f"{os.getpid()}-{number + n}" for n in range(chance.choice((1, 10, 100)))]
                number += len(ids)
                index.add([Passage(name, f"text {name}") for name in ids])
                journal.write("added", *ids)
                if chance.random() < 0.2:
                    gone = ids[: len(ids) // 2]
                    journal.write("deleting", *gone)
                    index.delete(gone)
                    journal.write("deleted", *gone)
        time.sleep(chance.random() * 0.02)


def start(place: Path, journal: Journal, seed: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work(place, journal, random.Random(seed))
    except BaseException as error:
        journal.write("wrong", type(error).__name__, str(error).replace("\n", " ")[:300])
        os._exit(1)
    os._exit(0)


def trial(folder: Path, chance: random.Random) -> tuple[list[str], Counter[str]]:
    """What went wrong in one trial, and what was done in it."""
    (folder / "journal").mkdir()
    place, journal = folder / "index", Journal(folder / "journal")
    done = Counter[str](processes=chance.choice((2, 3, 4)))
    running = [start(place, journal, chance.getrandbits(32)) for _ in range(done["processes"])]
    for _ in range(chance.randrange(4)):
        time.sleep(chance.random() / 2)
        victim = running.pop(chance.randrange(len(running)))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        done["killed"] += 1
        running.append(start(place, journal, chance.getrandbits(32)))
    for process in running:
        os.waitpid(process, 0)
    wrong = [" ".join(words) for word, words in journal.lines() if word == "wrong"]
    stored, deleted = journal.stored(), journal.deleted()
    done["acknowledged"] = len(stored)
    if stored:
        # in a process of its own: this one must stay without threads of the engine
        child = os.fork()
        if not child:
            try:
                with open_index(place) as index:
                    if found := check(index, stored, deleted):
                        journal.write("wrong", "silent" if not wrong else "", "at the end:", found)
            except BaseException as error:
                journal.write("wrong", "at the end:", type(error).__name__, str(error)[:300])
            os._exit(0)
        os.waitpid(child, 0)
    return [" ".join(words) for word, words in journal.lines() if word == "wrong"], done


def main(trials: int, seed: int) -> None:
    total, failed = Counter[str](), 0
    for number in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            wrong, done = trial(Path(folder), random.Random(f"{seed}-{number}"))
        total += done
        failed += bool(wrong)
        for line in wrong:
            sys.stdout.write(f"trial {number}: {line}\n")
        sys.stdout.flush()
    figures = ", ".join(f"{count} {what}" for what, count in sorted(total.items()))
    sys.stdout.write(f"{trials} trials, {failed} with something wrong; {figures}\n")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
