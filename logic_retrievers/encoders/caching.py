"""Encoders that remember vectors: on disk (:class:`CachedEncoder`) or in memory."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.encoders.base import (
    Encoder,
    Role,
    RoleEncoder,
    Vectors,
    VectorSpec,
    check_names,
    clean_texts,
    encode,
)
from logic_retrievers.encoders.query_encoder import QueryEncoderSource, with_query_encoder
from logic_retrievers.errors import StorageError
from logic_retrievers.files import private_file

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID
"""


class _CachingEncoder(RoleEncoder):
    """Base of both caches; encodes only the texts that are not in the cache.

    The key of a vector is a hash of its name, the role, the role's fingerprint and the text.
    """

    _encoder: Encoder

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return self._encoder.specs

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._encoder.token_spans(text)

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> Self:
        """Return this cache around an encoder with a different query side; vectors never mix."""
        caching = object.__new__(type(self))  # `copy` calls __reduce__, which drops the memory
        caching.__dict__.update(self.__dict__)
        caching._encoder = with_query_encoder(self._encoder, source, head)
        return caching

    @abstractmethod
    def _read(self, dimensions: Mapping[bytes, int]) -> dict[bytes, Vectors]:
        """Return vectors by key; ``dimensions`` maps each wanted key to its dimension."""

    @abstractmethod
    def _write(self, rows: Mapping[bytes, Vectors]) -> None: ...

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        texts = clean_texts(texts)
        wanted = check_names(names, self.specs)
        specs = {name: self.specs[name] for name in wanted}
        keys = {
            (name, text): hashlib.sha256(f"{name}\0{mark}\0{role}\0{text}".encode()).digest()
            for name, mark in ((n, _mark(spec, role)) for n, spec in specs.items())
            for text in texts
        }
        known = self._read({key: specs[name].dimension for (name, _), key in keys.items()})
        texts_by_names: dict[tuple[str, ...], list[str]] = {}
        for text in dict.fromkeys(texts):
            if missing := tuple(name for name in wanted if keys[name, text] not in known):
                texts_by_names.setdefault(missing, []).append(text)
        computed = {
            keys[name, text]: row.copy()  # a view keeps its whole batch in memory
            for missing, batch in texts_by_names.items()
            for name, rows in encode(self._encoder, role, batch, missing).items()
            for text, row in zip(batch, rows, strict=True)
        }
        if finite := {key: row for key, row in computed.items() if np.isfinite(row).all()}:
            self._write(finite)
        known |= computed
        vectors: dict[str, Vectors] = {}
        for name in wanted:
            rows = np.array([known[keys[name, text]] for text in texts], dtype=np.float32)
            vectors[name] = rows.reshape(len(texts), specs[name].dimension)
            vectors[name].setflags(write=False)
        return vectors


def _mark(spec: VectorSpec, role: Role) -> str:
    """Return what tells vectors of one name apart; float32 is left out, as in older files."""
    return spec.fingerprint_for(role) + ("" if spec.precision == "float32" else spec.precision)


class CachedEncoder(_CachingEncoder):
    """An encoder with a cache on disk, for several threads and processes at once.

    Fingerprints are part of the keys, so a new bundle never reads an old bundle's vectors. The
    file holds no text. A damaged row is encoded again. The file grows with every new text (4 bytes
    per coordinate) and is never pruned; delete it to start again. Encoding a text that is too long
    causes a warning; reading its vector from the file does not.

    Args:
        encoder: computes the vectors that are not in the file.
        path: path of the SQLite file, not on a network file system. A missing file or folder is
            created so that only its owner may read it.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, encoder: Encoder, path: str | Path) -> None:
        check_type("encoder", encoder, Encoder)
        check_type("path", path, str, Path)
        self._encoder = encoder
        self._path = Path(path).absolute()  # for SQLite a bare ":memory:" is not a file
        private_file(self._path)
        with self._open() as connection:
            # WAL lets readers and a writer work at once. Unlike later statements, this one does not
            # wait for locks, so it may fail while a different process turns on WAL for the file.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(_SCHEMA)

    def _read(self, dimensions: Mapping[bytes, int]) -> dict[bytes, Vectors]:
        vectors: dict[bytes, Vectors] = {}
        with self._open() as connection:
            for key, dimension in dimensions.items():
                found = connection.execute(
                    "SELECT vector, checksum FROM vectors WHERE key = ?", [key]
                ).fetchone()
                blob, checksum = found or (None, 0)
                if (
                    isinstance(blob, bytes)  # SQLite does not enforce types
                    and len(blob) == 4 * dimension
                    and zlib.crc32(blob) == checksum
                ):
                    vectors[key] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
        return vectors

    def _write(self, rows: Mapping[bytes, Vectors]) -> None:
        blobs = [(key, row.astype("<f4").tobytes()) for key, row in rows.items()]
        with self._open() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(key, blob, zlib.crc32(blob)) for key, blob in blobs],
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Connect for one transaction, which takes 0.25 ms and is safe after a fork."""
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
                connection.execute("PRAGMA synchronous=NORMAL")
                yield connection
        except (sqlite3.Error, UnicodeDecodeError) as error:  # damaged files: UnicodeDecodeError
            raise StorageError(
                f"The embedding cache {str(self._path)!r} failed: {error}. Make room or check the "
                "rights; if it is damaged or no SQLite file, delete it; or do without a cache."
            ) from error


class RecentEncoder(_CachingEncoder):
    """An encoder that remembers its most recent vectors in memory.

    LlamaIndex embeds a node and then stores it. This cache spares the store a second encoding.

    Args:
        encoder: computes the vectors that are not remembered.
        size: number of vectors to keep; a vector takes 4 bytes per coordinate.

    Raises:
        ConfigurationError: ``encoder`` is not an encoder, or ``size`` is under 1.
    """

    def __init__(self, encoder: Encoder, size: int = 8192) -> None:
        check_type("encoder", encoder, Encoder)
        check_count("size", size)
        self._encoder, self._size = encoder, size
        self._memory: dict[bytes, Vectors] = {}  # oldest first
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the encoder without the memory."""
        return RecentEncoder, (self._encoder, self._size)

    def _read(self, dimensions: Mapping[bytes, int]) -> dict[bytes, Vectors]:
        with self._lock:
            return {key: self._memory[key] for key in dimensions if key in self._memory}

    def _write(self, rows: Mapping[bytes, Vectors]) -> None:
        with self._lock:
            self._memory.update(rows)
            while len(self._memory) > self._size:
                del self._memory[next(iter(self._memory))]
