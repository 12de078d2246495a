"""Memory of this process, and of a collection in a process of its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

from benchmarks.common.timing import film_passages, timed_collection
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import ReadError


def resident_mib() -> float:
    """Resident memory of this process in MiB; NaN on systems without ``/proc``."""
    return _status_mib("VmRSS:")


def anonymous_mib() -> float:
    """The part of the resident memory that no file can give back: all but mapped files."""
    return _status_mib("RssAnon:")


def _status_mib(field: str) -> float:
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    for line in lines:
        if line.startswith(field):
            return round(int(line.split()[1]) / 1024, 1)
    return float("nan")


def collection_memory(vectors: Path, points: int) -> dict[str, float]:
    """Stage -> resident MiB of a new process; NaN on systems without ``/proc``.

    Args:
        vectors: file of cached vectors.
        points: how many films are stored.

    Raises:
        ReadError: that process failed.
    """
    command = [sys.executable, "-m", __name__, str(vectors), str(points)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        message = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise ReadError(f"the memory of a collection could not be measured: {message[0]}")
    figures = json.loads(done.stdout)
    return {name: math.nan if value is None else value for name, value in figures.items()}


def main() -> None:
    """Stores films and prints the memory at each stage as JSON."""
    vectors, points = Path(sys.argv[1]), int(sys.argv[2])
    figures = {"package imported": resident_mib()}
    with timed_collection(Workbench(vectors)) as index:
        figures["encoder loaded"] = resident_mib()
        index.add(film_passages(points))
        figures[f"{points:,} passages stored"] = resident_mib()
    report = {name: None if math.isnan(value) else value for name, value in figures.items()}
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
