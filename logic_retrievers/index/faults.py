"""Translate failures of Qdrant (over REST or gRPC, or embedded) into this package's errors."""

from __future__ import annotations

import errno
import math
import re
import sqlite3
from collections.abc import Sequence
from enum import Enum
from traceback import walk_tb
from typing import Any

import grpc
import httpx
from pydantic import SecretStr
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.api_client import ApiClient, AsyncApiClient
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from logic_retrievers import errors
from logic_retrievers.effects import ClientCall
from logic_retrievers.http import mask, requested_pause
from logic_retrievers.index.strict_limits import NEVER_GRANTED, refusal

MAX_DETAIL = 300


class EdgeError(RuntimeError):
    """The embedded engine refused or failed."""


class UnreadableAnswer(Exception):  # noqa: N818 - the fault of the answer, not of a call
    """An answer whose form does not fit the request."""


_Code = grpc.StatusCode


class Fault(Enum):
    """Kind of failure: its error, its message, and the HTTP statuses and gRPC codes for it."""

    UNAVAILABLE = (
        errors.ServerUnavailableError,
        "No answer from Qdrant at {place} ({detail}).{wish} Is it running, is this its address?",
        *(502, 503, _Code.UNAVAILABLE),
    )
    NODE_DOWN = (
        errors.ServerUnavailableError,
        "A node of the cluster at {place} does not answer the others, or too few are up for a"
        " majority ({detail}). Start it, or keep a copy of each shard on another node"
        " (replication_factor).",
    )
    BUSY = (
        errors.ServerUnavailableError,
        "Qdrant at {place} has too much to do ({detail}).{wish} Try later, or ask for less.",
        *(429, _Code.RESOURCE_EXHAUSTED),
    )
    # A retry helps: a node that comes back answers "Local shard 1 not found" for a moment.
    INTERNAL = (
        errors.ServerUnavailableError,
        "Qdrant at {place} failed while it answered ({detail}). Try later; if it goes on, its log"
        " says why.",
        *(500, _Code.INTERNAL),
    )
    TIMEOUT = (
        errors.ServerTimeoutError,
        "Qdrant at {place} gave no answer in time ({detail}). Raise timeout=.",
        *(408, 504, _Code.DEADLINE_EXCEEDED),
    )
    AUTHENTICATION = (
        errors.AuthenticationError,
        "Qdrant at {place} refused the API key, or wants one ({detail}). Pass api_key=.",
        *(401, 403, _Code.UNAUTHENTICATED, _Code.PERMISSION_DENIED),
    )
    STORAGE = (
        errors.StorageError,
        "Qdrant at {place} cannot write ({detail}). Make room there or give the right to write,"
        " then run again: what was stored stays.",
        507,
    )
    READ_ONLY = (
        errors.StorageError,
        "The index at {place} only reads. Open it without read_only=True to write.",
    )
    LOCKED = (
        errors.CollectionLockedError,
        "The folder {place} is open in another process, or twice in this one. Close the other"
        " (index.close()), open a second index with client=index.client, or run a Qdrant server"
        " (docker/compose.yml) to share it among processes.",
    )
    CLOSED = (
        errors.CollectionError,
        "The index at {place}, or its client, is closed. Open it again.",
    )
    UNREADABLE = (
        errors.ServerError,
        "Qdrant at {place} gave an answer that cannot be read ({detail}). Is this address"
        " Qdrant's, and its version 1.18 or later?",
    )
    NO_COLLECTION = (
        errors.CollectionNotFoundError,
        "There is no collection {collection!r} at {place}. Index some passages first.",
    )
    NO_VECTOR = (
        errors.MissingVectorError,
        "Collection {collection!r} lacks a named vector ({detail}). Back-fill it.",
    )
    OTHER_DIMENSION = (
        errors.CollectionMismatchError,
        "Collection {collection!r} holds vectors of another dimension ({detail}).",
    )
    NO_INDEX = (
        errors.ServerError,
        "Collection {collection!r} at {place} filters only by fields with an index ({detail})."
        " Open it with indexed_fields={{...}}: the field, without the key that holds metadata, and"
        ' its type ("city": "keyword").',
    )
    NOT_FOUND = (
        errors.ServerError,
        "Qdrant at {place} refused or failed: {detail}",
        *(404, _Code.NOT_FOUND),
    )
    # embedded or in local mode
    REFUSED_HERE = (errors.CollectionError, "Qdrant at {place} refused: {detail}")
    REFUSED = (errors.ServerError, "Qdrant at {place} refused: {detail}")
    FAILED = (errors.ServerError, "Qdrant at {place} failed: {detail}", _Code.UNKNOWN)

    def __init__(
        self, error: type[errors.LogicRetrieversError], message: str, *signs: int | grpc.StatusCode
    ) -> None:
        self.error, self.message, self.signs = error, message, signs

    def at(
        self, place: object, collection: str | None = None, detail: str = "", wish: str = ""
    ) -> errors.LogicRetrieversError:
        return self.error(
            self.message.format(place=place, collection=collection, detail=detail, wish=wish)
        )


# Errors after which the same call may succeed a moment later.
TRANSIENT = (errors.ServerUnavailableError, errors.ServerTimeoutError)
_BY_SIGN = {sign: fault for fault in Fault for sign in fault.signs}
_REFUSALS = {Fault.NOT_FOUND, Fault.REFUSED, Fault.REFUSED_HERE}
# Each row: faults by status, code or type; words in the message; the fault that they indicate.
_BY_WORDS: tuple[tuple[set[Fault], str, Fault], ...] = (
    (
        set(Fault),
        "no space left|not enough space|disk is full|disk quota exceeded|file too large"
        "|readonly database|unable to open database",
        Fault.STORAGE,
    ),
    (
        {Fault.INTERNAL},
        "the service is currently unavailable|transport error|tcp connect error"
        "|leader is not established",
        Fault.NODE_DOWN,
    ),
    ({Fault.BUSY}, NEVER_GRANTED, Fault.REFUSED),
    # strict mode refuses with the status of a wrong key, but adds "Help:" and what to change
    ({Fault.AUTHENTICATION}, "help:", Fault.REFUSED),
    ({Fault.NOT_FOUND}, "collection", Fault.NO_COLLECTION),
    ({Fault.REFUSED_HERE}, r"^collection .*not found", Fault.NO_COLLECTION),
    ({Fault.REFUSED_HERE}, "wouldblock", Fault.LOCKED),
    ({Fault.REFUSED_HERE}, "not initialized|the index is closed", Fault.CLOSED),
    ({Fault.REFUSED_HERE}, "permission denied|read-only file system", Fault.STORAGE),
    (_REFUSALS, "not existing vector name", Fault.NO_VECTOR),
    (_REFUSALS, "vector dimension error", Fault.OTHER_DIMENSION),
    ({Fault.REFUSED}, "index required", Fault.NO_INDEX),
)
_STORAGE_ERRNO = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM}
_CLOSED = re.compile(
    "client has been closed|Client was closed|instance is closed"
    "|closed channel|Channel closed|Channel is closed"
)
_SENDING = {ApiClient.send.__code__, AsyncApiClient.send.__code__}
_CLIENT_MODULES = {"qdrant_client.qdrant_remote", "qdrant_client.async_qdrant_remote"}


def translate(
    error: BaseException, place: str, collection: str | None, secrets: Sequence[SecretStr] = ()
) -> errors.LogicRetrieversError | None:
    """Return this package's error, without secrets, for a failure of Qdrant; else None."""
    classified = _classify(error)
    if classified is None:
        return None
    fault, detail = classified[0], mask(classified[1], secrets)[:MAX_DETAIL]
    if fault is Fault.REFUSED and (message := refusal(detail, collection, place)) is not None:
        return errors.ServerError(message)
    pause = retry_after(error)
    wish = f" It asks for a pause of {pause:.0f} seconds." if pause else ""
    return fault.at(place, collection, detail, wish)


def is_transient(error: BaseException) -> bool:
    """Tell whether the same call may succeed a moment later."""
    classified = _classify(error)
    return classified is not None and issubclass(classified[0].error, TRANSIENT)


def _classify(error: BaseException) -> tuple[Fault, str] | None:
    """Return the kind of a failure of Qdrant and its message; None for other failures."""
    found = _by_type(error)
    if found is None:
        return None
    fault, detail = found
    for among, words, shown in _BY_WORDS:
        if fault in among and re.search(words, detail, re.IGNORECASE):
            fault = shown
    return fault, detail


def _by_type(error: BaseException) -> tuple[Fault, str] | None:
    match error:
        case errors.LogicRetrieversError():
            return None
        case ResponseHandlingException():
            return _of_transport(error.source)
        case UnexpectedResponse():
            return _of_response(error)
        case QdrantException():  # the client's error for status 429 with a Retry-After header
            return Fault.BUSY, str(error)
        case grpc.RpcError():
            return _of_rpc(error)
        case httpx.HTTPError() | httpx.InvalidURL():
            return _of_transport(error)
        case UnreadableAnswer():
            return Fault.UNREADABLE, str(error)
        case sqlite3.Error():
            return Fault.FAILED, f"SQLite: {error}"
        case TimeoutError():
            return Fault.TIMEOUT, "the whole answer did not come"
        case OSError():
            fault = Fault.STORAGE if error.errno in _STORAGE_ERRNO else Fault.FAILED
            if isinstance(error, ConnectionError):
                fault = Fault.UNAVAILABLE
            return fault, error.strerror or type(error).__name__
        case Exception() if _is_of_closed_client(error):
            return Fault.CLOSED, "its client is closed"
        case Exception() if _arose_from_answer(error):
            return Fault.UNREADABLE, type(error).__name__
        case EdgeError() | ValueError() | KeyError():  # local mode raises the last two
            return Fault.REFUSED_HERE, str(error)
    return None


def _of_transport(error: BaseException) -> tuple[Fault, str]:
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


def _of_response(error: UnexpectedResponse) -> tuple[Fault, str]:
    status = error.status_code or 500
    fault = _BY_SIGN.get(status, Fault.INTERNAL if status >= 500 else Fault.REFUSED)
    try:
        return fault, str(error.structured()["status"]["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        text = error.content.decode("utf-8", errors="replace").strip()
    if fault in {Fault.NOT_FOUND, Fault.REFUSED}:  # Qdrant gives a reason; a proxy does not
        fault = Fault.UNREADABLE
    return fault, f"{status} {error.reason_phrase} {text}".strip()


def _of_rpc(error: grpc.RpcError) -> tuple[Fault, str]:
    code = (error.code() if hasattr(error, "code") else None) or grpc.StatusCode.UNKNOWN
    detail = str((error.details() if hasattr(error, "details") else None) or code.name)
    if "deserializing response" in detail:
        return Fault.UNREADABLE, code.name
    return _BY_SIGN.get(code, Fault.REFUSED), detail


def _is_of_closed_client(error: BaseException) -> bool:
    """Tell whether httpx, gRPC or local mode says that it was closed; each raises its own type."""
    kinds = (RuntimeError, ValueError, grpc.aio.UsageError)
    return isinstance(error, kinds) and _CLOSED.search(str(error)) is not None


def _arose_from_answer(error: BaseException) -> bool:
    """Tell whether qdrant-client failed while it read an answer, not while it wrote a request.

    While reading, the client lets every error escape: from JSON, recursion, its conversions, and
    assertions that there is a result.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    codes = [frame.f_code for frame in frames]
    if any(code in _SENDING or code.co_qualname.startswith("GrpcToRest.") for code in codes):
        return True
    innermost = frames[-1].f_globals.get("__name__") if frames else None
    # without assertions (python -O) the client goes on with None
    return innermost in _CLIENT_MODULES and isinstance(error, AssertionError | AttributeError)


def check_answer(call: ClientCall, answer: Any) -> Any:
    """Return a server's answer if it fits the call; qdrant-client has checked only types."""
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


def retry_after(error: BaseException | None) -> float:
    """Return the seconds that the server asks the client to wait, or 0 if it does not ask."""
    match error:
        case ResourceExhaustedResponse():
            return requested_pause(error.retry_after_s)
        case QdrantException():  # not a whole number, so only the message has it
            return requested_pause(str(error).partition(": ")[2])
        case UnexpectedResponse():
            return requested_pause(error.headers.get("Retry-After"))
        case grpc.RpcError() if hasattr(error, "trailing_metadata"):
            return requested_pause(dict(error.trailing_metadata() or ()).get("retry-after"))
    return 0.0
