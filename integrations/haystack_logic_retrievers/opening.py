"""Open indexes so that several stores of one process can share a folder.

Haystack makes a separate store for each component of a loaded pipeline, but the embedded engine can
open a folder only once. So the first index over a folder lends its client to the others, and stays
open until the last of them is closed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from logic_retrievers.encoders import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.clients import MEMORY, is_address


@dataclass(slots=True)
class _Folder:
    """The index that has a folder open, and the number of indexes that use its client."""

    index: PassageIndex
    users: int = 1


_Key = tuple[str, bool]  # path, and whether it only reads: a reader lends a writer nothing
_folders: dict[_Key, _Folder] = {}
# reentrant: a store that is garbage-collected while another one opens leaves its folder
_lock = threading.RLock()


def open_index(
    collection: str,
    encoder: Encoder | None,
    location: str | list[str] | None,
    settings: Mapping[str, Any],
) -> tuple[PassageIndex, Callable[[], None]]:
    """Return an index, and the function to call once to close it."""
    if location is None or location == MEMORY or isinstance(location, list) or is_address(location):
        index = PassageIndex.open(collection, encoder, location=location, **settings)
        return index, index.close
    path = os.path.realpath(location)
    with _lock:
        key = (path, bool(settings.get("read_only")) and (path, False) not in _folders)
        leave = partial(_leave, key)
        folder = _folders.get(key)
        if folder is None:
            index = PassageIndex.open(collection, encoder, location=location, **settings)
            _folders[key] = _Folder(index)
            return index, leave
        folder.users += 1
        try:
            client = folder.index.client
            return PassageIndex.open(collection, encoder, client=client, **settings), leave
        except BaseException:
            leave()
            raise


def _leave(key: _Key) -> None:
    with _lock:
        folder = _folders[key]
        folder.users -= 1
        if not folder.users:
            del _folders[key]
            folder.index.close()
