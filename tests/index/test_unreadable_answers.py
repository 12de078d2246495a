"""Answers that Qdrant would not give: whatever a server sends ends in our own errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from typing import Any

import pytest
from fault_injection import Call, StrangeReply, WireDouble
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic_core import to_json
from qdrant_client import grpc as q
from raw_server import http_reply, raw_server
from suites import HashedEncoder

from logic_retrievers.errors import LogicRetrieversError, ServerError
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
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
    """Send each strange answer in turn, and expect the error for it."""
    for body in STRANGE.values():
        if body or not settings["prefer_grpc"]:  # over gRPC no bytes are a valid message
            double.fail(1, "strange", on=endpoint, body=body)
            yield pytest.raises(ServerError, match=WORDS)
            assert double.faults_left == 0, (endpoint, body[:40])


async def test_every_call_says_that_its_answer_cannot_be_read(wire_double, wire_settings, encoder):
    """A RecursionError out of a search does not say that the address is another service's.

    Nor must an answer that cannot be read pass for a missing collection, which is then made.
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
    """Web servers say "Cannot GET /collections/p" of every path that they do not know."""
    page = http_reply(b"<html><body>Cannot GET /collections/p</body></html>", status)
    with raw_server(lambda _: [page]) as url, pytest.raises(ServerError, match=WORDS) as caught:
        PassageIndex.open("p", encoder, location=url)
    assert type(caught.value) is ServerError


@pytest.mark.parametrize("prefer_grpc", [False, True])
@pytest.mark.parametrize(
    "reply", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", http_reply(b"{}", Content_Encoding="gzip")]
)
def test_a_port_of_another_protocol(encoder, reply, prefer_grpc):
    """The port of a database, or of TLS."""
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
    """Results that belong to another query, scores without an order, pages that never end."""
    with PassageIndex.open("p", encoder, location=wire_double.url) as index:
        wire_double.fail(1, "strange", on=endpoint, body=b'{"result": ' + result + b"}")
        with pytest.raises(ServerError, match=words):
            call(index)


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
    where = wire_double.place(prefer_grpc=True)
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


PASSAGES = [Passage(f"inn-{n}", f"quiet inn {n} by the river", source="guide") for n in range(4)]
ENCODER = HashedEncoder(dimension=32)


def search(index: PassageIndex) -> None:
    hits = Engine(index, "hybrid").search("quiet inns by the river", 3)
    json.dumps([hit.to_dict() for hit in hits], allow_nan=False)


MANY_CALLS: dict[str, Callable[[PassageIndex], Any]] = {
    "open": lambda index: None,
    "count": lambda index: index.count(),
    "get": lambda index: index.get(["inn-1", "inn-2"]),
    "scroll": lambda index: list(index.scroll()),
    "search": search,
    "add": lambda index: index.add([Passage("inn-0", "changed"), Passage("new", "new")]),
    "delete": lambda index: index.delete(["inn-3"]),
    "backfill": lambda index: index.backfill(["topical"]),
    "hide": lambda index: index.run(index.hide(["inn-2"])),
    "vectors": lambda index: index.run(index.fetch_vectors(["topical"], [point_id("inn-1", None)])),
    "quarantined": lambda index: index.run(index.quarantined_page()),
}
CHANGED_VALUES = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, 1e308, 10**30, float("nan"), "", "\ud800", "2024", [], {}),
        *([[]], [None], ["x"], [1, 2], [{"id": 1}], {"logic": 5}, {"points": []}),
    ]
)


class ChangingDouble(WireDouble):
    """Changes the answers of one endpoint."""

    change: tuple[str, Callable[[Any], Any]] | None = None

    def answer(self, protocol: str, call: Call, parse: Callable[[], Any], api_key: Any) -> Any:
        result = super().answer(protocol, call, parse, api_key)
        if self.change is None or self.change[0] != call.endpoint:
            return result
        _, change = self.change
        reply = to_json({"result": result, "status": "ok"}, by_alias=True, exclude_none=True)
        self.change = None
        raise StrangeReply(json.dumps(change(json.loads(reply))).encode())


@pytest.fixture
def double() -> Iterator[ChangingDouble]:
    with ChangingDouble() as double:
        yield double


def opened(double: WireDouble) -> PassageIndex:
    return PassageIndex.open("p", ENCODER, location=double.url, retries=0, timeout=5)


def places(container: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a reply, with each of its keys or positions."""
    for place in list(container) if isinstance(container, dict) else range(len(container)):
        yield container, place
        if isinstance(container[place], dict | list):
            yield from places(container[place])


changes = st.lists(st.tuples(st.integers(0, 10**6), CHANGED_VALUES), min_size=1, max_size=3)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(sorted(MANY_CALLS)), changed=changes)
def test_a_changed_reply_ends_in_a_result_or_an_own_error(double, data, name, changed):
    """An error of pydantic's or a KeyError says nothing of the server."""
    with closing(opened(double)) as index:
        index.add(PASSAGES)
    double.requests.clear()
    with closing(opened(double)) as index:
        MANY_CALLS[name](index)
    endpoint = data.draw(st.sampled_from(sorted({endpoint for _, endpoint in double.requests})))

    def change(reply: Any) -> Any:
        for number, value in changed:
            found = [*places(reply)]
            container, place = found[number % len(found)]
            container[place] = value
        return reply

    double.change = (endpoint, change)
    try:
        with closing(opened(double)) as index:
            MANY_CALLS[name](index)
    except LogicRetrieversError:
        pass
    finally:
        double.change = None
