"""What the requests to every server share: addresses, deadlines, and pauses that servers want."""

from __future__ import annotations

import ipaddress
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from numbers import Integral, Real
from typing import TypeVar

from tenacity import stop_after_attempt, stop_before_delay
from tenacity.stop import stop_base

from logic_retrievers.errors import ConfigurationError

T = TypeVar("T")

LONGEST_ADDRESS = 2048
LONGEST_TIMEOUT = 86_400
MOST_RETRIES = 1000
MOST_SECONDS = 10**9
"""What is made of a longer pause that a server wants."""
GRACE = 0.2
"""Seconds after which a deadline is enforced: the client's own error comes first, and says whether
it was the connection or the answer that took too long."""

_LABEL = r"[a-z0-9_-]{1,63}"
_ADDRESS = re.compile(
    rf"https?://(?:(?P<name>{_LABEL}(?:\.{_LABEL})*\.?)|\[(?P<ipv6>[0-9a-f:.]+)\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?:/[a-z0-9._~%!$&'()*+,;=:@/-]*)?",
    re.IGNORECASE | re.ASCII,
)


def check_address(address: object, setting: str, example: str) -> str:
    """A server's address, where a request can be sent to it.

    User names, passwords and queries are refused: what they hold would be in messages and logs.

    Args:
        address: what the user gave.
        setting: its name, for the message.
        example: a right value.

    Raises:
        ConfigurationError: it is none; the message does not show it, since it may hold a key.
    """
    match = None
    if isinstance(address, str) and len(address) <= LONGEST_ADDRESS:
        match = _ADDRESS.fullmatch(address)
    if (
        match is None
        or len(match["name"] or "") > 253
        or not 0 < int(match["port"] or 1) < 65536
        or (match["ipv6"] is not None and not _is_ipv6(match["ipv6"]))
    ):
        raise ConfigurationError(
            f"{setting} is a server's address such as {example}: http or https, a host in ASCII"
            " (the xn-- form of another), a port up to 65535 and a path, without user name,"
            " password, query or blanks. Pass a key as api_key=."
        )
    return match[0]


def _is_ipv6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long a request may take, and how often it is repeated.

    Args:
        timeout: seconds from the beginning of a request to the last byte of its answer.
        retries: repetitions. With all of them, and the pauses between them, a request takes
            ``timeout * (retries + 1)`` seconds at most.

    Raises:
        ConfigurationError: a value of another type, or out of range.
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
    def stop(self) -> stop_base:
        """When to give up: after the last repetition, or where the next pause is too long."""
        return stop_after_attempt(self.retries + 1) | stop_before_delay(self.total)

    def seconds_left(self, begun: float) -> float:
        """Seconds that the next attempt may take, of a request begun at ``time.monotonic()``."""
        return max(0.0, min(self.timeout, begun + self.total - time.monotonic())) + GRACE


def is_number(value: object, kind: type) -> bool:
    """Whether a value is of this kind of :mod:`numbers`, and no truth value."""
    return isinstance(value, kind) and not isinstance(value, bool)


def call_within(seconds: float, function: Callable[[], T]) -> T:
    """The function's value, or its error.

    Time-outs of an HTTP client are for each packet, so that a server that sends a byte now and then
    holds a caller for hours. The function runs in a thread of its own, which sees the caller's
    context variables, and which is left behind at the deadline: it ends when the server does, or
    with the process.

    Raises:
        TimeoutError: it took longer.
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
    """Seconds to wait by a header ``Retry-After``: a number or a date; 0 where it is neither."""
    text = str(value or "").strip()
    try:
        if re.fullmatch(r"[0-9]+(?:\.[0-9]*)?", text):
            seconds = float(text)
        else:
            seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError):  # no date, or one without a time zone
        return 0.0
    return min(max(seconds, 0.0), MOST_SECONDS)
