"""Files and folders that appear complete or not at all: written under another name, then moved.

New files and folders are readable by their owner alone, whatever the umask. Existing ones keep
their modes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from stat import S_IMODE

from logic_retrievers.errors import ConfigurationError, StorageError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write UTF-8 text, lone surrogates escaped; a reader never sees half of it.

    Raises:
        StorageError: the disk is full, the folder is missing or may not be written to.
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
        StorageError: the disk is full, or the place may not be written to.
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


def private_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder with mode 0700, and the missing folders above it likewise.

    Raises:
        StorageError: the place may not be written to, or is no folder.
    """
    try:
        folder = Path(path)
        missing = [parent for parent in folder.parents if not parent.exists()]
        for each in (*reversed(missing), folder):
            each.mkdir(mode=0o700, exist_ok=True)
    except (OSError, ValueError, RecursionError) as error:
        raise _cannot_make(path, error) from error


def private_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file with mode 0600 in a :func:`private_folder`.

    An existing file keeps its content and mode.

    Raises:
        StorageError: the place may not be written to, or is a folder.
    """
    private_folder(Path(path).parent)
    # Read-only is enough to create a file. Without O_NONBLOCK the call would wait for a pipe.
    flags = os.O_RDONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    try:
        os.close(os.open(path, flags, 0o600))
    except (OSError, ValueError) as error:
        raise _cannot_make(path, error) from error


def _cannot_make(path: str | os.PathLike[str], error: Exception) -> StorageError:
    reason = getattr(error, "strerror", error)  # a null byte is no OSError
    return StorageError(f"cannot make {os.fspath(path)!r}: {reason}; choose another place")
