"""Vectors kept on disk, so that a text is encoded once."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import numpy as np

from logic_retrievers.encoders.base import Encoder, Vectors, VectorSpec, check_names
from logic_retrievers.encoders.manifest import Role
from logic_retrievers.encoders.query_encoder import QueryEncoderSource
from logic_retrievers.encoders.swapping import with_query_encoder
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import StorageError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID
"""
_AT_ONCE = 500
"""Keys of one query; SQLite's oldest limit on parameters is 999."""


class CachedEncoder:
    """An encoder with a memory on disk, for several threads and processes at once.

    A row is keyed by a hash of the fingerprint of its vector's side, the role and the text, so a
    new bundle never reads the vectors of an old one, and the file holds no text. A damaged row is
    encoded again. The file grows with every new text (4 bytes a coordinate) and is never pruned:
    delete it to start afresh. A text that is longer than the encoder reads warns when it is
    encoded, not when its vector comes from the file.

    Args:
        encoder: makes what is not in the file.
        path: of an SQLite file, made where there is none; not on a network file system.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, encoder: Encoder, path: str | Path) -> None:
        self._encoder = encoder
        self._path = Path(path)
        with self._open() as connection:
            # readers and a writer at once; the switch waits for no one, unlike all that follows:
            # where another process is at it, its switch counts for this one too
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(_SCHEMA)

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors of the encoder behind."""
        return self._encoder.specs

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries, from the file where it has them."""
        return self._encode("query", texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents, from the file where it has them."""
        return self._encode("document", texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Those of the encoder behind."""
        return self._encoder.token_spans(text)

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> CachedEncoder:
        """The same file before an encoder with another query side; each finds its own vectors."""
        return CachedEncoder(with_query_encoder(self._encoder, source, head), self._path)

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        checked = check_texts(texts)
        wanted = check_names(names, self.specs)
        keys = {name: [self._key(name, role, text) for text in checked] for name in wanted}
        dimensions = {key: self.specs[name].dimension for name in wanted for key in keys[name]}
        known = self._read(dimensions)
        new_names = [name for name in wanted if any(key not in known for key in keys[name])]
        new_texts = {
            text: None
            for name in new_names
            for text, key in zip(checked, keys[name], strict=True)
            if key not in known
        }
        if new_texts:
            encoder = self._encoder
            encode = encoder.encode_queries if role == "query" else encoder.encode_documents
            vectors = encode(list(new_texts), new_names)
            fresh = {
                self._key(name, role, text): row
                for name in new_names
                for text, row in zip(new_texts, vectors[name], strict=True)
            }
            self._write(fresh)
            known |= fresh
        return {name: self._stack(name, [known[key] for key in keys[name]]) for name in wanted}

    def _key(self, name: str, role: Role, text: str) -> bytes:
        side = self.specs[name].side(role)
        return hashlib.sha256(f"{side}\0{role}\0{text}".encode()).digest()

    def _stack(self, name: str, rows: Sequence[Vectors]) -> Vectors:
        array = np.empty((len(rows), self.specs[name].dimension), dtype=np.float32)
        for index, row in enumerate(rows):
            array[index] = row
        array.setflags(write=False)
        return array

    def _read(self, dimensions: Mapping[bytes, int]) -> dict[bytes, Vectors]:
        keys = list(dimensions)
        found: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), _AT_ONCE):
            some = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(some))
            with self._open() as connection:
                rows = connection.execute(
                    f"SELECT key, vector, checksum FROM vectors WHERE key IN ({marks})", some
                ).fetchall()
            for key, blob, checksum in rows:
                if len(blob) == 4 * dimensions[key] and zlib.crc32(blob) == checksum:
                    found[key] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
        return found

    def _write(self, rows: Mapping[bytes, Vectors]) -> None:
        blobs = [(key, row.astype("<f4").tobytes()) for key, row in rows.items()]
        with self._open() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(key, blob, zlib.crc32(blob)) for key, blob in blobs],
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction: a quarter of a millisecond, and safe after a fork."""
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
                connection.execute("PRAGMA synchronous=NORMAL")
                yield connection
        except sqlite3.Error as error:
            raise StorageError(
                f"The embedding cache {str(self._path)!r} failed: {error}. Make room or check the "
                "rights; if it is damaged or no SQLite file, delete it; or do without a cache."
            ) from error
