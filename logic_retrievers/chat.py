"""Chat models behind OpenAI-compatible ``/chat/completions`` endpoints, and a cache of answers."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from logic_retrievers.errors import StorageError
from logic_retrievers.files import private_file
from logic_retrievers.http import ModelEndpoint


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a chat model.

    Args:
        text: the answer without surrounding white space; may be empty.
        end: why it ended: ``stop``, ``length`` (truncated), ``content_filter`` (withheld), or
            another value of the endpoint; None where the endpoint gives none.
    """

    text: str
    end: str | None = None


class ChatEndpoint(ModelEndpoint):
    """A client of a chat model; see :class:`~logic_retrievers.http.ModelEndpoint`."""

    _path = "/chat/completions"

    def complete(self, turns: Iterable[tuple[str, str]], **settings: float | None) -> Completion:
        """Send a conversation and return the model's answer.

        Args:
            turns: (role, text) pairs; a role is ``system``, ``user`` or ``assistant``.
            **settings: sent with the request (``temperature``, ``seed``, ``max_tokens``). None
                leaves a setting out, for models that refuse it.

        Raises:
            AuthenticationError: the key is missing or refused.
            ServerUnavailableError: no answer after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: the endpoint refused, or gave an answer of another form.
        """
        body: dict[str, Any] = {
            "messages": [{"role": role, "content": text} for role, text in turns],
        }
        body |= {name: value for name, value in settings.items() if value is not None}
        answer = self._ask(body, _Answer)
        return Completion((answer.content or "").strip(), answer.end)


class AnswerCache:
    """An SQLite file of requests and answers, so that no request is sent twice.

    Each call opens its own connection, so threads and forks are safe. The key is a hash of the
    request. The file holds answers in plain text and is never pruned. A new file is readable by
    its owner alone.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(path).absolute()  # SQLite gives ":memory:" a meaning of its own
        private_file(self._path)
        self._execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    def get(self, request: Sequence[Any]) -> str | None:
        """Return the answer to a request, or None; a request is a list of JSON values."""
        rows = self._execute("SELECT answer FROM answers WHERE key = ?", _key(request))
        # SQLite enforces no column types
        return rows[0][0] if rows and isinstance(rows[0][0], str) else None

    def put(self, request: Sequence[Any], answer: str) -> None:
        """Store an answer; it replaces an earlier one."""
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


class _Answer(BaseModel):
    content: str | None = Field(validation_alias=AliasPath("choices", 0, "message", "content"))
    end: str | None = Field(None, validation_alias=AliasPath("choices", 0, "finish_reason"))


def _key(request: Sequence[Any]) -> bytes:
    # of JSON, not of joined text: two requests never share a key
    return hashlib.sha256(json.dumps(list(request)).encode()).digest()
