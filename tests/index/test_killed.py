"""``kill -9`` in the middle of an ingestion."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

SCRIPT = """
import sys
from suites import HashedEncoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

index = PassageIndex.open("p", HashedEncoder(), location=sys.argv[1])
index.add(
    (Passage(f"p{i}", f"text number {i}", source=f"s{i % 3}") for i in range(int(sys.argv[2]))),
    replace_sources=True,
    batch_size=20,
    progress=lambda progress: print(progress.done, flush=True),
)
"""


def start(location: str, count: int) -> subprocess.Popen[str]:
    suites = str(Path(__file__).parents[1] / "conformance")
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, location, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": suites},
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("storage", ["folder", "wire"])
def test_killed_and_run_again_everything_is_there_once(storage, encoder, request):
    """Lost or doubled passages after a crash are found by nobody."""
    if storage == "folder":
        location = str(request.getfixturevalue("tmp_path"))
    else:
        location = request.getfixturevalue("wire_double").url
    with PassageIndex.open("p", encoder, location=location) as index:
        index.add([Passage("stale", "an old text", source="s1")])
    process = start(location, 1000)
    while int(process.stdout.readline()) < 200:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with PassageIndex.open("p", encoder, location=location) as index:
        half = index.count()
        assert 200 < half < 1000
        assert index.get(["stale"])
    again = start(location, 1000)
    again.communicate()
    assert again.returncode == 0
    with PassageIndex.open("p", encoder, location=location) as index:
        ids = Counter(p.id for p in index.scroll())
    assert ids == Counter(f"p{i}" for i in range(1000))
