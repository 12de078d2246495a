"""What a real server answered in 42 situations, as errors of this package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import grpc
import httpx
import pytest
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

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
from logic_retrievers.index.faults import is_transient, translate

pytestmark = pytest.mark.data

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
    """Replies that are no success."""
    rows = map(json.loads, (data_folder() / "server" / "replies.jsonl").read_text().splitlines())
    return [row for row in rows if row.get("status") != 200 and row.get("code") != "OK"]


class _RpcFailure(grpc.RpcError):
    def __init__(self, code: str, details: str) -> None:
        self._code, self._details = grpc.StatusCode[code], details

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._details


def as_raised(reply: Mapping[str, Any]) -> Exception:
    """What the client makes of a reply."""
    if "status" in reply:
        body, headers = reply["body"], httpx.Headers(reply["headers"])
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        return UnexpectedResponse(reply["status"], "", content, headers)
    if "code" in reply:
        return _RpcFailure(reply["code"], reply["details"])
    if "ResourceExhausted" in reply["exception"]:
        fields = reply["fields"]
        return ResourceExhaustedResponse(fields["message"], fields["retry_after_s"])
    name, _, detail = reply["exception"].partition(": ")
    return ResponseHandlingException(getattr(httpx, name)(detail))


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
