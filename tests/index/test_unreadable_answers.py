"""Answers that Qdrant would not give: whatever a server sends ends in our own errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import grpc as q
from raw_server import http_reply, raw_server
from suites import HashedEncoder

from logic_retrievers.errors import ServerError
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.requests import client_call
from logic_retrievers.types import Passage

DEEP = b"[" * 100_000
STRANGE = {
    "nothing": b"",
    "an empty object": b"{}",
    "no result": b'{"result": null, "status": "ok", "time": 0.1}',
    "another result": b'{"result": {"name": "x"}, "status": "ok", "time": 0.1}',
    "a text": b'"result"',
    "a number too large": b'{"result": {"count": 1e999, "points": 1}}',
    "bytes": b"\xff\xfe\x00\x9f" * 99,
    "a page": b"<!DOCTYPE html><html><body>Welcome!</body></html>",
    "half": b'{"result": {"poi',
    "deep": b'{"result": ' + DEEP,
    "deep and whole": b'{"result": ' + DEEP + b"]" * 100_000 + b"}",
}
QUERY = EncodedVectorQuery(
    "topical", "topical", HashedEncoder().encode_queries(["text"], ["topical"])["topical"][0], 3
)
CALLS = {
    "points/count": lambda index: index.count(),
    "points/retrieve": lambda index: index.get(["a"]),
    "points/scroll": lambda index: index.run(index.read_page()),
    "points/query/batch": lambda index: index.run(index.find_candidates([[QUERY]])),
    "points/upsert": lambda index: index.add([Passage("b", "another")]),
    "points/delete": lambda index: index.delete(["a"]),
}
ASYNCHRONOUS_CALLS = {
    "points/count": lambda index: index.acount(),
    "points/scroll": lambda index: index.arun(index.read_page()),
    "points/query/batch": lambda index: index.arun(index.find_candidates([[QUERY]])),
}
WORDS = "cannot be read.*Is this address Qdrant's"


def strange_answers(wire_settings) -> list[bytes]:
    """Over gRPC no bytes at all are a valid message, without any field."""
    return [body for body in STRANGE.values() if body or not wire_settings["prefer_grpc"]]


def test_every_call_says_that_its_answer_cannot_be_read(wire_double, wire_settings, encoder):
    """A RecursionError out of a search does not say that the address is another service's."""
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        index.add([Passage("a", "text")])
        for endpoint, call in CALLS.items():
            for body in strange_answers(wire_settings):
                wire_double.fail(1, "strange", on=endpoint, body=body)
                with pytest.raises(ServerError, match=WORDS):
                    call(index)
                assert wire_double.faults_left == 0, (endpoint, body[:40])
        assert index.count() == 1


async def test_so_does_every_asynchronous_call(wire_double, wire_settings, encoder):
    """The asynchronous client reads answers with code of its own."""
    async with await PassageIndex.aopen("p", encoder, **wire_settings) as index:
        for endpoint, call in ASYNCHRONOUS_CALLS.items():
            for body in strange_answers(wire_settings):
                wire_double.fail(1, "strange", on=endpoint, body=body)
                with pytest.raises(ServerError, match=WORDS):
                    await call(index)
                assert wire_double.faults_left == 0, (endpoint, body[:40])


def test_opening_at_an_address_of_another_service(wire_double, wire_settings, encoder):
    """An answer that cannot be read must not pass for a missing collection, which is then made."""
    for body in strange_answers(wire_settings):
        wire_double.fail(1, "strange", on="collections/get", body=body)
        with pytest.raises(ServerError, match=WORDS):
            PassageIndex.open("p", encoder, **wire_settings)
    assert not any(name == "collections/create" for _, name in wire_double.requests)


@pytest.mark.parametrize("status", [301, 404, 418])
def test_a_page_about_collections_is_no_missing_collection(encoder, status):
    """Web servers say "Cannot GET /collections/p" of every path that they do not know."""
    page = http_reply(b"<html><body>Cannot GET /collections/p</body></html>", status)
    with (
        raw_server(lambda _: [page]) as url,
        pytest.raises(ServerError, match=WORDS) as caught,
    ):
        PassageIndex.open("p", encoder, location=url)
    assert type(caught.value) is ServerError


@pytest.mark.parametrize("prefer_grpc", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x15\x03\x01\x00\x02\x02\x16",
        b"HTTP/1.1 200 OK\r\n\r\n",
        http_reply(b"{}", Content_Encoding="gzip"),
    ],
)
def test_a_port_of_another_protocol(encoder, reply, prefer_grpc):
    """The port of a database, or of TLS."""
    with raw_server(lambda _: [reply]) as url, pytest.raises(ServerError, match="address"):
        PassageIndex.open(
            "p",
            encoder,
            location=url,
            grpc_port=int(url.rpartition(":")[2]),
            prefer_grpc=prefer_grpc,
            retries=0,
            timeout=5,
        )


@pytest.mark.parametrize(
    ("endpoint", "call", "result", "words"),
    [
        ("points/query/batch", CALLS["points/query/batch"], b"[]", "another number of results"),
        (
            "points/query/batch",
            CALLS["points/query/batch"],
            b'[{"points": [{"id": 1, "version": 0, "score": NaN}]}]',
            "a score that is no number",
        ),
        (
            "points/retrieve",
            CALLS["points/retrieve"],
            b'[{"id": 7, "payload": {}}]',
            "a point that was not asked for",
        ),
        (
            "points/scroll",
            lambda index: index.run(index.read_page(offset=7)),
            b'{"points": [], "next_page_offset": 7}',
            "the same page",
        ),
    ],
)
def test_an_answer_that_fits_by_its_types_alone(
    wire_double, encoder, endpoint, call, result, words
):
    """Results that belong to another query, scores without an order, pages that never end."""
    with PassageIndex.open("p", encoder, location=wire_double.url) as index:
        wire_double.fail(1, "strange", on=endpoint, body=b'{"result": ' + result + b"}")
        with pytest.raises(ServerError, match=words):
            call(index)


WITHOUT_ASSERTIONS = """
import sys
from fault_injection import WireDouble
from suites import HashedEncoder
from logic_retrievers.errors import ServerError
from logic_retrievers.index import PassageIndex
with WireDouble() as double, PassageIndex.open("p", HashedEncoder(), location=double.url) as index:
    for endpoint, call in (
        ("points/count", index.count),
        ("points/retrieve", lambda: index.get(["a"])),
        ("points/scroll", lambda: index.run(index.read_page())),
        ("collections/get", lambda: PassageIndex.open("p", HashedEncoder(), location=double.url)),
    ):
        double.fail(1, "strange", on=endpoint, body=b"{}")
        try:
            call()
            sys.exit(f"{endpoint}: accepted")
        except ServerError as error:
            if "cannot be read" not in str(error):
                raise
"""


def test_without_assertions():
    """qdrant-client asserts that there is a result, and goes on with None under python -O."""
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-O", "-c", WITHOUT_ASSERTIONS],
        env={**os.environ, "PYTHONPATH": f"{tests}{os.pathsep}{tests / 'conformance'}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def test_messages_that_lack_a_field(wire_double, encoder):
    """Protocol buffers leave out whatever is not sent, so that half a message is a valid one."""
    half = [
        ("collections/get", q.GetCollectionInfoResponse()),
        ("collections/get", q.GetCollectionInfoResponse(result=q.CollectionInfo())),
        ("points/query/batch", q.QueryBatchResponse()),
        ("points/query/batch", q.QueryBatchResponse(result=[{"result": [q.ScoredPoint(score=1)]}])),
        ("points/retrieve", q.GetResponse(result=[q.RetrievedPoint()])),
        ("points/scroll", q.ScrollResponse(result=[q.RetrievedPoint()])),
    ]
    where = {"location": wire_double.url, "grpc_port": wire_double.grpc_port, "prefer_grpc": True}
    calls = {**CALLS, "collections/get": lambda _: PassageIndex.open("p", encoder, **where)}
    with PassageIndex.open("p", encoder, **where) as index:
        for endpoint, message in half:
            wire_double.fail(1, "strange", on=endpoint, body=message.SerializeToString())
            with pytest.raises(ServerError, match=WORDS):
                calls[endpoint](index)
            assert wire_double.faults_left == 0


def test_a_bug_of_ours_keeps_its_name(wire_double, wire_settings, encoder):
    """An error of our own that is put down to the server is never found."""

    def call(method: str, **arguments: Any):
        yield client_call(method, "p", **arguments)

    with PassageIndex.open("p", encoder, **wire_settings) as index:
        with pytest.raises(AssertionError, match="unknown"):
            index.run(call("count", unknown=1))
        with pytest.raises(TypeError):
            index.run(call("retrieve", ids=None))
        with pytest.raises(AttributeError):
            index.run(call("no_such_method"))
