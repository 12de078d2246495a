"""kill -9 in the middle of a cleaning at ten random moments; then nothing may be lost or half done.

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

from benchmarks.report import publish
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


class Announcing(Ledger):
    """Says when decisions are about to be written down and carried out, and when that is done."""

    def add(self, collection: str, entries: Iterable[Entry]) -> None:
        """Says it, and adds them."""
        found = list(entries)
        if found:
            print("hiding", flush=True)
        Ledger.add(self, collection, found)

    def note_examined(self, collection: str, examined: Mapping[str, str], settings: str) -> None:
        """Says it when all is hidden, and notes them."""
        print("hidden", flush=True)
        Ledger.note_examined(self, collection, examined, settings)


def corpus() -> list[Passage]:
    """Some 300 passages: of each statement two versions that contradict each other."""
    rng = random.Random(1)
    found = []
    for place in PLACES:
        for town in TOWNS:
            for at, frame in enumerate(FRAMES):
                values = {"n": rng.randint(2, 40), "m": rng.randint(41, 90)}
                for year, said in zip((2019, 2024), frame, strict=True):
                    text = said.format(place=place, town=town, **values)
                    name = f"{place} {town} {at} {year}"
                    found.append(Passage(name, text, {"date": f"{year}-01-01"}, extra={"at": at}))
    return found


def opened(folder: str) -> PassageIndex:
    """The collection in that folder."""
    return PassageIndex.open("town", OnnxEncoder(), location=f"{folder}/qdrant", vectors=VECTORS)


def clean(folder: str) -> None:
    """What the child process does until it is killed."""
    with opened(folder) as index:
        made = CorpusCleaner(
            index, ledger=Announcing(f"{folder}/ledger.sqlite"), policy="prefer_newest"
        )
        print("begun", flush=True)
        made.clean()


def main() -> None:
    """Kill, clean again, restore, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows = []
    with tempfile.TemporaryDirectory() as whole:
        with opened(whole) as index:
            index.add(corpus())
            before = fingerprints(index)
        with tempfile.TemporaryDirectory() as folder:
            before_hiding, hiding = run(whole, folder, None, 0.0)
            wanted = hidden_in(folder)
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
    """Cleans a copy of a collection in a child process, killed so long after it enters a phase.

    Returns:
        Seconds before it began to hide, and of hiding; zeros where it was to be killed.
    """
    shutil.copytree(whole, folder, dirs_exist_ok=True)
    command = f"from benchmarks.cleaning_crash import clean; clean({folder!r})"
    child = subprocess.Popen([sys.executable, "-c", command], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    begun = reached(child.stdout, "begun")
    if phase is None:
        hiding, hidden = (reached(child.stdout, one) for one in ("hiding", "hidden"))
        child.wait()
        return hiding - begun, hidden - hiding
    if phase == "hiding":
        reached(child.stdout, "hiding")
    time.sleep(moment)
    child.send_signal(signal.SIGKILL)
    child.wait()
    return 0.0, 0.0


def reached(lines: IO[str], phase: str) -> float:
    """When the child says that it is there."""
    for line in lines:
        if line.strip() == phase:
            return time.perf_counter()
    raise RuntimeError(f"the child ended before {phase!r}")


def check(folder: str, before: dict[str, str], wanted: set[str]) -> dict[str, Any]:
    """What the crash left, and what there is after cleaning again and restoring everything."""
    ledger = Ledger(f"{folder}/ledger.sqlite")
    with opened(folder) as index:
        left = list(index.scroll())
        noted = len(ledger.hidden("town"))
        made = CorpusCleaner(index, ledger=ledger, policy="prefer_newest")
        mended = made.quarantine.verify()
        again = made.clean()
        agreed = made.quarantine.verify().agreed
        now = {one.id for one in index.scroll() if one.quarantined}
        there = Counter(one.id for one in index.scroll())
        restored = made.quarantine.restore(sorted(now))
        after = fingerprints(index)
    return {
        "hidden then": sum(one.quarantined for one in left),
        "in the ledger then": noted,
        "mended": len(mended.hidden),
        "examined again": again.examined,
        "missing": len(before.keys() - there.keys()) + len(before) - len(left),
        "twice": sum(count > 1 for count in there.values()),
        "hidden otherwise": len(now ^ wanted),
        "agreed": agreed,
        "restored": len(restored.restored),
        "otherwise after restoring": len(set(before.items()) ^ set(after.items()))
        + len(restored.changed),
    }


def hidden_in(folder: str) -> set[str]:
    """Ids of the hidden passages of a collection."""
    with opened(folder) as index:
        return {one.id for one in index.scroll() if one.quarantined}


def fingerprints(index: PassageIndex) -> dict[str, str]:
    """Of all points."""
    return index.run(index.fingerprints([one.id for one in index.scroll()]))


if __name__ == "__main__":
    main()
