"""Answers of language models, kept on disk."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from logic_retrievers.errors import StorageError
from logic_retrievers.files import private_file


class AnswerCache:
    """Answers by the hash of their request, in an SQLite file.

    Requests are not stored. The file is never pruned. Only its owner can read a new file. Each call
    opens its own connection, so threads, processes and forks are safe.

    Args:
        path: path of the file, created if missing.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path).absolute()  # SQLite treats ":memory:" specially
        private_file(self._path)
        self._execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    @property
    def path(self) -> str:
        return str(self._path)

    def get(self, key: bytes) -> str | None:
        """Return the answer, or None if there is none."""
        rows = self._execute("SELECT answer FROM answers WHERE key = ?", key)
        # SQLite enforces no column types
        return rows[0][0] if rows and isinstance(rows[0][0], str) else None

    def put(self, key: bytes, answer: str) -> None:
        self._execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", key, answer)

    def _execute(self, statement: str, *values: str | bytes) -> list[tuple[str]]:
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
                return connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StorageError(
                f"The cache of answers {self.path!r} failed: {error}. Make room or check "
                "the rights; if it is damaged or no SQLite file, delete it."
            ) from error


def request_key(*request: Any) -> bytes:
    """Return the hash of a request, given as JSON types."""
    # JSON, not joined strings, so that two requests never share a key
    return hashlib.sha256(json.dumps(request).encode()).digest()
