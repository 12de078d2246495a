"""Chat models: any ``/chat/completions`` endpoint of the OpenAI form, and a cache of answers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import httpx
import tenacity
from pydantic import AliasPath, BaseModel, Field, ValidationError

from logic_retrievers.api_keys import Secrets, check_key
from logic_retrievers.atomic_files import private_file
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.server_requests import (
    RequestLimits,
    call_within,
    check_address,
    requested_pause,
)

_backoff = tenacity.wait_exponential(multiplier=0.5, max=30.0) + tenacity.wait_random(0.0, 0.5)


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


class ChatEndpoint:
    """A client of a chat model; repeats requests where the endpoint is unreachable or busy.

    Nothing is logged. Error messages and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: address without ``/chat/completions``: ``http://127.0.0.1:8000/v1``.
        model: its name at the endpoint.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        timeout: seconds that a request may take, to the last byte of the answer.
        retries: repetitions after a lost connection, status 429 or 5xx. With them and the pauses,
            also those that the endpoint wants, a completion takes ``timeout * (retries + 1)``
            seconds at most.

    Raises:
        ConfigurationError: an invalid address, key or number.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        api_key_variable: str | None = None,
        timeout: float = 60.0,
        retries: int = 4,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise ConfigurationError("model= is the name of a model.")
        self._limits = RequestLimits(timeout, retries)
        address = check_address(base_url, "base_url=", "http://127.0.0.1:8000/v1")
        self.url = address.rstrip("/") + "/chat/completions"
        self.model = model
        key = _read_key(api_key, api_key_variable)
        self._secrets = Secrets(key)
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._retrying = tenacity.Retrying(
            stop=self._limits.stop,
            wait=_wait,
            retry=tenacity.retry_if_exception_type((httpx.TransportError, TimeoutError))
            | tenacity.retry_if_result(_is_busy),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )

    def __repr__(self) -> str:
        return f"ChatEndpoint({self.url!r}, {self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a ChatEndpoint holds a key, and is not pickled")

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
        return self._parse(self._post(turns, settings))

    def _post(
        self, turns: Iterable[tuple[str, str]], settings: dict[str, float | None]
    ) -> httpx.Response:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in turns],
        }
        body |= {name: value for name, value in settings.items() if value is not None}
        begun = time.monotonic()
        post = partial(
            httpx.post, self.url, json=body, headers=self._headers, timeout=self._limits.timeout
        )
        try:
            return self._retrying(lambda: call_within(self._limits.seconds_left(begun), post))
        except (httpx.ReadTimeout, httpx.WriteTimeout, TimeoutError) as error:
            raise ServerTimeoutError(
                f"{self.url} gave no whole answer within {self._limits.timeout:g} seconds. Raise"
                " timeout=."
            ) from error
        except httpx.RequestError as error:
            raise ServerUnavailableError(
                f"No readable answer from {self.url} ({type(error).__name__}). Is it running, is "
                "this its address?"
            ) from error

    def _parse(self, response: httpx.Response) -> Completion:
        status = response.status_code
        details = self._secrets.mask(f"status {status}{_error_code(response)}")
        if status in {401, 403}:
            raise AuthenticationError(
                f"{self.url} refused the API key, or wants one ({details}). Pass api_key= or "
                "api_key_variable=."
            )
        if _is_busy(response):
            pause = requested_pause(response.headers.get("Retry-After"))
            wish = f" It asks for a pause of {pause:.0f} seconds." if pause else ""
            raise ServerUnavailableError(
                f"{self.url} fails or has too much to do ({details}).{wish} Try later; a cache"
                " stays."
            )
        if status != httpx.codes.OK:
            raise ServerError(
                f"{self.url} refused the request ({details}). Check the address, the model's name "
                "and which settings it takes."
            )
        try:
            answer = _Body.model_validate_json(response.content)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]["msg"]
            # from None: the validation error would show the text in a traceback
            raise ServerError(
                f"{self.url} answered, but not as /chat/completions does ({problem}). Is the "
                "base address right? It often ends in /v1."
            ) from None
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


class _Body(BaseModel):
    content: str | None = Field(validation_alias=AliasPath("choices", 0, "message", "content"))
    end: str | None = Field(None, validation_alias=AliasPath("choices", 0, "finish_reason"))


def _read_key(key: str | None, variable: str | None) -> str | None:
    if variable is not None:
        if key is not None:
            raise ConfigurationError("Pass either api_key or api_key_variable.")
        key = os.environ.get(variable, "").strip()
        return check_key(key, f"The environment variable {variable}")
    return None if key is None else check_key(key)


def _is_busy(response: httpx.Response) -> bool:
    return response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error


def _wait(state: tenacity.RetryCallState) -> float:
    last = state.outcome
    wanted = "" if last is None or last.failed else last.result().headers.get("Retry-After")
    return max(_backoff(state), requested_pause(wanted))


def _error_code(response: httpx.Response) -> str:
    """Such as ``model_not_found``; the message is left out, because it may repeat the text."""
    match = re.search(rb'"(?:code|type)"\s*:\s*"([\w.-]{1,60})"', response.content)
    return f", {match[1].decode()}" if match else ""


def _key(request: Sequence[Any]) -> bytes:
    """A hash over JSON, not over joined text, so that no two requests share a key."""
    return hashlib.sha256(json.dumps(list(request)).encode()).digest()
