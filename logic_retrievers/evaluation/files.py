"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from logic_retrievers.errors import StorageError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes UTF-8 text by way of a file beside it, so that a reader never sees half of it.

    Raises:
        StorageError: no room, no right to write there, or no such folder.
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes by way of a file beside it, as :func:`write_text`.

    Raises:
        StorageError: no room, no right to write there, or no such folder.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a pipe or /dev/stdout is not to be replaced
            target.write_bytes(content)
            return
        target = target.resolve()
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            partial.write_bytes(content)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot write {target}: {error.strerror}; nothing was changed"
        ) from error
