"""Files and folders that appear complete or not at all: written beside their place, then moved."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from logic_retrievers.errors import ConfigurationError, StorageError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes UTF-8 text; a reader never sees half of it.

    Raises:
        StorageError: the disk is full, the folder is missing or may not be written to.
    """
    target, content = Path(path), text.encode()
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


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Writes a new folder of UTF-8 texts; folders above it are made.

    Raises:
        ConfigurationError: the folder exists already.
        StorageError: the disk is full, or the place may not be written to.
    """
    if folder.exists():
        raise ConfigurationError(f"{folder} is there already; choose a new folder")
    target = folder.absolute()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        for name, text in files.items():
            (partial / name).write_text(text, encoding="utf-8", newline="\n")
        partial.rename(target)
    except OSError as error:
        raise StorageError(
            f"cannot write {folder}: {error.strerror}; nothing was changed"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
