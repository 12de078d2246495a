"""Requests to servers: addresses, keys, deadlines, retries, and endpoints of models."""

from __future__ import annotations

import base64
import html
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache, partial
from numbers import Integral, Real
from typing import Any, ClassVar, NoReturn, TypeVar

import httpx
import tenacity
from pydantic import BaseModel, SecretStr, ValidationError

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    RefusedRequestError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
)

T = TypeVar("T")
A = TypeVar("A", bound=BaseModel)

LONGEST_ADDRESS = 2048
LONGEST_TIMEOUT = 86_400
LONGEST_PAUSE = 10**9
MOST_RETRIES = 1000
# Seconds added to a deadline, so that the HTTP client's own time-out comes first: its error says
# whether the connection or the answer was slow.
GRACE = 0.2
# a setting, or the length of a text, that the model does not take
_REFUSED = {httpx.codes.BAD_REQUEST, 413, httpx.codes.UNPROCESSABLE_ENTITY}

_VISIBLE_ASCII = re.compile(r"[!-~]+")
_LABEL = r"[a-z0-9_-]{1,63}"
_ADDRESS = re.compile(
    rf"https?://(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9a-f:.]+\])"
    r"(?::[0-9]{1,5})?(?:/[a-z0-9._~%!$&'()*+,;=:@/-]*)?",
    re.IGNORECASE | re.ASCII,
)
_backoff = tenacity.wait_exponential(multiplier=0.5, max=30.0) + tenacity.wait_random(0.0, 0.5)


def check_address(address: object, setting: str, example: str) -> str:
    """Return a server's address if a request can be sent to it.

    User names, passwords and queries are refused, because messages and logs show addresses.
    The error does not show the refused address, which may hold a key.
    """
    url = None
    if isinstance(address, str) and len(address) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(address):
        with suppress(httpx.InvalidURL):  # brackets around something that is not an IPv6 address
            url = httpx.URL(address)
    port = 1 if url is None or url.port is None else url.port
    if url is None or len(url.raw_host) > 253 or not 0 < port < 65536:
        raise ConfigurationError(
            f"{setting} is a server's address such as {example}: http or https, a host in ASCII"
            " (the xn-- form of another), a port up to 65535 and a path, without user name,"
            " password, query or blanks. Pass a key as api_key=."
        )
    return str(address)


def check_key(key: object, name: str = "api_key") -> str:
    """Return an API key if a request can carry it.

    Other keys are refused here, because an HTTP client's error shows them.
    """
    if not isinstance(key, str) or not _VISIBLE_ASCII.fullmatch(key):
        raise ConfigurationError(
            f"{name} is empty, no text, or holds white space or more than visible ASCII."
        )
    return key


def mask(text: str, secrets: Sequence[SecretStr]) -> str:
    """Replace each secret by ``***``, also where it is escaped or encoded."""
    return _pattern(secrets).sub("***", text)


def shows(error: BaseException, secrets: Sequence[SecretStr]) -> bool:
    """Tell whether an error or one of its causes shows a secret in its text or fields."""
    pattern = _pattern(secrets)
    return any(pattern.search(f"{e} {e!r} {vars(e)}") for e in _with_causes(error))


def _pattern(secrets: Sequence[SecretStr]) -> re.Pattern[str]:
    forms = [form for secret in secrets for form in _forms(secret.get_secret_value())]
    return re.compile("|".join(forms) or r"(?!)", re.IGNORECASE)


def _forms(value: str) -> Iterator[str]:
    """Yield regular expressions for a secret: with escaped characters, and as base64."""
    yield "".join(
        rf"(?:{re.escape(char)}|%{ord(char):02x})"
        if char == "\\"
        else rf"\\*(?:{re.escape(char)}|%{ord(char):02x}|{re.escape(html.escape(char))})"
        for char in value
    )
    yield re.escape(base64.b64encode(value.encode()).decode().rstrip("="))


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    remaining: list[object] = [error]
    seen: set[int] = set()
    while remaining:
        each = remaining.pop()
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            remaining += [each.__cause__, each.__context__, *vars(each).values()]


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long a request may take, and how often it is repeated.

    Args:
        timeout: seconds from the start of a request to the last byte of its answer.
        retries: maximum repetitions; for defaults see ``index/connection.py`` (Qdrant) and
            :class:`ModelEndpoint`. A request with all repetitions and pauses takes at most
            ``timeout * (retries + 1)`` seconds.
    """

    timeout: float
    retries: int

    def __post_init__(self) -> None:
        if not is_number(self.timeout, Real) or not 0 < self.timeout <= LONGEST_TIMEOUT:
            raise ConfigurationError(
                f"timeout= is a number of seconds over 0 and up to {LONGEST_TIMEOUT:,}."
            )
        if not is_number(self.retries, Integral) or not 0 <= self.retries <= MOST_RETRIES:
            raise ConfigurationError(f"retries= is a whole number from 0 to {MOST_RETRIES:,}.")
        object.__setattr__(self, "timeout", float(self.timeout))
        object.__setattr__(self, "retries", int(self.retries))

    @property
    def total(self) -> float:
        """Seconds for a request with all its repetitions and pauses."""
        return self.timeout * (self.retries + 1)

    @property
    def stop(self) -> tenacity.stop.stop_base:
        """Stop after the last repetition, or before a pause that would end after :attr:`total`."""
        return tenacity.stop_after_attempt(self.retries + 1) | tenacity.stop_before_delay(
            self.total
        )

    def seconds_left(self, begun: float) -> float:
        """Seconds for the next attempt at a request that began at ``begun`` (monotonic time)."""
        return max(0.0, min(self.timeout, begun + self.total - time.monotonic())) + GRACE


def is_number(value: object, kind: type) -> bool:
    """Tell whether a value belongs to a class of :mod:`numbers` and is not a boolean."""
    return isinstance(value, kind) and not isinstance(value, bool)


def call_within(seconds: float, function: Callable[[], T]) -> T:
    """Call a function in a thread of its own and return its value within a deadline.

    An HTTP client's time-outs restart with each packet, so without a deadline a server that sends a
    byte now and then can hold the caller for hours. At the deadline the thread is abandoned, and
    ends when the server hangs up or the process ends. It sees the caller's context variables.
    """
    outcome: Future[T] = Future()
    run = copy_context().run

    def call() -> None:
        try:
            outcome.set_result(run(function))
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=call, name="logic-retrievers-request", daemon=True).start()
    return outcome.result(seconds)


def requested_pause(value: object) -> float:
    """Seconds in a ``Retry-After`` header (a number or a date); 0 if it cannot be read."""
    text = str(value or "").strip()
    try:
        if re.fullmatch(r"[0-9]+(?:\.[0-9]*)?", text):
            seconds = float(text)
        else:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError):  # no date, or one without a time zone
        return 0.0
    return min(max(seconds, 0.0), LONGEST_PAUSE)


class ModelEndpoint:
    """Base class of clients for one model behind an OpenAI-compatible endpoint.

    Requests are repeated if the endpoint is unreachable or busy. Nothing is logged. Error
    messages and the ``repr`` hold neither the key nor any text.

    Args:
        base_url: address without the path of a request: ``http://127.0.0.1:8000/v1``.
        model: name of the model at the endpoint; empty where a subclass allows it.
        api_key, api_key_variable: the key, or the environment variable that holds it.
        timeout: seconds that a request may take, to the last byte of the answer.
        retries: repetitions after a lost connection, status 429, or 5xx other than 501. With all
            repetitions and pauses, including those that the endpoint asks for, a request takes at
            most ``timeout * (retries + 1)`` seconds.
    """

    _path: str
    _needs_model: ClassVar[bool] = True

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
        if not isinstance(model, str) or (self._needs_model and not model.strip()):
            raise ConfigurationError("model= is the name of a model.")
        self._limits = RequestLimits(timeout, retries)
        address = check_address(base_url, "base_url=", "http://127.0.0.1:8000/v1")
        self.url = address.rstrip("/") + self._path
        self.model = model
        if api_key_variable is not None:
            if api_key is not None:
                raise ConfigurationError("Pass either api_key or api_key_variable.")
            api_key = os.environ.get(api_key_variable, "").strip()
            check_key(api_key, f"The environment variable {api_key_variable}")
        self._secrets = [] if api_key is None else [SecretStr(check_key(api_key))]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, {self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} holds a key, and is not pickled")

    def _ask(self, body: dict[str, Any], form: type[A]) -> A:
        """Send a request and read the answer as a pydantic model."""
        response = self._post({"model": self.model, **body} if self.model else body)
        self._check(response)
        try:
            return form.model_validate_json(response.content)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]["msg"]
            # from None: the validation error would show the text in a traceback
            raise ServerError(
                f"{self.url} answered, but not as {self._path} does ({problem}). Is the base"
                " address right? It often ends in /v1."
            ) from None

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        begun = time.monotonic()
        headers = {}
        if self._secrets:
            headers["Authorization"] = f"Bearer {self._secrets[0].get_secret_value()}"
        post = partial(
            httpx.post,
            self.url,
            json=body,
            headers=headers,
            timeout=self._limits.timeout,
            verify=_certificates(),
        )
        retrying = tenacity.Retrying(
            stop=self._limits.stop,
            wait=_pause,
            retry=tenacity.retry_if_exception_type((httpx.TransportError, TimeoutError))
            | tenacity.retry_if_result(_is_busy),
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        try:
            return retrying(lambda: call_within(self._limits.seconds_left(begun), post))
        except (httpx.ReadTimeout, httpx.WriteTimeout, TimeoutError) as error:
            raise ServerTimeoutError(
                f"{self.url} gave no whole answer within {self._limits.timeout:g} seconds. Raise"
                " timeout=."
            ) from error
        except httpx.RequestError as error:
            raise ServerUnavailableError(
                f"No readable answer from {self.url} ({type(error).__name__}). Is it running, is"
                " this its address?"
            ) from error

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        # a code such as model_not_found; the message is left out, because it may repeat the text
        code = re.search(rb'"(?:code|type)"\s*:\s*"([\w.-]{1,60})"', response.content)
        details = mask(f"status {status}{f', {code[1].decode()}' if code else ''}", self._secrets)
        if status in {401, 403}:
            raise AuthenticationError(
                f"{self.url} refused the API key, or wants one ({details}). Pass api_key= or"
                " api_key_variable=."
            )
        if _is_busy(response):
            pause = requested_pause(response.headers.get("Retry-After"))
            wish = f" It asks for a pause of {pause:.0f} seconds." if pause else ""
            raise ServerUnavailableError(
                f"{self.url} fails or has too much to do ({details}).{wish} Try later."
            )
        if status != httpx.codes.OK:
            raise (RefusedRequestError if status in _REFUSED else ServerError)(
                f"{self.url} refused the request ({details}). Check the address, the model's name"
                " and which settings it takes."
            )


@cache
def _certificates() -> ssl.SSLContext:
    """Return the certificates that are trusted; reading them takes 25 ms."""
    return httpx.create_ssl_context()


def _is_busy(response: httpx.Response) -> bool:
    # "not implemented" does not pass: a server of models that was not started for this path
    may_pass = response.is_server_error and response.status_code != httpx.codes.NOT_IMPLEMENTED
    return may_pass or response.status_code == httpx.codes.TOO_MANY_REQUESTS


def _pause(state: tenacity.RetryCallState) -> float:
    """Seconds before the next attempt: longer each time, or as long as the endpoint asks for."""
    last = state.outcome
    wanted = "" if last is None or last.failed else last.result().headers.get("Retry-After")
    return max(_backoff(state), requested_pause(wanted))
