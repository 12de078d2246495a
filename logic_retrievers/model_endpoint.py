"""Requests to an endpoint of the OpenAI form, whatever it is asked for."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from typing import Any, ClassVar, NoReturn, TypeVar

import httpx
import tenacity
from pydantic import BaseModel, ValidationError

from logic_retrievers.api_keys import Secrets, check_key
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
)
from logic_retrievers.server_requests import (
    RequestLimits,
    call_within,
    check_address,
    requested_pause,
)

A = TypeVar("A", bound=BaseModel)

_backoff = tenacity.wait_exponential(multiplier=0.5, max=30.0) + tenacity.wait_random(0.0, 0.5)


class ModelEndpoint:
    """Base of clients of one model; repeats requests where its endpoint is unreachable or busy.

    Nothing is logged. Error messages and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: address without the request's own path: ``http://127.0.0.1:8000/v1``.
        model: its name at the endpoint.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        timeout: seconds that a request may take, to the last byte of the answer.
        retries: repetitions after a lost connection, status 429 or 5xx. With them and the pauses,
            also those that the endpoint wants, a request takes ``timeout * (retries + 1)``
            seconds at most.

    Raises:
        ConfigurationError: an invalid address, key or number.
    """

    _path: ClassVar[str]

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
        self.url = address.rstrip("/") + self._path
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
        return f"{type(self).__name__}({self.url!r}, {self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds a key, and is not pickled")

    def _ask(self, body: dict[str, Any], form: type[A]) -> A:
        """The answer to a request, in the form of a pydantic model."""
        response = self._post({"model": self.model, **body})
        self._check(response)
        try:
            return form.model_validate_json(response.content)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]["msg"]
            # from None: the validation error would show the text in a traceback
            raise ServerError(
                f"{self.url} answered, but not as {self._path} does ({problem}). Is the "
                "base address right? It often ends in /v1."
            ) from None

    def _post(self, body: dict[str, Any]) -> httpx.Response:
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

    def _check(self, response: httpx.Response) -> None:
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
                f"{self.url} fails or has too much to do ({details}).{wish} Try later."
            )
        if status != httpx.codes.OK:
            raise ServerError(
                f"{self.url} refused the request ({details}). Check the address, the model's name "
                "and which settings it takes."
            )


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
