"""Answers that Qdrant would not send: every answer ends in our own errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from qdrant_client import grpc as q
from raw_server import http_reply, raw_server
from suites import HashedEncoder

from logic_retrievers.errors import CollectionMismatchError, ServerError
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.point_format import point_id
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


def strange_answers(double, settings, endpoint) -> Iterator[AbstractContextManager[object]]:
    """Send each strange answer in turn and expect the error for it."""
    for body in STRANGE.values():
        if body or not settings["prefer_grpc"]:  # over gRPC, zero bytes are a valid message
            double.fail(1, "strange", on=endpoint, body=body)
            yield pytest.raises(ServerError, match=WORDS)
            assert double.faults_left == 0, (endpoint, body[:40])


async def test_every_call_says_that_its_answer_cannot_be_read(wire_double, wire_settings, encoder):
    """A RecursionError from a search does not say that the address belongs to another service.

    Nor must an unreadable answer count as a missing collection, which would then be created.
    """
    async with await PassageIndex.aopen("p", encoder, **wire_settings) as index:
        index.add([Passage("a", "text")])
        for endpoint, call in CALLS.items():
            for answer in strange_answers(wire_double, wire_settings, endpoint):
                with answer:
                    call(index)
        for endpoint, call in ASYNCHRONOUS_CALLS.items():
            for answer in strange_answers(wire_double, wire_settings, endpoint):
                with answer:
                    await call(index)
        for answer in strange_answers(wire_double, wire_settings, "collections/get"):
            with answer:
                PassageIndex.open("q", encoder, **wire_settings)
        assert index.count() == 1
    assert wire_double.created.keys() == {"p"}


@pytest.mark.parametrize("status", [301, 404, 418])
def test_a_page_about_collections_is_no_missing_collection(encoder, status):
    """Web servers answer "Cannot GET /collections/p" for every unknown path."""
    page = http_reply(b"<html><body>Cannot GET /collections/p</body></html>", status)
    with raw_server(lambda _: [page]) as url, pytest.raises(ServerError, match=WORDS) as caught:
        PassageIndex.open("p", encoder, location=url)
    assert type(caught.value) is ServerError


@pytest.mark.parametrize("prefer_grpc", [False, True])
@pytest.mark.parametrize(
    "reply", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", http_reply(b"{}", Content_Encoding="gzip")]
)
def test_a_port_of_another_protocol(encoder, reply, prefer_grpc):
    """The port of a database, or of TLS, gives our error."""
    with raw_server(lambda _: [reply]) as url:
        place = {"location": url, "grpc_port": int(url.rpartition(":")[2])}
        with pytest.raises(ServerError, match="address"):
            PassageIndex.open("p", encoder, **place, prefer_grpc=prefer_grpc, retries=0, timeout=5)


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
    """Results of a different query, unordered scores and endless pages are refused."""
    with PassageIndex.open("p", encoder, location=wire_double.url) as index:
        wire_double.fail(1, "strange", on=endpoint, body=b'{"result": ' + result + b"}")
        with pytest.raises(ServerError, match=words):
            call(index)


def test_messages_that_lack_a_field(wire_double, encoder):
    """Protocol buffers omit unset fields, so half a message is valid."""
    half = [
        ("collections/get", q.GetCollectionInfoResponse()),
        ("collections/get", q.GetCollectionInfoResponse(result=q.CollectionInfo())),
        ("points/query/batch", q.QueryBatchResponse()),
        ("points/query/batch", q.QueryBatchResponse(result=[{"result": [q.ScoredPoint(score=1)]}])),
        ("points/retrieve", q.GetResponse(result=[q.RetrievedPoint()])),
        ("points/scroll", q.ScrollResponse(result=[q.RetrievedPoint()])),
    ]
    where = wire_double.place(prefer_grpc=True)
    calls = {**CALLS, "collections/get": lambda _: PassageIndex.open("p", encoder, **where)}
    with PassageIndex.open("p", encoder, **where) as index:
        for endpoint, message in half:
            wire_double.fail(1, "strange", on=endpoint, body=message.SerializeToString())
            with pytest.raises(ServerError, match=WORDS):
                calls[endpoint](index)
            assert wire_double.faults_left == 0


def test_a_bug_of_ours_keeps_its_name(wire_double, wire_settings, encoder):
    """Our own bug must not be blamed on the server: it would never be found."""

    def call(method: str, **arguments: Any):
        yield client_call(method, "p", **arguments)

    with PassageIndex.open("p", encoder, **wire_settings) as index:
        with pytest.raises(AssertionError, match="unknown"):
            index.run(call("count", unknown=1))
        with pytest.raises(TypeError):
            index.run(call("retrieve", ids=None))
        with pytest.raises(AttributeError):
            index.run(call("no_such_method"))


DAMAGED = [
    *({"page_content": 5}, {"page_content": None}, {"metadata": [1]}, {"_node_content": "no JSON"}),
    *({"logic": {"span": 3}}, {"logic": {"span": ["a"]}}, {"logic": {"extra": 7}}),
    *({"logic": {"id": []}}, {"logic": {"embed_text": 1}}),
]


@pytest.mark.parametrize("payload", DAMAGED, ids=str)
def test_a_payload_that_another_program_changed(index, payload):
    """An error of pydantic's or a TypeError does not name the point."""
    index.add([Passage("a", "text")])
    index.client.set_payload(index.collection, payload, points=[point_id("a")])
    with pytest.raises(CollectionMismatchError, match=r"[Pp]oint"):
        index.get(["a"])


@pytest.mark.parametrize("notes", [5, {"format": 1}, {"format": 1, "prefixes": 3, "vectors": {}}])
def test_notes_that_another_program_changed(index, encoder, notes):
    """The recorded vector metadata decides what is searched."""
    index.client.update_collection(index.collection, metadata={"logic": notes})
    with pytest.raises(CollectionMismatchError, match=r"another program|format"):
        PassageIndex.open(index.collection, encoder, client=index.client)
