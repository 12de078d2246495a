"""A full disk under an embedded collection: the error has the right count and nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest
from mounts import tmpfs

from logic_retrievers.errors import StorageError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

Usage = namedtuple("Usage", "total used free")


def passages(count: int) -> list[Passage]:
    return [Passage(str(i), f"text {i}") for i in range(count)]


def test_nothing_is_written_where_there_is_no_room(encoder, tmp_path, monkeypatch):
    """The engine maps files larger than the disk: without free space the process dies."""
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add(passages(10))
        usage = Usage(2**30, 2**30 - 2**20, 2**20)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        for write in (
            lambda: index.add(passages(20), batch_size=4),
            lambda: index.delete(["1"]),
            lambda: index.run(index.hide(["1"])),
            lambda: PassageIndex.open("another", encoder, client=index.client),
        ):
            with pytest.raises(StorageError, match="Make room"):
                write()
        assert index.count() == 10
        assert len(index.get(["1", "2"])) == 2
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 0))  # it does not know
        assert index.add(passages(20)).added == 10


FILL = """
import pathlib, shutil, subprocess, sys
from suites import HashedEncoder
from logic_retrievers.errors import StorageError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

place = pathlib.Path(sys.argv[1])
passages = [
    Passage(str(i), f"{i} " + "word " * 3000, embed_text=f"text {i}") for i in range(1000)
]
index = PassageIndex.open("p", HashedEncoder(), location=place / "index", lexical=False)
index.add(passages[:100])
room = shutil.disk_usage(place).free - 36 * 2**20
(place / "filler").write_bytes(bytes(room))
try:
    index.add(passages[100:], replace_sources=False)
    sys.exit("it took everything")
except StorageError as error:
    stored = index.count() - 100
    assert f"({stored} passages of this call were stored" in str(error), (stored, error)
    assert 0 < stored < 900, stored
(place / "filler").unlink()
report = index.add(passages[100:])
assert (report.added, report.unchanged) == (900 - stored, stored), report
index.close()
with PassageIndex.open("p", HashedEncoder(), location=place / "index") as again:
    assert again.count() == 1000
    assert again.add(passages).unchanged == 1000
"""


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A separate file system of 160 MB."""
    with tmpfs(tmp_path / "disk", 160) as place:
        yield place


OPEN = """
import pathlib, sys
from contextlib import suppress
from suites import HashedEncoder
from logic_retrievers.errors import StorageError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

place = pathlib.Path(sys.argv[1])
with PassageIndex.open("p", HashedEncoder(), location=place) as index:
    index.add([Passage(str(i), f"text {i}") for i in range(10)])
full = False
for settings in ({}, {"read_only": True}, {}):
    try:
        PassageIndex.open("p", HashedEncoder(), location=place, **settings).close()
        assert settings
    except StorageError as error:
        assert "MiB" in str(error)
    if not full:  # of which not even a page is left
        (place / "filler").touch()
        with suppress(OSError), (place / "filler").open("ab", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        full = True
"""


@pytest.mark.parametrize("size", [47, 77])
def test_a_file_system_in_memory_with_little_room(tmp_path, size):
    """Reading a hole in a file takes memory there: each opening killed the process (SIGBUS)."""
    with tmpfs(tmp_path / "disk", size) as place:
        done = run(OPEN, place)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_a_crash_left_is_not_written_where_there_is_no_room(encoder, tmp_path, monkeypatch):
    """On a full ext4 the engine killed the process (SIGBUS) when it rewrote its log."""
    with PassageIndex.open("p", encoder, location=tmp_path / "whole") as index:
        index.add(passages(10))
        shutil.copytree(tmp_path / "whole", tmp_path / "killed")
    usage = Usage(2**30, 2**30 - 2**20, 2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StorageError, match="less than 32 MiB"):
        PassageIndex.open("p", encoder, location=tmp_path / "killed")
    monkeypatch.undo()
    with PassageIndex.open("p", encoder, location=tmp_path / "killed") as index:
        assert index.count() == 10


def run(program: str, place: Path) -> subprocess.CompletedProcess[str]:
    suites = str(Path(__file__).parents[1] / "conformance")
    return subprocess.run(
        [sys.executable, "-c", program, str(place)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([suites, *sys.path])},
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_a_disk_that_is_really_full(small_disk):
    """Runs in a separate process: if the check fails, the system kills that process (SIGBUS)."""
    done = run(FILL, small_disk)
    assert done.returncode == 0, done.stderr[-2000:]
