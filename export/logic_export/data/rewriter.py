"""A language model that rewords text; the templates of ``wording`` are the road without one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Protocol

import httpx
import tenacity
from pydantic import AliasPath, BaseModel, Field, ValidationError

from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    EmptyTextError,
    InputError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)

LONGEST_WAIT = 300.0
"""Seconds; an endpoint that asks for more is given up rather than asked too early."""

_backoff = tenacity.wait_exponential(multiplier=0.5, max=30.0) + tenacity.wait_random(0.0, 0.5)


class Rewriter(Protocol):
    """Anything that follows an instruction about a text."""

    def rewrite(self, instruction: str, text: str) -> str:
        """The answer.

        Raises:
            InputError: no usable answer to this text; to another one there may be.
        """


class ChatRewriter:
    """A model behind any ``/chat/completions`` endpoint of the OpenAI form.

    Nothing is logged. Messages of errors and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: what ``/chat/completions`` is appended to: ``http://127.0.0.1:8000/v1``.
        model: as the endpoint calls it.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        temperature, seed: sent along; None leaves them out, for models that refuse them.
        timeout: seconds of silence before a request counts as lost.
        retries: repetitions after a lost connection, status 429 or 5xx.
        cache: SQLite file of answers, made where there is none. The key is a hash of model,
            instruction, text, temperature and seed: a build can be repeated without asking again,
            from another address too. It holds the answers in the clear, and is never pruned.

    Raises:
        ConfigurationError: an address, a key or a number that cannot work.
        StorageError: the cache cannot be opened, read or written.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        api_key_variable: str | None = None,
        temperature: float | None = 0.0,
        seed: int | None = 0,
        timeout: float = 60.0,
        retries: int = 4,
        cache: Path | None = None,
    ) -> None:
        if not model.strip() or retries < 0 or not timeout > 0:
            raise ConfigurationError("Name a model; retries: 0 or more; timeout: above 0 seconds.")
        self._url = _checked_url(base_url)
        self._model = model
        self._key = _checked_key(api_key, api_key_variable)
        self._settings = {"temperature": temperature, "seed": seed}
        self._timeout = timeout
        self._retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(retries + 1),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(httpx.TransportError)
            | tenacity.retry_if_result(_may_pass),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        self._cache = None if cache is None else _Answers(cache)

    def __repr__(self) -> str:
        return f"ChatRewriter({self._url!r}, {self._model!r})"

    def rewrite(self, instruction: str, text: str) -> str:
        """The model's answer, without white space around it.

        Raises:
            InputError: an empty instruction, text or answer; an answer cut off or withheld.
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: nobody answers after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form.
        """
        instruction, text = check_texts([instruction, text])
        if self._cache is None:
            return self._read(self._ask(instruction, text))
        # JSON, not joined text: no two requests share a key
        request = json.dumps([self._model, instruction, text, *self._settings.values()])
        key = hashlib.sha256(request.encode()).digest()
        for (known,) in self._cache.execute("SELECT answer FROM answers WHERE key = ?", key):
            return known
        answer = self._read(self._ask(instruction, text))
        self._cache.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", key, answer)
        return answer

    def _ask(self, instruction: str, text: str) -> httpx.Response:
        roles = {"system": instruction, "user": text}
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": role, "content": said} for role, said in roles.items()],
        }
        body |= {name: value for name, value in self._settings.items() if value is not None}
        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        try:
            return self._retrying(
                httpx.post, self._url, json=body, headers=headers, timeout=self._timeout
            )
        except (httpx.ReadTimeout, httpx.WriteTimeout) as error:
            raise ServerTimeoutError(
                f"{self._url} gave no answer within {self._timeout} seconds. Raise timeout=."
            ) from error
        except httpx.RequestError as error:
            raise ServerUnavailableError(
                f"No readable answer from {self._url} ({type(error).__name__}). Is it running, is "
                "this its address?"
            ) from error

    def _read(self, response: httpx.Response) -> str:
        status = response.status_code
        said = f"status {status}{_error_code(response)}"
        if status in {401, 403}:
            raise AuthenticationError(
                f"{self._url} refused the API key, or wants one ({said}). Pass api_key= or "
                "api_key_variable=."
            )
        if _is_busy(response):
            raise ServerUnavailableError(
                f"{self._url} fails or has too much to do ({said}). Try later; a cache stays."
            )
        if status != httpx.codes.OK:
            raise ServerError(
                f"{self._url} refused the request ({said}). Check the address, the model's name "
                "and which settings it takes."
            )
        try:
            answer = _Completion.model_validate_json(response.content)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]["msg"]
            # from None: the validation error would show the text in a traceback
            raise ServerError(
                f"{self._url} answered, but not as /chat/completions does ({problem}). Is the "
                "base address right? It often ends in /v1."
            ) from None
        if answer.end in {"length", "content_filter"}:
            raise InputError(
                f"The answer of {self._model!r} is not whole ({answer.end}). Leave this text out."
            )
        if not (answer.content or "").strip():
            raise EmptyTextError(f"The answer of {self._model!r} is empty. Leave this text out.")
        return str(answer.content).strip()


class _Completion(BaseModel):
    content: str | None = Field(validation_alias=AliasPath("choices", 0, "message", "content"))
    end: str | None = Field(None, validation_alias=AliasPath("choices", 0, "finish_reason"))


def _checked_url(base_url: str) -> str:
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


def _checked_key(key: str | None, variable: str | None) -> str | None:
    if variable is not None:
        if key is not None:
            raise ConfigurationError("Pass either api_key or api_key_variable.")
        key = os.environ.get(variable, "").strip()
    # HTTP's own complaint about such a header would show it
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        place = "api_key" if variable is None else f"The environment variable {variable}"
        raise ConfigurationError(f"{place} is empty, or holds white space or more than ASCII.")
    return key


def _is_busy(response: httpx.Response) -> bool:
    return response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error


def _may_pass(response: httpx.Response) -> bool:
    return _is_busy(response) and _asked_wait(response) <= LONGEST_WAIT


def _wait(state: tenacity.RetryCallState) -> float:
    last = state.outcome
    asked = 0.0 if last is None or last.failed else _asked_wait(last.result())
    return max(_backoff(state), asked)


def _asked_wait(response: httpx.Response) -> float:
    """Seconds that the endpoint asks us to wait, given as such or as a date; 0: it does not."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):  # no date, or one without a time zone
        return 0.0


def _error_code(response: httpx.Response) -> str:
    """As ``model_not_found``; the message beside it is left out, for it may repeat the text."""
    found = re.search(rb'"(?:code|type)"\s*:\s*"([\w.-]{1,60})"', response.content)
    return f", {found[1].decode()}" if found else ""


class _Answers:
    """Answers on disk; a connection for each use, so that threads and forks are safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT) WITHOUT ROWID"
        )

    def execute(self, statement: str, *values: str | bytes) -> list[tuple[str]]:
        try:
            with closing(sqlite3.connect(self._path, timeout=60)) as connection, connection:
                return connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StorageError(
                f"The cache of answers {str(self._path)!r} failed: {error}. Make room or check "
                "the rights; if it is damaged or no SQLite file, delete it."
            ) from error
