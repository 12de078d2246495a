"""The double refuses and fails as a server does: errors, keys, strict mode, versions, faults."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from doubles import Wire, WireDouble
from qdrant_client import QdrantClient
from qdrant_client import models as m
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.common.version_check import is_compatible
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

A = {"a": [1.0, 0.0, 0.0]}
POINT = m.PointStruct(id=1, vector=A, payload={"tag": "x", "items": [{"n": 1}]})
TAG = m.FieldCondition(key="tag", match=m.MatchValue(value="x"))
NESTED = m.NestedCondition(
    nested=m.Nested(
        key="items", filter=m.Filter(must=[m.FieldCondition(key="n", range=m.Range(gt=0))])
    )
)
Call = Callable[[QdrantClient], Any]


def fill_collection(client: QdrantClient) -> QdrantClient:
    client.create_collection("c", {"a": m.VectorParams(size=3, distance=m.Distance.COSINE)})
    client.upsert("c", [POINT])
    return client


@pytest.fixture(params=["rest", "grpc"])
def prefer_grpc(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "grpc")


@pytest.fixture
def client(wire: Wire) -> QdrantClient:
    return fill_collection(wire.connect())


def failure(call: Call, client: QdrantClient) -> tuple[int | grpc.StatusCode, str]:
    """Status and text of the error that the call meets, from either protocol."""
    with pytest.raises((UnexpectedResponse, grpc.RpcError)) as caught:
        call(client)
    error = caught.value
    if isinstance(error, UnexpectedResponse):
        text = error.structured()["status"]["error"] if b"{" in error.content else error.content
        return error.status_code, text if isinstance(text, str) else text.decode()
    return error.code(), error.details()


def search(vector: Any = A["a"], **options: Any) -> Call:
    return lambda client: client.query_points("c", vector, **{"using": "a", **options})


REFUSALS: dict[str, tuple[Call, int, str]] = {
    "no collection": (
        lambda c: c.get_collection("missing"),
        404,
        "Not found: Collection `missing` doesn't exist!",
    ),
    "collection exists": (
        lambda c: c.create_collection("c", {}),
        409,
        "Wrong input: Collection `c` already exists!",
    ),
    "unknown vector": (
        search(using="b"),
        400,
        "Wrong input: Not existing vector name error: b",
    ),
    "query dimension": (
        search([1.0, 0.0]),
        400,
        "Wrong input: Vector dimension error: expected dim: 3, got 2",
    ),
    "stored dimension": (
        lambda c: c.upsert("c", [m.PointStruct(id=2, vector={"a": [1.0]})]),
        400,
        "Wrong input: Vector dimension error: expected dim: 3, got 1",
    ),
    "stored name": (
        lambda c: c.upsert("c", [m.PointStruct(id=2, vector={"b": [1.0]})]),
        400,
        "Wrong input: Not existing vector name error: b",
    ),
    "no such point": (
        lambda c: c.update_vectors("c", [m.PointVectors(id=9, vector=A)]),
        404,
        "Not found: No point with id 9 found",
    ),
    "limit": (
        search(limit=0),
        422,
        "Validation error in JSON body: [limit: value 0 invalid, must be 1 or larger]",
    ),
}
GRPC = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 409: "ALREADY_EXISTS", 422: "INVALID_ARGUMENT"}


@pytest.mark.parametrize("mistake", REFUSALS)
def test_mistakes_get_the_words_of_a_server(mistake: str, client: QdrantClient, wire: Wire) -> None:
    """Error handling is built on these statuses; a made-up one would prove it against nothing."""
    call, status, words = REFUSALS[mistake]
    code = grpc.StatusCode[GRPC[status]] if wire.prefer_grpc else status
    assert failure(call, client) == (code, words)


def test_a_body_of_the_wrong_shape(wire_double: WireDouble) -> None:
    """A body that the models do not know is the caller's error, not the server's."""
    client = fill_collection(Wire(wire_double, prefer_grpc=False).connect())
    body = {"ids": "not a list"}
    response = client.http.client._client.post(f"{wire_double.url}/collections/c/points", json=body)
    assert response.status_code == 400
    assert response.json()["status"]["error"].startswith("Format error in JSON body: ids")
    client.close()


def test_keys(prefer_grpc: bool) -> None:
    """A wrong key must fail as in production: 401 for a stranger, 403 for a reader that writes."""
    with WireDouble(api_key="secret", read_only_api_key="look") as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        fill_collection(wire.connect(api_key="secret"))
        nobody, stranger, reader = (
            wire.connect(**key) for key in ({}, {"api_key": "wrong"}, {"api_key": "look"})
        )
        denied = grpc.StatusCode.UNAUTHENTICATED if prefer_grpc else 401
        assert failure(search(), nobody) == (
            denied,
            "Must provide an API key or an Authorization bearer token",
        )
        assert failure(search(), stranger) == (denied, "Invalid API key or JWT")
        assert len(search()(reader).points) == 1
        status, words = failure(lambda c: c.upsert("c", [POINT]), reader)
        assert status == (grpc.StatusCode.PERMISSION_DENIED if prefer_grpc else 403)
        assert words.startswith("Forbidden: ")
        assert nobody.info().title == "qdrant - vector search engine"
        wire.close()


NEEDS_KEYWORD: dict[str, Call] = {
    "query": search(query_filter=m.Filter(should=[TAG])),
    "prefetch": search(
        prefetch=m.Prefetch(query=A["a"], using="a", filter=m.Filter(must=[m.Filter(must=[TAG])]))
    ),
    "scroll": lambda c: c.scroll("c", m.Filter(must_not=[TAG])),
    "count": lambda c: c.count("c", m.Filter(must=[TAG])),
    "delete": lambda c: c.delete("c", m.Filter(must=[TAG])),
    "set payload": lambda c: c.set_payload("c", {"x": 1}, m.Filter(must=[TAG])),
}


@pytest.mark.parametrize("name", NEEDS_KEYWORD)
def test_strict_mode_wants_an_index(prefer_grpc: bool, name: str) -> None:
    """Qdrant Cloud refuses such filters anywhere in a request; local mode never would."""
    call = NEEDS_KEYWORD[name]
    with WireDouble(strict=True) as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        client = fill_collection(wire.connect())
        client.create_payload_index("c", "tag", m.PayloadSchemaType.INTEGER)
        status, words = failure(call, client)
        assert status == (grpc.StatusCode.INVALID_ARGUMENT if prefer_grpc else 400)
        assert words == (
            'Bad request: Index required but not found for "tag" of one of the following types: '
            "[keyword]. Help: Create an index for this key or use a different filter."
        )
        client.create_payload_index("c", "tag", m.KeywordIndexParams(type="keyword"))
        call(client)
        wire.close()


def test_strict_mode_names_nested_keys(prefer_grpc: bool) -> None:
    """An index on the array itself does not serve a condition inside its elements."""
    with WireDouble(strict=True) as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        client = fill_collection(wire.connect())
        call = search(query_filter=m.Filter(must=[NESTED, m.HasIdCondition(has_id=[1])]))
        assert (
            '"items[].n" of one of the following types: [float, integer]'
            in (failure(call, client)[1])
        )
        client.create_payload_index("c", "items[].n", m.PayloadSchemaType.INTEGER)
        assert len(call(client).points) == 1
        wire.close()


def test_strict_mode_refuses_exact_search(prefer_grpc: bool) -> None:
    """Rescoring with `exact` is refused there, also deep in a prefetch."""
    exact = m.SearchParams(exact=True)
    with WireDouble(strict_exact=True) as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        client = fill_collection(wire.connect())
        for call in (
            search(search_params=exact),
            search(prefetch=m.Prefetch(query=A["a"], using="a", params=exact)),
            lambda c: c.count("c", exact=True),
        ):
            words = "Bad request: Exact search disabled!. Help: Set exact=false."
            assert failure(call, client)[1] == words
        assert len(search(search_params=m.SearchParams(exact=False))(client).points) == 1
        wire.close()


def test_an_old_server(prefer_grpc: bool) -> None:
    """A client must ask for the version before it uses what came later."""
    with WireDouble(version="1.16.3") as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        client = fill_collection(wire.connect())
        assert client.info().version == "1.16.3"
        dense = m.DenseVectorConfig(size=2, distance=m.Distance.DOT)
        status, _ = failure(
            lambda c: c.create_vector_name("c", "new", m.DenseVectorNameConfig(dense=dense)), client
        )
        assert status == (grpc.StatusCode.UNIMPLEMENTED if prefer_grpc else 404)
        wire.close()


def test_the_default_version_suits_the_client(wire_double: WireDouble) -> None:
    """Else every client that checks warns from a thread, and the test run fails at random."""
    client = Wire(wire_double, prefer_grpc=False).connect()
    version = client.info().version
    assert is_compatible(version, version)
    assert wire_double.requests == []
    client.close()


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [("500", 500, "INTERNAL"), ("503", 503, "UNAVAILABLE"), ("507", 507, "RESOURCE_EXHAUSTED")],
)
def test_failing_statuses(
    kind: Any, status: int, code: str, client: QdrantClient, wire: Wire
) -> None:
    """A fault hits as many requests as asked, and then the server is well again."""
    wire.double.fail(times=2, kind=kind)
    for _ in range(2):
        expected = grpc.StatusCode[code] if wire.prefer_grpc else status
        assert failure(search(), client)[0] == expected
    assert wire.double.faults_left == 0
    assert len(search()(client).points) == 1


def test_rate_limit(client: QdrantClient, wire: Wire) -> None:
    """The client makes an error of its own of a 429 that says when to come back."""
    wire.double.fail(kind="429", retry_after=7)
    with pytest.raises(ResourceExhaustedResponse) as caught:
        search()(client)
    assert caught.value.retry_after_s == 7
    wire.double.fail(kind="429", retry_after=None)
    assert failure(search(), client)[0] in (429, grpc.StatusCode.RESOURCE_EXHAUSTED)


def test_strange_answers(client: QdrantClient, wire: Wire) -> None:
    """The bytes must arrive as they are, or a test of unreadable answers tests another one."""
    wire.double.fail(kind="strange", body=b"\xff<html>")
    with pytest.raises((ValueError, grpc.RpcError)) as caught:
        client.count("c")
    if wire.prefer_grpc:
        assert caught.value.code() is grpc.StatusCode.INTERNAL
        assert "deserializing" in caught.value.details()
    else:
        assert caught.value.object == b"\xff<html>"
    assert client.count("c").count == 1


@pytest.mark.parametrize("after_apply", [False, True])
def test_dropped_connections(after_apply: bool, client: QdrantClient, wire: Wire) -> None:
    """After a drop the client cannot know whether the write was done: a retry must be harmless."""
    wire.double.fail(on="points/upsert", after_apply=after_apply)
    with pytest.raises((ResponseHandlingException, grpc.RpcError)) as caught:
        client.upsert("c", [m.PointStruct(id=2, vector=A)])
    if wire.prefer_grpc:
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert client.count("c").count == (2 if after_apply else 1)


def test_no_answer(wire: Wire) -> None:
    """A server that hangs must run into the client's own time limit."""
    client = fill_collection(wire.connect(timeout=1))
    wire.double.fail(kind="timeout", on="points/query")
    with pytest.raises((ResponseHandlingException, grpc.RpcError)) as caught:
        search()(client)
    if wire.prefer_grpc:
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    else:
        assert "timed out" in str(caught.value)
    assert len(search()(client).points) == 1


async def test_async_clients_meet_the_same_faults(client: QdrantClient, wire: Wire) -> None:
    """The async transports raise other classes for the same faults."""
    remote = wire.aconnect()
    wire.double.fail(on="points/count")
    wire.double.fail(on="points/count", kind="429")
    with pytest.raises((ResponseHandlingException, grpc.aio.AioRpcError)):
        await remote.count("c")
    with pytest.raises(ResourceExhaustedResponse):
        await remote.count("c")
    assert (await remote.count("c")).count == 1
    await remote.close()


def test_a_fault_waits_for_its_endpoint(client: QdrantClient, wire: Wire) -> None:
    """A fault that never fires, or fires elsewhere, makes a test pass for nothing."""
    wire.double.fail(on="points/query/batch")
    search()(client)
    assert wire.double.faults_left == 1
    protocol = "grpc" if wire.prefer_grpc else "rest"
    expected = ["collections/create", "points/upsert", "points/query"]
    assert wire.double.requests == [(protocol, endpoint) for endpoint in expected]
    with pytest.raises(ValueError, match="unknown endpoint 'points/qurey'"):
        wire.double.fail(on="points/qurey")
    with pytest.raises(ValueError, match="unknown fault '418'"):
        wire.double.fail(kind="418")  # type: ignore[arg-type]


@pytest.fixture
def slow(prefer_grpc: bool) -> Iterator[Wire]:
    with WireDouble(latency=0.2) as double:
        wire = Wire(double, prefer_grpc=prefer_grpc)
        yield wire
        wire.close()


def test_requests_overlap(slow: Wire) -> None:
    """If latency were slept under the lock, concurrency would look useless in every benchmark."""
    client = fill_collection(slow.connect())
    assert slow.double.peak_overlap == 1
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: search()(client), range(8)))
    assert slow.double.peak_overlap > 1
