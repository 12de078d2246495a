"""A model behind any ``/chat/completions`` endpoint of the OpenAI form."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
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
)

LONGEST_WAIT = 300.0
"""Seconds; an endpoint that asks for more is given up rather than asked too early."""

_backoff = tenacity.wait_exponential(multiplier=0.5, max=30.0) + tenacity.wait_random(0.0, 0.5)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said.

    Args:
        text: without white space around it; may be empty.
        end: why it ended there: ``stop``, ``length`` (cut off), ``content_filter`` (withheld), or
            whatever else the endpoint says; None where it says nothing.
    """

    text: str
    end: str | None = None


class ChatEndpoint:
    """Asks a model, and again where the endpoint is lost or busy.

    Nothing is logged. Messages of errors and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: what ``/chat/completions`` is appended to: ``http://127.0.0.1:8000/v1``.
        model: as the endpoint calls it.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        timeout: seconds of silence before a request counts as lost.
        retries: repetitions after a lost connection, status 429 or 5xx.

    Raises:
        ConfigurationError: an address, a key or a number that cannot work.
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
        self.url = _checked_url(base_url)
        self.model = model
        self._key = _checked_key(api_key, api_key_variable)
        self._timeout = timeout
        self._retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(retries + 1),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(httpx.TransportError)
            | tenacity.retry_if_result(_may_pass),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )

    def __repr__(self) -> str:
        return f"ChatEndpoint({self.url!r}, {self.model!r})"

    def complete(self, turns: Iterable[tuple[str, str]], **settings: float | None) -> Completion:
        """The model's answer to a conversation.

        Args:
            turns: role (``system``, ``user`` or ``assistant``) and text of each.
            **settings: sent along (``temperature``, ``seed``, ``max_tokens``); None leaves one out,
                for models that refuse it.

        Raises:
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: nobody answers after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form.
        """
        return self._read(self._ask(turns, settings))

    def _ask(
        self, turns: Iterable[tuple[str, str]], settings: dict[str, float | None]
    ) -> httpx.Response:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": role, "content": said} for role, said in turns],
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

    def _read(self, response: httpx.Response) -> Completion:
        status = response.status_code
        said = f"status {status}{_error_code(response)}"
        if status in {401, 403}:
            raise AuthenticationError(
                f"{self.url} refused the API key, or wants one ({said}). Pass api_key= or "
                "api_key_variable=."
            )
        if _is_busy(response):
            raise ServerUnavailableError(
                f"{self.url} fails or has too much to do ({said}). Try later; a cache stays."
            )
        if status != httpx.codes.OK:
            raise ServerError(
                f"{self.url} refused the request ({said}). Check the address, the model's name "
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


class _Body(BaseModel):
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
