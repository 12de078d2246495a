"""Checks of paths that a user gave: ``Path.is_dir`` and the like raise for invalid names."""

from __future__ import annotations

import os
from typing import TypeAlias

AnyPath: TypeAlias = str | os.PathLike[str]


def is_folder(path: AnyPath) -> bool:
    """Whether a path is a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: AnyPath) -> bool:
    """Whether a path is a regular file."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: AnyPath) -> bool:
    """Whether a path exists."""
    return os.path.exists(path)  # noqa: PTH110
