"""The folder of a collection: its lock, held by one process at a time, and the room on its disk.

The engine locks too late, because it reads the points first. If another process writes and closes
the folder in between, the engine writes old points over new ones.

The engine maps sparse files that grow when they are written or read. The system ends the process
(SIGBUS) if there is no room for a page, so free space is checked first.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import socket
import sys
import tempfile
import time
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Self

import portalocker

from logic_retrievers.errors import CollectionLockedError, StorageError

LOCK_FILE = "collection.lock"
_HOLDER = "collection.holder"  # a second file, because Windows forbids reading a locked file
_PAUSE = 0.02
# Bytes that must be free before the engine writes.
ROOM = 32 * 2**20
# Folders of a segment that the engine reads completely when it loads them, holes included.
_POPULATED = {"vectors", "payload_index"}
# MADV_POPULATE_READ (Linux 5.14): if a page has no room, it fails instead of ending the process.
_POPULATE_READ = 22
_ZEROS = bytes(2**16)

_held: set[FolderLock] = set()


class FolderLock:
    """The lock of an existing folder; a context manager that releases it.

    Waits ``timeout`` seconds for another process. A ``shared`` lock allows other readers and writes
    nothing, so the lock's file must exist.
    """

    def __init__(self, folder: Path, timeout: float, *, shared: bool = False) -> None:
        self._folder, self._shared = folder, shared
        self._file: FileIO | None = None
        self._identity: tuple[int, int] | None = None
        end = time.monotonic() + timeout
        while not self._acquire():
            if time.monotonic() >= end:
                raise CollectionLockedError(
                    f"{folder} is open in another process{self._holder()}; waited {timeout:g} s."
                    " End or close that one, raise timeout=, or run a Qdrant server"
                    " (docker/compose.yml) to share it among processes."
                )
            time.sleep(_PAUSE)
        if not shared:
            with suppress(OSError):  # only messages use it
                (folder / _HOLDER).touch(0o600)
                (folder / _HOLDER).write_text(f"{os.getpid()} on {socket.gethostname()}", "utf-8")

    def release(self) -> None:
        """Release the folder; safe to call twice. A forked process releases nothing."""
        file, self._file = self._file, None
        if file is None:
            return
        if not self._shared:
            with suppress(OSError):
                (self._folder / _HOLDER).unlink()
        portalocker.unlock(file)  # closing is not enough if a child process has the descriptor
        _held.discard(self)
        file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()

    def _acquire(self) -> bool:
        path = self._folder / LOCK_FILE
        flags = os.O_RDONLY if self._shared else os.O_RDWR | os.O_CREAT
        try:
            self._file = FileIO(path, opener=lambda name, _: os.open(name, flags, 0o600))
            _held.add(self)  # before locking, because another thread may fork at any time
            self._lock(self._file)
        except portalocker.AlreadyLocked:
            self._give_up()
            with suppress(FileNotFoundError):
                identity = _identity(path.stat())
                if any(lock._identity == identity and not lock._shared for lock in list(_held)):
                    raise CollectionLockedError(  # waiting for oneself would never end
                        f"{self._folder} is open in this process already. Close that index"
                        " (index.close()), or open a second one with client=index.client."
                    ) from None
            return False
        except portalocker.LockException as error:
            self._give_up()
            raise StorageError(
                f"The file system of {self._folder} knows no locks ({error.__cause__ or error})."
                " Keep the folder on a disk of this machine, or run a Qdrant server."
            ) from error
        except OSError as error:
            self._give_up()
            write = "write there or make room, or open it with read_only=True"
            raise StorageError(
                f"{path} cannot be opened ({error.strerror}). Give the right to"
                f" {'read it' if self._shared else write}."
            ) from error
        self._identity = _identity(os.fstat(self._file.fileno()))
        with suppress(FileNotFoundError):
            if _identity(path.stat()) == self._identity:
                return True
        self._give_up()  # the folder was deleted or created again meanwhile
        return False

    def _lock(self, file: FileIO) -> None:
        kind = portalocker.LOCK_SH if self._shared else portalocker.LOCK_EX
        try:
            portalocker.lock(file, kind | portalocker.LOCK_NB)
        except ImportError:  # Windows without pywin32 has no shared locks: readers wait
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)

    def _give_up(self) -> None:
        _held.discard(self)
        if self._file is not None:
            self._file.close()
            self._file = None

    def _holder(self) -> str:
        try:
            return f", {(self._folder / _HOLDER).read_text('utf-8')}"
        except (OSError, ValueError):
            return ""


def _identity(file: os.stat_result) -> tuple[int, int]:
    return file.st_dev, file.st_ino


def _forget_in_child() -> None:
    """Drop the locks in a forked process, which must neither keep nor release its parent's."""
    for lock in list(_held):
        if lock._file is not None:
            lock._file.close()
            lock._file = None
        with suppress(OSError):
            # The engine never unlocks its log: that lock ends with the last copy of the descriptor.
            logs = {_identity(log.stat()) for log in lock._folder.glob("shard-*/wal")}
            _replace_descriptors(logs)
    _held.clear()


def _replace_descriptors(files: set[tuple[int, int]]) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    for descriptor in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        with suppress(OSError):
            if _identity(os.fstat(descriptor)) in files:
                os.dup2(null, descriptor, inheritable=False)
    os.close(null)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_in_child)


def check_room(folder: Path) -> None:
    """Raise ENOSPC if the disk is nearly full."""
    if not _is_free(folder, ROOM):
        raise OSError(errno.ENOSPC, f"less than {ROOM // 2**20} MiB are free there")


def check_loading(shard: Path) -> None:
    """Raise ENOSPC if loading a collection would need more than the free space of the disk.

    On tmpfs, reading a hole of a file takes space: 32 MiB per vector, 5 MiB per payload index.
    """
    if not sys.platform.startswith("linux"):
        return
    files = (
        file.stat()
        for file in shard.rglob("*")
        if _POPULATED & set(file.parts[len(shard.parts) :]) and file.is_file()
    )
    needed = ROOM + sum(max(0, file.st_size - file.st_blocks * 512) for file in files)
    if not _is_free(shard, needed) and _holes_take_room(shard):
        raise OSError(
            errno.ENOSPC,
            f"opening takes {needed // 2**20} MiB of a file system in memory; less are free there",
        )


def copy_folder(source: Path, target: Path) -> None:
    """Copy files with their holes, because nine tenths of a small collection are zeros."""
    target.mkdir(parents=True, exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            copy_folder(entry, target / entry.name)
            continue
        with entry.open("rb") as original, (target / entry.name).open("wb") as copy:
            while block := original.read(len(_ZEROS)):
                if block != _ZEROS[: len(block)]:
                    copy.write(block)
                else:
                    copy.seek(len(block), os.SEEK_CUR)
            copy.truncate()


def _is_free(folder: Path, size: int) -> bool:
    disk = shutil.disk_usage(folder)
    return not disk.total or disk.free >= size  # some file systems report neither


def _holes_take_room(folder: Path) -> bool:
    """Tell whether reading a mapped file makes it grow, as on tmpfs."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.truncate(mmap.PAGESIZE)
        with mmap.mmap(file.fileno(), mmap.PAGESIZE) as pages:
            try:
                pages.madvise(_POPULATE_READ)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    return True
                pages[0]
        return os.fstat(file.fileno()).st_blocks > 0
