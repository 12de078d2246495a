"""Files: checks of paths, writes that leave no half-written file, safe CSV.

New files and folders are readable by the owner only, whatever the umask. Existing files and folders
keep their modes.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from stat import S_IMODE
from typing import Any, TypeAlias

from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.text import show_hidden

AnyPath: TypeAlias = str | os.PathLike[str]

# A spreadsheet may run a formula at the start of a cell, or after a character that it takes for the
# start of a new cell, such as a semicolon in many countries' Excel (OWASP: CSV Injection).
_FORMULA = re.compile(
    r"""^(?=[\t\n])|(?:^|(?<=[;\t\n]))(?=(?:[^\S\t\n]|["'])*[=+\-@＝＋－＠﹦﹢﹣﹫])"""  # noqa: RUF001
)
# maximum characters of a cell; Excel takes 32,767 and moves the rest into other cells
LONGEST_CELL = 32_000


# os.path, because Path's methods raise an error for an invalid path
def is_folder(path: AnyPath) -> bool:
    """Whether a path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: AnyPath) -> bool:
    """Whether a path is a regular file."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: AnyPath) -> bool:
    """Whether a path exists."""
    return os.path.exists(path)  # noqa: PTH110


def csv_cell(value: Any) -> Any:
    """Return a CSV cell that every spreadsheet can hold and none runs as a formula."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    shown = show_hidden(text)
    if len(shown) > LONGEST_CELL:
        shown = f"{shown[:LONGEST_CELL]} [{len(shown) - LONGEST_CELL} more characters]"
    return _FORMULA.sub("'", shown)


def csv_text(header: Sequence[str], rows: Iterable[Iterable[Any]], line_end: str = "\n") -> str:
    """Return the text of a CSV file whose cells no spreadsheet runs as a formula."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator=line_end)
    for row in (header, *rows):
        writer.writerow(map(csv_cell, row))
    return target.getvalue()


def write_text(path: AnyPath, text: str) -> None:
    """Write UTF-8 text with lone surrogates escaped. No reader sees a half-written file.

    Raises:
        StorageError: the disk is full, or the folder is missing or not writable.
    """
    target, content = Path(path), text.encode(errors="backslashreplace")
    try:
        if target.exists() and not target.is_file():  # never replace a pipe or /dev/stdout
            target.write_bytes(content)
            return
        target = target.resolve()
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            partial.touch(0o600)
            partial.write_bytes(content)
            if target.exists():
                partial.chmod(S_IMODE(target.stat().st_mode))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot write {target}: {error.strerror}; nothing was changed"
        ) from error


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write a new folder of UTF-8 texts, and create the folders above it.

    Raises:
        ConfigurationError: the folder exists already.
        StorageError: the disk is full, or the place is not writable.
    """
    target = folder.absolute()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        if folder.exists():
            raise ConfigurationError(f"{folder} is there already; choose a new folder")
        private_folder(target.parent)
        partial.mkdir(0o700)
        for name, text in files.items():
            (partial / name).touch(0o600)
            (partial / name).write_text(text, encoding="utf-8", newline="\n")
        partial.rename(target)
    except OSError as error:
        raise StorageError(
            f"cannot write {folder}: {error.strerror}; nothing was changed"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def private_folder(path: AnyPath) -> None:
    """Create a folder and the missing folders above it, all with mode 0700.

    Raises:
        StorageError: the place is not writable, or is not a folder.
    """
    try:
        folder = Path(path)
        missing = [parent for parent in folder.parents if not parent.exists()]
        for each in (*reversed(missing), folder):
            each.mkdir(mode=0o700, exist_ok=True)
    except (OSError, ValueError, RecursionError) as error:
        raise _cannot_make(path, error) from error


def private_file(path: AnyPath) -> None:
    """Create an empty file with mode 0600 in a :func:`private_folder`.

    An existing file keeps its content and mode.

    Raises:
        StorageError: the place is not writable, or is a folder.
    """
    private_folder(Path(path).parent)
    # Read-only is enough to create a file. Without O_NONBLOCK, opening a pipe would wait.
    flags = os.O_RDONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    try:
        os.close(os.open(path, flags, 0o600))
    except (OSError, ValueError) as error:
        raise _cannot_make(path, error) from error


def _cannot_make(path: AnyPath, error: Exception) -> StorageError:
    reason = getattr(error, "strerror", error)  # a null byte raises ValueError, not OSError
    return StorageError(f"cannot make {os.fspath(path)!r}: {reason}; choose another place")
