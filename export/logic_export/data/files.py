"""Files: JSON lines, word lists of this package, and the part (train, dev, test) of a row."""

from __future__ import annotations

import gzip
import hashlib
import json
import tomllib
from bisect import bisect
from collections.abc import Iterable, Mapping
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Any

from logic_retrievers.errors import StorageError


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes JSON lines atomically, compressed where the name ends in ``.gz``.

    Equal rows give equal bytes. The folder is created where it is missing.

    Raises:
        StorageError: the disk is full or not writable.
    """
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def assign_part(key: str, shares: Mapping[str, float]) -> str:
    """The part of a key, by its hash: it does not depend on other keys.

    Args:
        key: identifies the row or group.
        shares: part -> its share; they sum to 1, and a part of share 0 gets nothing.
    """
    parts = [part for part, share in shares.items() if share > 0]
    bounds = list(accumulate(shares[part] for part in parts))
    digest = hashlib.sha256(key.encode()).digest()
    position = int.from_bytes(digest[:8], "big") / 2**64
    return parts[bisect(bounds, position, hi=len(bounds) - 1)]


def read_toml(package: str, name: str) -> dict[str, Any]:
    """A TOML file of wordings or word lists that comes with a package."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))
