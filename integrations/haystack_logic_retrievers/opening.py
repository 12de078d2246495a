"""Indexes for stores: several of one process may keep their documents in one folder.

Haystack makes a store of its own for each component of a pipeline that it loads, and the embedded
engine has a folder open once. So the first index over a folder lends the others its client, and
stays open until the last of them is closed.
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
    """The index that has a folder open, and how many use its client, itself among them."""

    index: PassageIndex
    users: int = 1


_Key = tuple[str, bool]  # whether it only reads: such an index lends a writer nothing
_folders: dict[_Key, _Folder] = {}
_lock = threading.RLock()  # a store that is collected while another is opened leaves its folder


def open_index(
    collection: str,
    encoder: Encoder | None,
    location: str | list[str] | None,
    settings: Mapping[str, Any],
) -> tuple[PassageIndex, Callable[[], None]]:
    """An index, and what closes it; to be called once.

    Args:
        collection: its name.
        encoder: makes the vectors; the default one where None.
        location: a server's address, those of a cluster's nodes, a folder, or None: in memory.
        settings: further ones of :meth:`PassageIndex.open`.

    Raises:
        CollectionError, ServerError, ConfigurationError: as :meth:`PassageIndex.open`.
    """
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
