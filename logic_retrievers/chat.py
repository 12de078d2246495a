"""Chat models: any ``/chat/completions`` endpoint of the OpenAI form, and a cache of answers."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx
import tenacity
from pydantic import AliasPath, BaseModel, Field, ValidationError

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)

LONGEST_WAIT = 300.0
"""Seconds; a request is not repeated if the endpoint asks for a longer wait."""

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
        timeout: seconds of silence before a request counts as lost.
        retries: repetitions after a lost connection, status 429 or 5xx.

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
        if not model.strip() or retries < 0 or not timeout > 0:
            raise ConfigurationError("Name a model; retries: 0 or more; timeout: above 0 seconds.")
        self.url = _completions_url(base_url)
        self.model = model
        self._key = _read_key(api_key, api_key_variable)
        self._timeout = timeout
        self._retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(retries + 1),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(httpx.TransportError)
            | tenacity.retry_if_result(_should_retry),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )

    def __repr__(self) -> str:
        return f"ChatEndpoint({self.url!r}, {self.model!r})"

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
        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        try:
            return self._retrying(
                httpx.post, self.url, json=body, headers=headers, timeout=self._timeout
            )
        except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
            raise ServerTimeoutError(
                f"{self.url} gave no answer within {self._timeout} seconds. Raise timeout=."
            ) from error
        except httpx.RequestError as error:
            raise ServerUnavailableError(
                f"No readable answer from {self.url} ({type(error).__name__}). Is it running, is "
                "this its address?"
            ) from error

    def _parse(self, response: httpx.Response) -> Completion:
        status = response.status_code
        details = f"status {status}{_error_code(response)}"
        if status in {401, 403}:
            raise AuthenticationError(
                f"{self.url} refused the API key, or wants one ({details}). Pass api_key= or "
                "api_key_variable=."
            )
        if _is_busy(response):
            raise ServerUnavailableError(
                f"{self.url} fails or has too much to do ({details}). Try later; a cache stays."
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
    request. The file holds the answers in plain text, and is never pruned.

    Raises:
        StorageError: the file cannot be opened, read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    def get(self, request: Sequence[Any]) -> str | None:
        """The answer to a request (all that it depends on, as JSON values), or None."""
        rows = self._execute("SELECT answer FROM answers WHERE key = ?", _key(request))
        return rows[0][0] if rows else None

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


def _completions_url(base_url: str) -> str:
    try:
        url = httpx.URL(base_url.rstrip("/") + "/chat/completions")
    except httpx.InvalidURL:
        url = httpx.URL("")
    # a key in the address would be in messages, and in the log of httpx
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query:
        raise ConfigurationError(
            "base_url is an address as http://127.0.0.1:8000/v1, without user name, password or "
            "query. Pass a key as api_key= or api_key_variable=."
        )
    return str(url)


def _read_key(key: str | None, variable: str | None) -> str | None:
    if variable is not None:
        if key is not None:
            raise ConfigurationError("Pass either api_key or api_key_variable.")
        key = os.environ.get(variable, "").strip()
    # the HTTP client's own error about such a header would show the key
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        place = "api_key" if variable is None else f"The environment variable {variable}"
        raise ConfigurationError(f"{place} is empty, or holds white space or more than ASCII.")
    return key


def _is_busy(response: httpx.Response) -> bool:
    return response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error


def _should_retry(response: httpx.Response) -> bool:
    return _is_busy(response) and _requested_wait(response) <= LONGEST_WAIT


def _wait(state: tenacity.RetryCallState) -> float:
    last = state.outcome
    requested = 0.0 if last is None or last.failed else _requested_wait(last.result())
    return max(_backoff(state), requested)


def _requested_wait(response: httpx.Response) -> float:
    """Seconds to wait by the header ``Retry-After``, a number or a date; 0 without it."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):  # no date, or one without a time zone
        return 0.0


def _error_code(response: httpx.Response) -> str:
    """Such as ``model_not_found``; the message is left out, because it may repeat the text."""
    match = re.search(rb'"(?:code|type)"\s*:\s*"([\w.-]{1,60})"', response.content)
    return f", {match[1].decode()}" if match else ""


def _key(request: Sequence[Any]) -> bytes:
    """A hash over JSON, not over joined text, so that no two requests share a key."""
    return hashlib.sha256(json.dumps(list(request)).encode()).digest()
