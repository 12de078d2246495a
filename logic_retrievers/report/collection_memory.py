"""How much memory a collection takes, in a process that holds nothing else.

python -m logic_retrievers.report.collection_memory VECTORS POINTS
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

from logic_retrievers.errors import ReadError
from logic_retrievers.report.memory import resident_mib
from logic_retrievers.report.timed_collection import timed_collection
from logic_retrievers.report.timing import film_passages
from logic_retrievers.report.workbench import Workbench


def collection_memory(vectors: Path, points: int) -> dict[str, float]:
    """What is there -> MiB that a new process takes then; NaN where the system does not tell.

    Args:
        vectors: the file of kept vectors.
        points: how many films are stored.

    Raises:
        ReadError: that process failed.
    """
    command = [sys.executable, "-m", __name__, str(vectors), str(points)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise ReadError(f"the memory of a collection could not be measured: {said[0]}")
    found = json.loads(done.stdout)
    return {name: math.nan if one is None else one for name, one in found.items()}


def main() -> None:
    """Store films and tell the memory before, between and after, as JSON."""
    vectors, points = Path(sys.argv[1]), int(sys.argv[2])
    found = {"package imported": resident_mib()}
    with timed_collection(Workbench(vectors)) as index:
        found["encoder loaded"] = resident_mib()
        index.add(film_passages(points))
        found[f"{points:,} passages stored"] = resident_mib()
    told = {name: None if math.isnan(one) else one for name, one in found.items()}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
