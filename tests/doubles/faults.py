"""Faults to inject: which requests fail, how, and whether their work is done all the same."""

import threading
from dataclasses import dataclass
from typing import Literal, get_args

from .replies import ConnectionDropped, ErrorReply, NoAnswer, StrangeReply

FaultKind = Literal[
    *("drop_connection", "timeout", "429", "500", "503", "507"),
    *("node down", "shard not found", "strange"),
]


@dataclass
class Fault:
    """The next `times` requests to `on` (any endpoint when None) fail."""

    times: int
    kind: FaultKind
    on: str | None
    after_apply: bool
    retry_after: int | str | None
    body: bytes = b""

    def __post_init__(self) -> None:
        if self.kind not in get_args(FaultKind):
            known = ", ".join(get_args(FaultKind))
            raise ValueError(f"unknown fault {self.kind!r}; use one of {known}")

    def error(self) -> Exception:
        """The failure, a new one for each request."""
        match self.kind:
            case "drop_connection":
                return ConnectionDropped()
            case "timeout":
                return NoAnswer()
            case "429":
                message = "Rate limiting exceeded: Read rate limit exceeded, retry later"
                return ErrorReply(429, message, retry_after=self.retry_after)
            case "500":
                return ErrorReply(500, "Service internal error: injected fault")
            case "503":
                return ErrorReply(503, "Service unavailable: injected fault")
            case "507":
                return ErrorReply(507, "Insufficient storage: No space left on device")
            case "node down":
                return ErrorReply(
                    500,
                    "Service internal error: 1 of 1 read operations failed:\n  Service internal"
                    " error: Tonic status error: code: 'The service is currently unavailable',"
                    ' message: "Failed to connect to http://127.0.0.1:7032/, error: transport'
                    ' error"',
                )
            case "shard not found":
                return ErrorReply(500, "Service internal error: Local shard 1 not found")
            case "strange":
                return StrangeReply(self.body)


class FaultPlan:
    """The faults still to come, oldest first."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def take(self, endpoint: str) -> Fault | None:
        """The fault that this request meets, used up by it."""
        with self._lock:
            for fault in self._faults:
                if fault.times > 0 and fault.on in (None, endpoint):
                    fault.times -= 1
                    return fault
        return None

    @property
    def left(self) -> int:
        """How many requests are still to fail."""
        with self._lock:
            return sum(fault.times for fault in self._faults)
