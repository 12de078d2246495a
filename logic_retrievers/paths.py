"""Whether a path is there, also one that can be none: too long, or with a null character.

``Path.is_dir`` and its like raise for such a name, which a user may have given.
"""

from __future__ import annotations

import os
from typing import TypeAlias

AnyPath: TypeAlias = str | os.PathLike[str]


def is_folder(path: AnyPath) -> bool:
    """Whether there is a folder at that path."""
    return os.path.isdir(path)  # noqa: PTH112


def is_file(path: AnyPath) -> bool:
    """Whether there is a regular file at that path."""
    return os.path.isfile(path)  # noqa: PTH113


def exists(path: AnyPath) -> bool:
    """Whether there is anything at that path."""
    return os.path.exists(path)  # noqa: PTH110
