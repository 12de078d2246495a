"""Answers of language models on disk, so that the same is not asked twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from logic_retrievers.errors import StorageError


class Answers:
    """An SQLite file from requests to answers; a connection for each use, so that threads and forks
    are safe.

    The key is a hash of the request. The file holds the answers in the clear, and is never pruned.

    Args:
        path: made where there is none.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    def get(self, request: Sequence[Any]) -> str | None:
        """The answer to a request, or None.

        Args:
            request: all that decides the answer, as JSON can hold it.
        """
        found = self._execute("SELECT answer FROM answers WHERE key = ?", _key(request))
        return found[0][0] if found else None

    def put(self, request: Sequence[Any], answer: str) -> None:
        """Keeps an answer, in place of an earlier one."""
        self._execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", _key(request), answer)

    def _execute(self, statement: str, *values: str | bytes) -> list[tuple[str]]:
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
                return connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StorageError(
                f"The cache of answers {str(self._path)!r} failed: {error}. Make room or check "
                "the rights; if it is damaged or no SQLite file, delete it."
            ) from error


def _key(request: Sequence[Any]) -> bytes:
    """JSON, not joined text: no two requests share a key."""
    return hashlib.sha256(json.dumps(list(request)).encode()).digest()
