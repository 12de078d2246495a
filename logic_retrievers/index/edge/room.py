"""Checks free disk space: the engine maps sparse files that grow when they are written or read.

The system ends the process (SIGBUS) if there is no room for a page.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import sys
import tempfile
from pathlib import Path

# Bytes that must be free before the engine writes.
ROOM = 32 * 2**20
# Folders of a segment that the engine reads completely when it loads them, holes included.
_POPULATED = {"vectors", "payload_index"}
# MADV_POPULATE_READ of Linux 5.14 gives an error where reading a page would end the process.
_POPULATE_READ = 22
_ZEROS = bytes(2**16)


def check_room(folder: Path) -> None:
    """Refuse (ENOSPC) to write where the disk is nearly full."""
    if not _is_free(folder, ROOM):
        raise OSError(errno.ENOSPC, f"less than {ROOM // 2**20} MiB are free there")


def check_loading(shard: Path) -> None:
    """Refuse (ENOSPC) to load a collection whose files would outgrow the free space of the disk.

    On tmpfs, reading a hole of a file takes space: 32 MiB a vector, 5 MiB a payload index.
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
    """Copy files and keep their holes: nine tenths of a small collection are zeros."""
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
    """Whether reading a mapped file makes it grow, as on tmpfs."""
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
