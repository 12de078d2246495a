"""JSON lines of training rows, this package's word lists, and the split of rows into parts."""

from __future__ import annotations

import gzip
import hashlib
import json
import tomllib
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from logic_retrievers.errors import InputError, StorageError
from logic_retrievers.evaluation.rows import Row, json_rows

T = TypeVar("T")


def write_json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines atomically, compressed if the name ends in ``.gz``.

    Equal rows give equal bytes. A missing folder is created. A disk that is full or not writable is
    a :class:`StorageError`.
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


def read_rows(path: Path, kind: type[T], parse: Callable[[Row], T]) -> Iterator[T]:
    """Parse the rows of a file, whose fields must all be fields of ``kind``.

    A file that cannot be read, or a malformed row, is a :class:`ReadError`, which names the line.
    """
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for row in json_rows(path):
        # without this a misspelt optional field would be silently empty
        if unknown := sorted(set(row.fields) - set(known)):
            raise row.error(f"unknown field {unknown[0]!r}; a row has {', '.join(known)}")
        try:
            yield parse(row)
        except InputError as error:
            raise row.error(str(error)) from error


def first_of_each(rows: Iterable[T], key: Callable[[T], object]) -> list[T]:
    """Keep the first row of each key, in their order."""
    first: dict[object, T] = {}
    for row in rows:
        first.setdefault(key(row), row)
    return list(first.values())


def optional_text(row: Row, name: str) -> str:
    """Return the string in a field; empty if the field is absent or null."""
    return "" if row.fields.get(name) is None else row.text(name)


def text_list(row: Row, name: str) -> tuple[str, ...]:
    """Return the list of strings in a field; :class:`ReadError` if it holds something else."""
    texts = row.fields.get(name)
    if not isinstance(texts, list):
        raise row.error(f"{name!r} must be a list of texts")
    return tuple(row.with_fields({name: text}).text(name) for text in texts)


def assign_part(key: str, shares: Mapping[str, float]) -> str:
    """Choose the part of a key by its hash, so that it does not depend on other keys.

    ``shares`` sum to 1; a part of share 0 gets nothing.
    """
    parts = [part for part, share in shares.items() if share > 0]
    bounds = list(accumulate(shares[part] for part in parts))
    digest = hashlib.sha256(key.encode()).digest()
    position = int.from_bytes(digest[:8], "big") / 2**64
    return parts[bisect(bounds, position, hi=len(bounds) - 1)]


def read_toml(package: str, name: str) -> dict[str, Any]:
    """Read a TOML file of wordings or word lists inside a package."""
    return tomllib.loads(resources.files(package).joinpath(name).read_text("utf-8"))
