"""Kinds of failure of Qdrant: REST, gRPC and the embedded engine fail alike."""

from __future__ import annotations

import errno
import math
import sqlite3
from enum import Enum, auto
from traceback import walk_tb
from typing import Any

import grpc
import httpx
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.api_client import ApiClient, AsyncApiClient
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import LogicRetrieversError
from logic_retrievers.index.strict_limits import NEVER_GRANTED
from logic_retrievers.server_requests import requested_pause


class EdgeError(RuntimeError):
    """What the embedded engine says when it refuses or fails."""


class UnreadableAnswer(Exception):  # noqa: N818 - the fault of the answer, not of a call
    """An answer of another form than the request demands."""


class Fault(Enum):
    """The kinds of failure that a caller can tell apart."""

    UNAVAILABLE = auto()
    NODE_DOWN = auto()
    BUSY = auto()
    TIMEOUT = auto()
    AUTHENTICATION = auto()
    NOT_FOUND = auto()
    STORAGE = auto()
    LOCKED = auto()
    CLOSED = auto()
    UNREADABLE = auto()
    REFUSED = auto()
    INTERNAL = auto()
    FAILED = auto()


# An internal error is worth another try: a node that comes back answers "Local shard 1 not found"
# for a moment, and every call of an index may be done twice.
TRANSIENT = frozenset(
    {Fault.UNAVAILABLE, Fault.NODE_DOWN, Fault.BUSY, Fault.TIMEOUT, Fault.INTERNAL}
)

_FAULT_OF_STATUS = {
    401: Fault.AUTHENTICATION,
    403: Fault.AUTHENTICATION,
    404: Fault.NOT_FOUND,
    408: Fault.TIMEOUT,
    429: Fault.BUSY,
    502: Fault.UNAVAILABLE,
    503: Fault.UNAVAILABLE,
    504: Fault.TIMEOUT,
    507: Fault.STORAGE,
}
_FAULT_OF_CODE = {
    grpc.StatusCode.UNAVAILABLE: Fault.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Fault.BUSY,
    grpc.StatusCode.DEADLINE_EXCEEDED: Fault.TIMEOUT,
    grpc.StatusCode.UNAUTHENTICATED: Fault.AUTHENTICATION,
    grpc.StatusCode.PERMISSION_DENIED: Fault.AUTHENTICATION,
    grpc.StatusCode.NOT_FOUND: Fault.NOT_FOUND,
    grpc.StatusCode.INTERNAL: Fault.INTERNAL,
    grpc.StatusCode.UNKNOWN: Fault.FAILED,
}
_STORAGE_ERRNO = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM)
}
_STORAGE_WORDS = (
    *("no space left", "not enough space", "disk is full", "disk quota exceeded", "file too large"),
    *("readonly database", "unable to open database"),
)
_NODE_DOWN_WORDS = (
    *("the service is currently unavailable", "transport error", "tcp connect error"),
    "leader is not established",
)
"""What a node of a cluster says, as an internal error, where another one does not answer it."""
_CLOSED_WORDS = (
    *("client has been closed", "Client was closed", "instance is closed"),
    *("closed channel", "Channel closed", "Channel is closed"),
)
_SENDING = {ApiClient.send.__code__, AsyncApiClient.send.__code__}
_CLIENT_MODULES = {"qdrant_client.qdrant_remote", "qdrant_client.async_qdrant_remote"}


def check_answer(call: ClientCall, answer: Any) -> Any:
    """A server's answer, where it has the form that the operations of this package rely on.

    The types of its parts are qdrant-client's matter.

    Raises:
        UnreadableAnswer: it has another one.
    """
    match call.method:
        case _ if answer is None:
            raise UnreadableAnswer("it has no result")
        case "query_batch_points":
            if len(answer) != len(call.arguments["requests"]):
                raise UnreadableAnswer("it has another number of results than there were queries")
            if not all(math.isfinite(point.score) for each in answer for point in each.points):
                raise UnreadableAnswer("it has a score that is no number")
        case "retrieve":
            if not {str(record.id) for record in answer} <= set(map(str, call.arguments["ids"])):
                raise UnreadableAnswer("it has a point that was not asked for")
        case "scroll":
            following = answer[1]
            if following is not None and following == call.arguments.get("offset"):
                raise UnreadableAnswer("the next page is the same page")
    return answer


def classify(error: BaseException) -> tuple[Fault, str] | None:
    """The kind of a failure and its message; None where the failure is not Qdrant's."""
    classified = _classify(error)
    if classified is None:
        return None
    fault, detail = classified
    lowered = detail.lower()
    if any(words in lowered for words in _STORAGE_WORDS):
        fault = Fault.STORAGE
    elif fault is Fault.INTERNAL and any(words in lowered for words in _NODE_DOWN_WORDS):
        fault = Fault.NODE_DOWN
    elif NEVER_GRANTED in lowered:
        fault = Fault.REFUSED
    elif fault is Fault.AUTHENTICATION and "help:" in lowered:
        fault = Fault.REFUSED  # strict mode says no with the same status, and adds what to change
    return fault, detail


def _classify(error: BaseException) -> tuple[Fault, str] | None:
    match error:
        case LogicRetrieversError():
            return None
        case ResponseHandlingException():
            return _transport_fault(error.source)
        case UnexpectedResponse():
            return _response_fault(error)
        case QdrantException():  # what it makes of status 429 with a header Retry-After
            return Fault.BUSY, str(error)
        case grpc.RpcError():
            return _rpc_fault(error)
        case httpx.HTTPError() | httpx.InvalidURL():
            return _transport_fault(error)
        case UnreadableAnswer():
            return Fault.UNREADABLE, str(error)
        case sqlite3.Error():
            return Fault.FAILED, f"SQLite: {error}"
        case TimeoutError():
            return Fault.TIMEOUT, "the whole answer did not come"
        case OSError():
            kind = Fault.STORAGE if error.errno in _STORAGE_ERRNO else Fault.FAILED
            if isinstance(error, ConnectionError):
                kind = Fault.UNAVAILABLE
            return kind, error.strerror or type(error).__name__
        case EdgeError():
            return _edge_fault(str(error))
        case Exception() if _is_of_closed_client(error):
            return Fault.CLOSED, "its client is closed"
        case Exception() if _arose_from_answer(error):
            return Fault.UNREADABLE, type(error).__name__
        case ValueError() if str(error).startswith("Collection ") and "not found" in str(error):
            return Fault.NOT_FOUND, str(error)
        case ValueError() | KeyError():  # how local mode refuses a request
            return Fault.REFUSED, str(error)
    return None


def _edge_fault(detail: str) -> tuple[Fault, str]:
    if "WouldBlock" in detail:
        return Fault.LOCKED, "another process has it open"
    if "not initialized" in detail or detail == "the index is closed":
        return Fault.CLOSED, "its engine is closed"
    if detail.startswith("Collection ") and detail.endswith("not found"):
        return Fault.NOT_FOUND, detail
    if "ermission denied" in detail or "Read-only file system" in detail:
        return Fault.STORAGE, detail
    return Fault.REFUSED, detail


def _transport_fault(error: BaseException) -> tuple[Fault, str]:
    detail = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return Fault.TIMEOUT, detail
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return Fault.REFUSED, detail
    if isinstance(error, httpx.HTTPError | OSError) and not isinstance(error, httpx.DecodingError):
        return Fault.UNAVAILABLE, detail
    if _is_of_closed_client(error):
        return Fault.CLOSED, "its client is closed"
    return Fault.UNREADABLE, type(error).__name__


def _response_fault(error: UnexpectedResponse) -> tuple[Fault, str]:
    status = error.status_code or 500
    fault = _FAULT_OF_STATUS.get(status, Fault.INTERNAL if status >= 500 else Fault.REFUSED)
    try:
        return fault, str(error.structured()["status"]["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        text = error.content.decode("utf-8", errors="replace").strip()
    if fault in {Fault.NOT_FOUND, Fault.REFUSED}:  # Qdrant says why; only proxies do not
        fault = Fault.UNREADABLE
    return fault, f"{status} {error.reason_phrase} {text}".strip()


def _rpc_fault(error: grpc.RpcError) -> tuple[Fault, str]:
    code = (error.code() if hasattr(error, "code") else None) or grpc.StatusCode.UNKNOWN
    detail = str((error.details() if hasattr(error, "details") else None) or code.name)
    if "deserializing response" in detail:
        return Fault.UNREADABLE, code.name
    return _FAULT_OF_CODE.get(code, Fault.REFUSED), detail


def _is_of_closed_client(error: BaseException) -> bool:
    """Whether httpx, gRPC or local mode say that they were closed; each with a type of its own."""
    return isinstance(error, RuntimeError | ValueError | grpc.aio.UsageError) and any(
        words in str(error) for words in _CLOSED_WORDS
    )


def _arose_from_answer(error: BaseException) -> bool:
    """Whether qdrant-client failed while it read an answer, and not while it wrote a request.

    It lets whatever goes wrong there escape: errors of JSON, of recursion, of its conversions, and
    assertions that there is a result.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if any(
        frame.f_code in _SENDING or frame.f_code.co_qualname.startswith("GrpcToRest.")
        for frame in frames
    ):
        return True
    innermost = frames[-1].f_globals.get("__name__") if frames else None
    # without assertions (python -O) it goes on with None
    return innermost in _CLIENT_MODULES and isinstance(error, AssertionError | AttributeError)


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed a moment later."""
    classified = classify(error)
    return classified is not None and classified[0] in TRANSIENT


def retry_after(error: BaseException | None) -> float:
    """Seconds that the server asks the client to wait; 0 where it does not say."""
    match error:
        case ResourceExhaustedResponse():
            return requested_pause(error.retry_after_s)
        case QdrantException():  # no whole number, which stands behind the words
            return requested_pause(str(error).partition(": ")[2])
        case UnexpectedResponse():
            return requested_pause(error.headers.get("Retry-After"))
        case grpc.RpcError() if hasattr(error, "trailing_metadata"):
            return requested_pause(dict(error.trailing_metadata() or ()).get("retry-after"))
    return 0.0
