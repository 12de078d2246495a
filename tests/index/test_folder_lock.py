"""Several processes on one folder: no acknowledged write is lost, in any order of opening."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import portalocker
import pytest

from logic_retrievers.errors import CollectionLockedError, StorageError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

HOLDER = """
import sys
from suites import HashedEncoder
from logic_retrievers.index import PassageIndex
index = PassageIndex.open("p", HashedEncoder(), location=sys.argv[1])
print("open", flush=True)
sys.stdin.read()
"""


def program(*arguments: str) -> subprocess.Popen[str]:
    suites = str(Path(__file__).parents[1] / "conformance")
    path = os.pathsep.join([suites, *sys.path])
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@contextmanager
def holder(place: Path) -> Iterator[subprocess.Popen[str]]:
    process = program("-c", HOLDER, str(place))
    assert process.stdout.readline() == "open\n"
    try:
        yield process
    finally:
        process.communicate("")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_random_processes_lose_nothing():
    """Opening during another close must not write old points over new (11 of 12 trials)."""
    trials = os.environ.get("LOCK_TRIALS", "6")
    done = program(str(Path(__file__).with_name("lock_trials.py")), trials)
    printed, _ = done.communicate()
    assert done.returncode == 0, printed
    assert f"{trials} trials, 0 with something wrong" in printed


def test_who_waits_in_vain_learns_who_has_it(encoder, tmp_path):
    """The error names the holder, so that the user does not search the wrong machine."""
    with holder(tmp_path) as process:
        for settings in ({}, {"read_only": True}, {"create": False}):
            begun = time.monotonic()
            with pytest.raises(CollectionLockedError, match=rf"another process, {process.pid} on"):
                PassageIndex.open("p", encoder, location=tmp_path, timeout=0.3, **settings)
            assert 0.3 <= time.monotonic() - begun < 10
        PassageIndex.open("another", encoder, location=tmp_path).close()
        process.kill()  # which releases the folder
        with PassageIndex.open("p", encoder, location=tmp_path) as index:
            assert index.count() == 0


async def test_opening_waits_for_the_other_to_close(encoder, tmp_path):
    """Two one-minute jobs that start together should both succeed."""
    with holder(tmp_path) as process:
        Timer(1.5, process.stdin.close).start()
        async with await PassageIndex.aopen("p", encoder, location=tmp_path) as index:
            await index.aadd([Passage("a", "text")])
        process.stdin = None


def test_a_second_time_in_one_process(encoder, tmp_path):
    """A process must not wait for itself until the timeout; a forgotten index is closed."""
    index = PassageIndex.open("p", encoder, location=tmp_path)
    index.add([Passage("a", "text")])
    for settings in ({}, {"read_only": True}):
        with pytest.raises(CollectionLockedError, match=r"in this process.*client=index\.client"):
            PassageIndex.open("p", encoder, location=tmp_path, **settings)
    del index
    gc.collect()
    with PassageIndex.open("p", encoder, location=tmp_path, timeout=1) as again:
        assert again.count() == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_neither_keeps_nor_releases(encoder, tmp_path):
    """A long-lived forked worker must not lock its parent's folder for days."""
    read, write = os.pipe()
    index = PassageIndex.open("p", encoder, location=tmp_path)
    child = os.fork()
    if child == 0:
        os.close(write)
        index.close()
        os.read(read, 1)  # until the parent's end of the pipe is closed
        os._exit(0)
    os.close(read)
    check = program("-c", HOLDER.replace("1])", "1], timeout=.5)"), str(tmp_path))
    assert check.communicate("")[0] == ""  # the child's close released nothing
    index.close()
    with holder(tmp_path):  # nor does the child keep what its parent has released
        pass
    os.close(write)
    os.waitpid(child, 0)


def test_a_file_system_without_locks(encoder, tmp_path, monkeypatch):
    """Continuing without a lock would lose other processes' writes."""

    def refuse(*_):
        raise portalocker.LockException(OSError(95, "Operation not supported"))

    monkeypatch.setattr(portalocker, "lock", refuse)
    with pytest.raises(StorageError, match="knows no locks"):
        PassageIndex.open("p", encoder, location=tmp_path)


WINDOWS = """
import errno, fcntl, importlib, os, sys, types

import portalocker
from suites import HashedEncoder
from logic_retrievers.errors import CollectionLockedError
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

def locking(descriptor, mode, _):
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB if mode else fcntl.LOCK_UN)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None

names = {"LK_UNLCK": 0, "LK_LOCK": 1, "LK_NBLCK": 2, "LK_RLCK": 3, "LK_NBRLCK": 4}
sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, **names)
os.name = "nt"
flags = importlib.reload(portalocker.constants).LockFlags
windows = importlib.reload(portalocker.portalocker)
os.name = "posix"
portalocker.lock, portalocker.unlock = windows.lock, windows.unlock
portalocker.LOCK_EX, portalocker.LOCK_SH = flags.EXCLUSIVE, flags.SHARED
portalocker.LOCK_NB = flags.NON_BLOCKING

def opened(**settings):
    return PassageIndex.open("p", HashedEncoder(), location=sys.argv[1], **settings)

try:
    opened(timeout=.3)
    sys.exit("two at once")
except CollectionLockedError as error:
    assert sys.argv[2] in str(error), error
print("refused", flush=True)
sys.stdin.readline()
with opened() as index:
    index.add([Passage("a", "text")])
    try:
        opened(timeout=.3)
        sys.exit("twice in one")
    except CollectionLockedError as error:
        assert "in this process" in str(error), error
with opened(read_only=True) as one, opened(read_only=True) as other:
    assert one.count() == other.count() == 1
print("done", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="flock stands in for msvcrt")
def test_the_lock_of_windows(tmp_path):
    """msvcrt.locking has no shared locks and reports a locked file as "Permission denied"."""
    with holder(tmp_path) as process:
        windows = program("-c", WINDOWS, str(tmp_path), str(process.pid))
        assert windows.stdout.readline() == "refused\n"
    printed, _ = windows.communicate("\n")
    assert (printed, windows.returncode) == ("done\n", 0)


INGESTION = """
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


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("storage", ["folder", "wire"])
def test_killed_and_run_again_everything_is_there_once(storage, encoder, request):
    """A crash must neither lose nor double passages: no one would notice."""
    if storage == "folder":
        location = str(request.getfixturevalue("tmp_path"))
    else:
        location = request.getfixturevalue("wire_double").url
    with PassageIndex.open("p", encoder, location=location) as index:
        index.add([Passage("stale", "an old text", source="s1")])
    process = program("-c", INGESTION, location, "1000")
    while int(process.stdout.readline()) < 200:
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with PassageIndex.open("p", encoder, location=location) as index:
        half = index.count()
        assert 200 < half < 1000
        assert index.get(["stale"])
    again = program("-c", INGESTION, location, "1000")
    again.communicate()
    assert again.returncode == 0
    with PassageIndex.open("p", encoder, location=location) as index:
        ids = Counter(p.id for p in index.scroll())
    assert ids == Counter(f"p{i}" for i in range(1000))
