"""Opening a collection's folder: under its lock, or as a copy that is only read."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from logic_retrievers.errors import StorageError
from logic_retrievers.index.edge import folder_lock
from logic_retrievers.index.edge.collection import (
    Description,
    EdgeCollection,
    create_collection,
    has_description,
    read_description,
)
from logic_retrievers.index.edge.folder_lock import FolderLock
from logic_retrievers.index.edge.room import copy_folder
from logic_retrievers.index.faults import EdgeError


def open_folder(
    folder: Path, timeout: float, new: Description | None = None, *, durable: bool = True
) -> EdgeCollection:
    """Opens a collection; no other process can until it is closed.

    Args:
        folder: of the collection.
        timeout: seconds to wait for another process.
        new: create it; it must not exist.
        durable: whether a new one survives a crash.

    Raises:
        EdgeError, OSError: as :class:`EdgeCollection`.
        CollectionLockedError, StorageError: as :class:`FolderLock`.
    """
    lock = FolderLock(folder, timeout)
    try:
        if new is not None:
            if has_description(folder):
                raise EdgeError(f"Collection {folder.name!r} exists already")
            create_collection(folder, new, durable=durable)
        return EdgeCollection(folder, read_description(folder), lock.release)
    except BaseException:
        lock.release()
        raise


def open_copy(folder: Path, timeout: float) -> EdgeCollection:
    """Opens a copy of a collection as it is now, for reading: the engine only opens what it writes.

    Nothing is written into the folder, and others may open it as soon as it is copied.

    Raises:
        EdgeError, OSError: as :class:`EdgeCollection`.
        CollectionLockedError, StorageError: as :class:`FolderLock`; or the copy has no room.
    """
    copy = Path(tempfile.mkdtemp(prefix="logic-retrievers-"))
    remove = partial(shutil.rmtree, copy, ignore_errors=True)
    try:
        return EdgeCollection(copy, _copy(folder, copy, timeout), remove, copy_of=folder)
    except BaseException:
        remove()
        raise


def _copy(folder: Path, copy: Path, timeout: float) -> Description:
    # an older version of this package made no lock; whoever opens the folder meanwhile does
    locked = (folder / folder_lock.FILE).exists()
    with FolderLock(folder, timeout, shared=True) if locked else nullcontext():
        description = read_description(folder)
        try:
            copy_folder(folder / description.shard, copy / description.shard)
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be copied to {copy.parent} to be read ({error.strerror}). Make"
                " room there, or set TMPDIR to another place."
            ) from error
    if locked or not (folder / folder_lock.FILE).exists():
        return description
    shutil.rmtree(copy / description.shard)
    return _copy(folder, copy, timeout)
