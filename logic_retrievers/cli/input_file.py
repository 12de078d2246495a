"""A file whose lines a command reads, or standard input."""

from __future__ import annotations

import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from logic_retrievers.documents.files import SourceFile


@contextmanager
def open_input(path: Path) -> Iterator[tuple[SourceFile, IO[bytes] | None]]:
    """A file whose lines a command reads, or standard input, which is open, for ``-``.

    Raises:
        ReadError: no file that can be read to its end, or reading it fails; the message names it.
    """
    from logic_retrievers.documents.files import SourceFile

    stream = sys.stdin.buffer if str(path) == "-" else None
    file = SourceFile(path if stream is None else Path("standard input"), path.name)
    try:
        if stream is None and not stat.S_ISREG(path.stat().st_mode):
            raise file.error("is no regular file; pipe it into the command and name -")
        yield file, stream
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise file.error(f"cannot be read: {error}") from error
