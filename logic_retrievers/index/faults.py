"""Translates failures of Qdrant: REST, gRPC and embedded mode raise the same errors."""

from __future__ import annotations

import errno
import sqlite3
from enum import Enum, auto

import grpc
import httpx
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from logic_retrievers.errors import (
    AuthenticationError,
    CollectionError,
    CollectionLockedError,
    CollectionMismatchError,
    CollectionNotFoundError,
    LogicRetrieversError,
    MissingVectorError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)

MAX_DETAIL = 300


class EdgeError(RuntimeError):
    """What the embedded engine says when it refuses or fails."""


class Fault(Enum):
    """The kinds of failure that a caller can tell apart."""

    UNAVAILABLE = auto()
    BUSY = auto()
    TIMEOUT = auto()
    AUTHENTICATION = auto()
    NOT_FOUND = auto()
    STORAGE = auto()
    LOCKED = auto()
    REFUSED = auto()
    FAILED = auto()


TRANSIENT = frozenset({Fault.UNAVAILABLE, Fault.BUSY, Fault.TIMEOUT})

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
    grpc.StatusCode.INTERNAL: Fault.FAILED,
    grpc.StatusCode.UNKNOWN: Fault.FAILED,
}
_STORAGE_ERRNO = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_STORAGE_WORDS = ("no space left", "disk is full", "readonly database", "unable to open database")


def classify(error: BaseException) -> tuple[Fault, str] | None:
    """The kind of a failure and its message; None where the failure is not Qdrant's."""
    classified = _classify(error)
    if classified is None:
        return None
    fault, detail = classified
    lowered = detail.lower()
    if any(words in lowered for words in _STORAGE_WORDS):
        fault = Fault.STORAGE
    elif fault is Fault.AUTHENTICATION and "help:" in lowered:
        fault = Fault.REFUSED  # strict mode says no with the same status, and adds what to change
    return fault, detail[:MAX_DETAIL]


def _classify(error: BaseException) -> tuple[Fault, str] | None:
    match error:
        case ResponseHandlingException():
            return _transport_fault(error.source)
        case UnexpectedResponse():
            status = error.status_code or 500
            default = Fault.FAILED if status >= 500 else Fault.REFUSED
            return _FAULT_OF_STATUS.get(status, default), _response_detail(error)
        case ResourceExhaustedResponse():
            return Fault.BUSY, str(error)
        case grpc.RpcError():
            code = error.code() if hasattr(error, "code") else grpc.StatusCode.UNKNOWN
            details = error.details() if hasattr(error, "details") else None
            return _FAULT_OF_CODE.get(code, Fault.REFUSED), str(details or code.name)
        case httpx.HTTPError():
            return _transport_fault(error)
        case sqlite3.Error():
            return Fault.FAILED, f"SQLite: {error}"
        case OSError():
            kind = Fault.STORAGE if error.errno in _STORAGE_ERRNO else Fault.FAILED
            if isinstance(error, ConnectionError | TimeoutError):
                kind = Fault.UNAVAILABLE
            return kind, error.strerror or type(error).__name__
        case EdgeError():
            return _edge_fault(str(error))
        case RuntimeError() if "already accessed by another instance" in str(error):
            return Fault.LOCKED, "another process has it open"
        case RuntimeError() if "closed" in str(error):
            return Fault.REFUSED, "the client is closed"
        case ValueError() if str(error).startswith("Collection ") and "not found" in str(error):
            return Fault.NOT_FOUND, str(error)
        case ValueError() | KeyError():  # how local mode refuses a request
            return Fault.REFUSED, str(error)
    return None


def _edge_fault(detail: str) -> tuple[Fault, str]:
    if "WouldBlock" in detail:
        return Fault.LOCKED, "another process has it open"
    if detail.startswith("Collection ") and detail.endswith("not found"):
        return Fault.NOT_FOUND, detail
    if "ermission denied" in detail or "Read-only file system" in detail:
        return Fault.STORAGE, detail
    return Fault.REFUSED, "the index is closed" if "not initialized" in detail else detail


def _transport_fault(error: BaseException) -> tuple[Fault, str]:
    detail = f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        return Fault.TIMEOUT, detail
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return Fault.REFUSED, detail
    if isinstance(error, httpx.HTTPError | OSError):
        return Fault.UNAVAILABLE, detail
    return Fault.FAILED, f"an answer that cannot be read ({type(error).__name__})"


def _response_detail(error: UnexpectedResponse) -> str:
    try:
        return str(error.structured()["status"]["error"])
    except (ValueError, KeyError, TypeError):
        text = error.content.decode("utf-8", errors="replace").strip()
        return f"{error.status_code} {error.reason_phrase} {text}".strip()


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed a moment later."""
    classified = classify(error)
    return classified is not None and classified[0] in TRANSIENT


def retry_after(error: BaseException | None) -> float:
    """Seconds that the server asks the client to wait; 0 where it does not say."""
    return float(error.retry_after_s) if isinstance(error, ResourceExhaustedResponse) else 0.0


def translate(
    error: BaseException, place: str, collection: str | None
) -> LogicRetrieversError | None:
    """The package's own error for a failure of Qdrant; None where the failure is not Qdrant's.

    Args:
        error: what the client raised.
        place: where Qdrant is, for the message; without secrets.
        collection: the collection that the call was about.
    """
    classified = classify(error)
    if classified is None:
        return None
    fault, detail = classified
    lowered = detail.lower()
    match fault:
        case Fault.BUSY:
            return ServerUnavailableError(
                f"Qdrant at {place} has too much to do ({detail}). Try later, or ask for less."
            )
        case Fault.UNAVAILABLE:
            return ServerUnavailableError(
                f"No answer from Qdrant at {place} ({detail}). Is it running, is this its address?"
            )
        case Fault.TIMEOUT:
            return ServerTimeoutError(
                f"Qdrant at {place} gave no answer in time ({detail}). Raise timeout=."
            )
        case Fault.AUTHENTICATION:
            return AuthenticationError(
                f"Qdrant at {place} refused the API key, or wants one ({detail}). Pass api_key=."
            )
        case Fault.STORAGE:
            return StorageError(
                f"Qdrant at {place} cannot write ({detail}). Make room there or give the right to"
                " write, then run again: what was stored stays."
            )
        case Fault.LOCKED:
            return CollectionLockedError(
                f"The folder {place} is open in another process, or twice in this one. Close the"
                " other, or run a Qdrant server (docker/compose.yml) to share it."
            )
        case Fault.NOT_FOUND if "collection" in lowered:
            return CollectionNotFoundError(
                f"There is no collection {collection!r} at {place}. Index some passages first."
            )
        case Fault.NOT_FOUND | Fault.REFUSED if "not existing vector name" in lowered:
            return MissingVectorError(
                f"Collection {collection!r} lacks a named vector ({detail}). Back-fill it."
            )
        case Fault.REFUSED if "vector dimension error" in lowered:
            return CollectionMismatchError(
                f"Collection {collection!r} holds vectors of another dimension ({detail})."
            )
        case Fault.REFUSED if isinstance(error, ValueError | KeyError | RuntimeError):
            return CollectionError(f"Qdrant at {place} refused: {detail}")
        case _:
            return ServerError(f"Qdrant at {place} refused or failed: {detail}")
