"""Faults of the wire, the disk and the key: retried, or reported as our own errors."""

from __future__ import annotations

import asyncio
import errno
import json
import sqlite3
import traceback
from collections.abc import Mapping
from typing import Any

import grpc
import httpx
import pytest
from fault_injection import WireDouble
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from logic_retrievers import Engine
from logic_retrievers.errors import (
    AuthenticationError,
    CollectionMismatchError,
    CollectionNotFoundError,
    MissingVectorError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.index import PassageIndex, connection
from logic_retrievers.index.faults import EdgeError, is_transient, translate
from logic_retrievers.types import Passage


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    """Shorten the real pauses between attempts."""
    monkeypatch.setattr(connection, "_growing_pause", lambda state: 0.01)


@pytest.mark.parametrize(
    ("kind", "asynchronous"),
    [
        *(("drop_connection", True), ("429", True)),
        *((kind, False) for kind in ("drop_connection", "503", "429", "500", "node down")),
    ],
)
def test_passing_faults_are_retried(wire_double, wire_settings, encoder, kind, asynchronous):
    """A server restart must not break an ingestion of hours."""
    index = PassageIndex.open("p", encoder, **wire_settings)
    passages = [Passage(str(i), f"text {i}") for i in range(10)]
    for on in ("points/upsert", "points/retrieve", "points/query/batch", "points/count"):
        wire_double.fail(2, kind, on=on, retry_after="0.01")
    if asynchronous:

        async def work():
            async with index:
                report = await index.aadd(passages, batch_size=4)
                return report, await Engine(index, "topical").asearch("text"), await index.acount()

        report, hits, count = asyncio.run(work())
    else:
        report = index.add(passages, batch_size=4)
        hits, count = Engine(index, "topical").search("text"), index.count()
        index.close()
    assert (report.added, len(hits), count) == (10, 10, 10)
    assert wire_double.faults_left == 0


def test_a_request_that_was_done_and_not_answered_is_done_once(wire_double, wire_settings, encoder):
    """A retry after a lost answer must neither double a passage nor fail on an existing one."""
    for on in ("collections/create", "points/upsert", "points/delete"):
        wire_double.fail(1, "drop_connection", on=on, after_apply=True)
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        assert index.add([Passage("a", "text"), Passage("b", "text")]).added == 2
        assert index.delete(["a"]) == 1
        assert index.count() == 1
    assert wire_double.faults_left == 0


def test_a_server_that_stays_down_ends_in_one_error(wire_double, wire_settings, encoder):
    """Retries must end, and the error must say what is stored."""
    with PassageIndex.open("p", encoder, retries=2, **wire_settings) as index:
        index.add([Passage("z", "z")])
        wire_double.requests.clear()
        wire_double.fail(3, "503", on="points/upsert")
        with pytest.raises(ServerUnavailableError, match="0 passages of this call were stored"):
            index.add([Passage("a", "text")])
        assert wire_double.faults_left == 0
        assert sum(name == "points/upsert" for _, name in wire_double.requests) == 3
        assert index.add([Passage("a", "text")]).added == 1


def test_refusals_are_not_retried(wire_double, wire_settings, encoder):
    """A request that can never succeed must not be sent four times."""
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        index.client.delete_collection("p")
        wire_double.requests.clear()
        with pytest.raises(CollectionNotFoundError, match="'p'"):
            index.count()
        assert len(wire_double.requests) == 1


@pytest.mark.parametrize("prefer_grpc", [False, True])
def test_keys(encoder, prefer_grpc):
    """A missing and a wrong key give one error on both protocols; a reader's key cannot write."""
    with WireDouble(api_key="right", read_only_api_key="read") as double:
        where = double.place(prefer_grpc=prefer_grpc)
        for key in (None, "wrong-key-123"):
            with pytest.raises(AuthenticationError, match="api_key=") as caught:
                PassageIndex.open("p", encoder, api_key=key, **where)
            assert "wrong-key-123" not in "".join(traceback.format_exception(caught.value))
        with PassageIndex.open("p", encoder, api_key="right", **where) as index:
            assert index.add([Passage("a", "text")]).added == 1
        with PassageIndex.open("p", encoder, api_key="read", **where) as index:
            assert index.count() == 1
            with pytest.raises(AuthenticationError, match="Write access"):
                index.add([Passage("b", "text")])


def test_disk_full_in_the_middle(encoder, tmp_path, monkeypatch):
    """Stored passages stay, and the rest follows later."""
    passages = [Passage(str(i), f"text {i}") for i in range(10)]
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        upsert = index.client.upsert
        written = []

        def full(collection_name, points, **_):
            if len(written) == 4:
                raise EdgeError("Service runtime error: No space left on device (os error 28)")
            written.extend(points)
            upsert(collection_name, points)

        monkeypatch.setattr(index.client, "upsert", full)
        with pytest.raises(StorageError, match=r"No space.*Make room.*4 passages of this call"):
            index.add(passages, batch_size=4)
    with PassageIndex.open("p", encoder, location=tmp_path) as again:
        report = again.add(passages)
        assert (report.added, report.unchanged) == (6, 4)
        assert again.count() == 10


def _http(status: int, text: str) -> UnexpectedResponse:
    body = b'{"status":{"error":"%s"}}' % text.encode()
    return UnexpectedResponse(status, "", body, httpx.Headers())


class _Rpc(grpc.RpcError):
    def __init__(self, code: grpc.StatusCode, text: str) -> None:
        self._said = (code, text)

    def code(self) -> grpc.StatusCode:
        return self._said[0]

    def details(self) -> str:
        return self._said[1]


CODE = grpc.StatusCode
NO_COLLECTION = "Not found: Collection `c` doesn't exist!"
NO_VECTOR = "Wrong input: Not existing vector name error: x"
DIMENSION = "Wrong input: Vector dimension error: expected dim: 4, got 3"
NO_SHARD = "Service internal error: Local shard 1 not found"
FAILURES: dict[type[Exception], list[Exception]] = {
    CollectionNotFoundError: [
        *(_http(404, NO_COLLECTION), _Rpc(CODE.NOT_FOUND, NO_COLLECTION)),
        ValueError("Collection c not found"),
    ],
    MissingVectorError: [
        *(_http(400, NO_VECTOR), _Rpc(CODE.INVALID_ARGUMENT, NO_VECTOR), ValueError(NO_VECTOR))
    ],
    CollectionMismatchError: [_http(400, DIMENSION), _Rpc(CODE.INVALID_ARGUMENT, DIMENSION)],
    ServerUnavailableError: [
        *(_http(500, NO_SHARD), _http(500, "panic"), _Rpc(CODE.INTERNAL, NO_SHARD)),
        *(_http(502, ""), _http(503, ""), _http(429, ""), _Rpc(CODE.UNAVAILABLE, "")),
        *(ResourceExhaustedResponse("slow down", 3), _Rpc(CODE.RESOURCE_EXHAUSTED, "")),
        ResponseHandlingException(httpx.ConnectError("refused")),
        ResponseHandlingException(httpx.RemoteProtocolError("gone")),
        ResponseHandlingException(httpx.ConnectTimeout("")),
    ],
    ServerTimeoutError: [
        *(_http(504, ""), _http(408, ""), _Rpc(CODE.DEADLINE_EXCEEDED, "")),
        ResponseHandlingException(httpx.ReadTimeout("")),
    ],
    AuthenticationError: [
        *(_http(401, ""), _http(403, "Forbidden: global access is required")),
        *(_Rpc(CODE.UNAUTHENTICATED, ""), _Rpc(CODE.PERMISSION_DENIED, "")),
    ],
    StorageError: [
        *(_http(507, "no room"), _http(500, "Service internal error: No space left on device")),
        _Rpc(CODE.INTERNAL, "No space left on device"),
        OSError(errno.ENOSPC, "No space left on device"),
        PermissionError(errno.EACCES, "Permission denied"),
        OSError(errno.EROFS, "Read-only file system"),
        EdgeError("Service runtime error: IO Error: Disk quota exceeded (os error 122)"),
        EdgeError("There is not enough space on the disk. (os error 112)"),
        sqlite3.OperationalError("attempt to write a readonly database"),
    ],
    ServerError: [
        *(_http(400, "Bad request: whatever"), _Rpc(CODE.INVALID_ARGUMENT, "whatever")),
        _http(403, "Forbidden: Index required. Help: Create an index."),
        *(_Rpc(CODE.UNKNOWN, "whatever"), ResponseHandlingException(ValueError("not JSON"))),
    ],
}


@pytest.mark.parametrize("expected", FAILURES)
def test_all_protocols_raise_the_same_errors(expected):
    """Code that catches an error in embedded mode must catch it on a server too."""
    for failure in FAILURES[expected]:
        assert type(translate(failure, "there", "c")) is expected, failure
        passing = expected in {ServerUnavailableError, ServerTimeoutError}
        assert is_transient(failure) is passing, failure


EXPECTED: dict[str, tuple[type[Exception], bool]] = {
    "no key": (AuthenticationError, False),
    "wrong key": (AuthenticationError, False),
    "read-only key writes": (AuthenticationError, False),
    "no such collection": (CollectionNotFoundError, False),
    "no such vector": (MissingVectorError, False),
    "wrong dimension": (CollectionMismatchError, False),
    "upsert of a vector with the wrong dimension": (CollectionMismatchError, False),
    "dense query on a sparse vector": (ServerError, False),
    "collection exists already": (ServerError, False),
    "point id that is neither number nor uuid": (ServerError, False),
    "body ": (ServerError, False),
    "strict: ": (ServerError, False),
    "rate limit reached": (ServerUnavailableError, True),
    "rate limit: one request larger than the limit": (ServerError, False),
    "disk full: upsert": (StorageError, False),
    "disk full: ": (ServerUnavailableError, True),
    "cluster: ": (ServerUnavailableError, True),
}
"""Beginning of a situation's description -> the error, and whether the call is repeated."""


def recorded() -> list[Mapping[str, Any]]:
    """Recorded error responses."""
    rows = map(json.loads, (data_folder() / "server" / "replies.jsonl").read_text().splitlines())
    return [row for row in rows if row.get("status") != 200 and row.get("code") != "OK"]


def as_raised(reply: Mapping[str, Any]) -> Exception:
    """The exception that the client raises for a response."""
    if "status" in reply:
        body, headers = reply["body"], httpx.Headers(reply["headers"])
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        return UnexpectedResponse(reply["status"], "", content, headers)
    if "code" in reply:
        return _Rpc(grpc.StatusCode[reply["code"]], reply["details"])
    if "ResourceExhausted" in reply["exception"]:
        fields = reply["fields"]
        return ResourceExhaustedResponse(fields["message"], fields["retry_after_s"])
    name, _, detail = reply["exception"].partition(": ")
    return ResponseHandlingException(getattr(httpx, name)(detail))


@pytest.mark.data
def test_every_recorded_reply_is_understood():
    seen = set()
    for reply in recorded():
        situation, failure = reply["situation"], as_raised(reply)
        start = max((s for s in EXPECTED if situation.startswith(s)), key=len)
        error, transient = EXPECTED[start]
        if reply.get("code") == "DEADLINE_EXCEEDED":
            error = ServerTimeoutError  # the client gave up before the server did
        ours = translate(failure, "there", "a")
        assert type(ours) is error, (situation, reply["protocol"], ours)
        assert is_transient(failure) is transient, (situation, reply["protocol"])
        seen.add(start)
    assert seen == EXPECTED.keys()


@pytest.mark.data
@pytest.mark.parametrize(
    ("situation", "words"),
    [
        ("cluster: the only replica of a shard is dead, search", "replication_factor"),
        ("cluster: no majority, new collection", "too few are up for a majority"),
        ("rate limit: one request larger than the limit", "Raise read_rate_limit"),
        ("strict: limit", "to or below 2"),
    ],
)
def test_the_message_says_what_to_do(situation, words):
    replies = [reply for reply in recorded() if reply["situation"] == situation]
    assert len(replies) == 2
    for reply in replies:
        with pytest.raises(Exception, match=words):
            raise translate(as_raised(reply), "there", "a") from None
