"""A folder to work in, a small encoder, and an index: what the targets share."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from query_files import write_noisy
from suites.hashed_encoder import HashedEncoder
from tiny_bundles import head, rewrite_manifest, write_tiny_bundle

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

__all__ = [
    "TESTS",
    "VECTORS",
    "head",
    "inns",
    "open_index",
    "rewrite_manifest",
    "small_encoder",
    "workplace",
    "write_noisy",
    "write_tiny_bundle",
]
TESTS = Path(__file__).resolve().parent.parent
VECTORS = ("topical", "compatibility", "contradiction")


@contextmanager
def workplace() -> Iterator[Path]:
    """A temporary folder that is the working directory, so deep that ``../..`` stays inside it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True) as top:
        folder = Path(top) / "one" / "two" / "three" / "four"
        folder.mkdir(parents=True)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def small_encoder() -> HashedEncoder:
    """An encoder without a model, which keeps no text."""
    encoder = HashedEncoder(VECTORS, dimension=32)
    encoder.encoded = deque(maxlen=0)  # type: ignore[assignment]
    return encoder


def open_index(encoder: Encoder | None = None, **settings: Any) -> PassageIndex:
    """An index of its own in a temporary folder, with all vectors."""
    return PassageIndex.open("fuzz", encoder or small_encoder(), **{"vectors": VECTORS, **settings})


def inns(count: int = 12) -> list[Passage]:
    """Plain passages, some of which contradict each other."""
    places = ("river", "garden", "station", "harbour")
    return [
        Passage(
            f"inn-{n}",
            f"The inn by the {places[n % 4]} number {n // 2} is {'quiet' if n % 2 else 'noisy'}.",
            {"city": ("Oslo", "Bergen")[n % 2], "year": 2015 + n, "date": f"20{10 + n}-05-01"},
            source=f"guide-{n % 3}",
        )
        for n in range(count)
    ]
