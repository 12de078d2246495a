"""kill -9 during a cleaning at ten random moments; nothing may be lost or half done.

Every second moment is drawn from the short time in which passages are hidden.

python -m benchmarks.cleaning_crash [--moments 10] [--seed 0]
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, Any

from benchmarks.common.output import publish
from logic_retrievers import OnnxEncoder, Passage, PassageIndex
from logic_retrievers.cleaning import CorpusCleaner, Entry, Ledger
from logic_retrievers.contradiction.settings import VECTORS

PLACES = ("museum", "library", "harbour office", "town hall", "swimming pool", "ferry", "archive")
TOWNS = ("Arden", "Brack", "Corvin", "Delmar", "Esker", "Fenwick", "Garrow")
FRAMES = (
    ("The {place} of {town} is open on Sundays.", "The {place} of {town} is not open on Sundays."),
    ("The {place} of {town} has {n} employees.", "The {place} of {town} has {m} employees."),
    ("A ticket for the {place} of {town} costs {n} euros.",
     "A ticket for the {place} of {town} costs {m} euros."),
)  # fmt: skip


class AnnouncingLedger(Ledger):
    """A ledger that prints the phases of a cleaning."""

    def add(self, collection: str, entries: Iterable[Entry]) -> None:
        """Prints ``hiding`` and adds the entries."""
        passages = list(entries)
        if passages:
            print("hiding", flush=True)
        Ledger.add(self, collection, passages)

    def note_examined(self, collection: str, examined: Mapping[str, str], settings: str) -> None:
        """Prints ``hidden`` and notes the passages."""
        print("hidden", flush=True)
        Ledger.note_examined(self, collection, examined, settings)


def corpus() -> list[Passage]:
    """Some 300 passages: two contradicting versions of every statement."""
    rng = random.Random(1)
    passages = []
    for place in PLACES:
        for town in TOWNS:
            for at, frame in enumerate(FRAMES):
                values = {"n": rng.randint(2, 40), "m": rng.randint(41, 90)}
                for year, statement in zip((2019, 2024), frame, strict=True):
                    text = statement.format(place=place, town=town, **values)
                    name = f"{place} {town} {at} {year}"
                    passages.append(
                        Passage(name, text, {"date": f"{year}-01-01"}, extra={"at": at})
                    )
    return passages


def open_index(folder: str) -> PassageIndex:
    """The collection in that folder."""
    return PassageIndex.open("town", OnnxEncoder(), location=f"{folder}/qdrant", vectors=VECTORS)


def clean(folder: str) -> None:
    """Work of the child process until it is killed."""
    with open_index(folder) as index:
        cleaner = CorpusCleaner(
            index, ledger=AnnouncingLedger(f"{folder}/ledger.sqlite"), resolution="prefer_newest"
        )
        print("begun", flush=True)
        cleaner.clean()


def main() -> None:
    """Kill, clean again, restore, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows = []
    with tempfile.TemporaryDirectory() as whole:
        with open_index(whole) as index:
            index.add(corpus())
            before = fingerprints(index)
        with tempfile.TemporaryDirectory() as folder:
            before_hiding, hiding = run(whole, folder, None, 0.0)
            wanted = hidden_ids(folder)
        for number in range(options.moments):
            phase = "hiding" if number % 2 else "begun"
            span = hiding if number % 2 else before_hiding + hiding
            moment = (number // 2 + rng.random()) / ((options.moments + 1) // 2) * span
            with tempfile.TemporaryDirectory() as folder:
                run(whole, folder, phase, moment)
                killed = {"after": phase, "killed s later": round(moment, 3)}
                rows.append({**killed, **check(folder, before, wanted)})
    publish(
        "cleaning_crash",
        rows,
        passages=len(before),
        planted=len(before) // 2,
        hidden_by_a_whole_run=len(wanted),
        seconds_before_hiding=round(before_hiding, 2),
        seconds_of_hiding=round(hiding, 3),
    )
    bad = ("missing", "twice", "hidden otherwise", "otherwise after restoring")
    if any(any(row[name] for name in bad) or not row["agreed"] for row in rows):
        sys.exit(1)


def run(whole: str, folder: str, phase: str | None, moment: float) -> tuple[float, float]:
    """Cleans a copy of a collection in a child process that is killed ``moment`` s into a phase.

    Returns:
        Seconds before hiding began, and of hiding; zeros if it was killed.
    """
    shutil.copytree(whole, folder, dirs_exist_ok=True)
    command = f"from benchmarks.cleaning_crash import clean; clean({folder!r})"
    child = subprocess.Popen([sys.executable, "-c", command], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    begun = wait_for_phase(child.stdout, "begun")
    if phase is None:
        hiding, hidden = (wait_for_phase(child.stdout, event) for event in ("hiding", "hidden"))
        child.wait()
        return hiding - begun, hidden - hiding
    if phase == "hiding":
        wait_for_phase(child.stdout, "hiding")
    time.sleep(moment)
    child.send_signal(signal.SIGKILL)
    child.wait()
    return 0.0, 0.0


def wait_for_phase(lines: IO[str], phase: str) -> float:
    """Waits until the child prints the phase; returns the time."""
    for line in lines:
        if line.strip() == phase:
            return time.perf_counter()
    raise RuntimeError(f"the child ended before {phase!r}")


def check(folder: str, before: dict[str, str], wanted: set[str]) -> dict[str, Any]:
    """State after the crash, and after cleaning again and restoring everything."""
    ledger = Ledger(f"{folder}/ledger.sqlite")
    with open_index(folder) as index:
        left = list(index.scroll())
        noted = len(ledger.hidden("town"))
        cleaner = CorpusCleaner(index, ledger=ledger, resolution="prefer_newest")
        mended = cleaner.quarantine.verify()
        again = cleaner.clean()
        agreed = cleaner.quarantine.verify().agreed
        now = {passage.id for passage in index.scroll() if passage.quarantined}
        id_counts = Counter(passage.id for passage in index.scroll())
        restored = cleaner.quarantine.restore(sorted(now))
        after = fingerprints(index)
    return {
        "hidden then": sum(passage.quarantined for passage in left),
        "in the ledger then": noted,
        "mended": len(mended.hidden),
        "examined again": again.examined,
        "missing": len(before.keys() - id_counts.keys()) + len(before) - len(left),
        "twice": sum(count > 1 for count in id_counts.values()),
        "hidden otherwise": len(now ^ wanted),
        "agreed": agreed,
        "restored": len(restored.restored),
        "otherwise after restoring": len(set(before.items()) ^ set(after.items()))
        + len(restored.changed),
    }


def hidden_ids(folder: str) -> set[str]:
    """Ids of the hidden passages of a collection."""
    with open_index(folder) as index:
        return {passage.id for passage in index.scroll() if passage.quarantined}


def fingerprints(index: PassageIndex) -> dict[str, str]:
    """Fingerprints of all points."""
    return index.run(index.fingerprints([passage.id for passage in index.scroll()]))


if __name__ == "__main__":
    main()
