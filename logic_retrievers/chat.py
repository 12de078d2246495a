"""Chat models: any ``/chat/completions`` endpoint of the OpenAI form, and a cache of answers."""

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

from logic_retrievers.atomic_files import private_file
from logic_retrievers.errors import StorageError
from logic_retrievers.model_endpoint import ModelEndpoint


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer of a model.

    Args:
        text: without white space around it; may be empty.
        end: why it ended: ``stop``, ``length`` (truncated), ``content_filter`` (withheld), or
            another value of the endpoint's; None where it gives none.
    """

    text: str
    end: str | None = None


class ChatEndpoint(ModelEndpoint):
    """A client of a chat model.

    Args:
        base_url, model, api_key, api_key_variable, timeout, retries: as in
            :class:`~logic_retrievers.model_endpoint.ModelEndpoint`.

    Raises:
        ConfigurationError: an invalid address, key or number.
    """

    _path = "/chat/completions"

    def complete(self, turns: Iterable[tuple[str, str]], **settings: float | None) -> Completion:
        """The model's answer to a conversation.

        Args:
            turns: (role, text) pairs; a role is ``system``, ``user`` or ``assistant``.
            **settings: sent with the request (``temperature``, ``seed``, ``max_tokens``); None
                leaves one out, for models that refuse it.

        Raises:
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: no answer after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form.
        """
        body: dict[str, Any] = {
            "messages": [{"role": role, "content": text} for role, text in turns],
        }
        body |= {name: value for name, value in settings.items() if value is not None}
        answer = self._ask(body, _Answer)
        return Completion((answer.content or "").strip(), answer.end)


class AnswerCache:
    """An SQLite file of requests and answers, so that no request is sent twice.

    Each use opens a connection of its own, so threads and forks are safe. The key is a hash of the
    request. The file holds the answers in plain text, and is never pruned. Where there is none it
    is made, so that only its owner may read it.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(path).absolute()  # SQLite has a meaning of its own for ":memory:"
        private_file(self._path)
        self._execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    def get(self, request: Sequence[Any]) -> str | None:
        """The answer to a request (all that it depends on, as JSON values), or None."""
        rows = self._execute("SELECT answer FROM answers WHERE key = ?", _key(request))
        # SQLite holds columns to no type
        return rows[0][0] if rows and isinstance(rows[0][0], str) else None

    def put(self, request: Sequence[Any], answer: str) -> None:
        """Stores an answer, replacing an earlier one."""
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
    """A hash over JSON, not over joined text, so that no two requests share a key."""
    return hashlib.sha256(json.dumps(list(request)).encode()).digest()
