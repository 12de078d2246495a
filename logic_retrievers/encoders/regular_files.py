"""Files that are read whole: regular ones, up to a size."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MAX_DESCRIPTION_BYTES = 2**24
MAX_GRAPH_BYTES = 2**31
"""What protobuf reads at most."""
MAX_FILE_BYTES = 2**28
"""Of any other file; the largest tokenizers have 40 MB."""


def read_regular_file(path: str | Path, max_bytes: int) -> bytes:
    """The content of a file of at most ``max_bytes``.

    A pipe would be waited for and a device read without end, so both are refused.

    Raises:
        OSError: no such file, no regular one, a larger one, or it cannot be read; ``strerror`` says
            what.
        ValueError: the path holds a null byte.
    """
    if not isinstance(path, str | Path):  # `open` takes a number for an open file, and closes it
        raise OSError(errno.EINVAL, f"a path is a text, not {type(path).__name__}")
    # without O_NONBLOCK, opening a pipe waits until somebody writes to it
    non_blocking = getattr(os, "O_NONBLOCK", 0)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | non_blocking)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if status.st_size > max_bytes:
            raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes")
        return file.read(status.st_size)
