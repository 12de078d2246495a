"""The HTTP service against the real engine: answers, errors, keys, limits, metrics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from serving_examples import EITHER, PASSAGES, STATEMENT, WITHOUT_POOL

from logic_retrievers import Engine, PassageIndex, errors
from logic_retrievers.serving.guard import MAX_BODY
from logic_retrievers.serving.rest import build_app
from logic_retrievers.serving.service import SearchService

HERE = "http://127.0.0.1"
KEY = "a-key-for-tests"


@pytest.fixture
def client(service) -> Iterator[TestClient]:
    with TestClient(build_app(service), base_url=HERE) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "request_body", "first"),
    [
        ("/search", {"query": WITHOUT_POOL, "k": 2}, "sea"),
        ("/search-expression", {"expression": EITHER, "k": 2}, "sea"),
        ("/contradictions", {"text": STATEMENT, "k": 2}, "inn"),
        ("/contradictions", {"passage_id": "sea", "k": 2}, "inn"),
    ],
)
def test_searches(client, path, request_body, first):
    answer = client.post(path, json=request_body)
    assert answer.status_code == 200, answer.text
    passages = answer.json()["passages"]
    assert [passage["rank"] for passage in passages] == [1, 2]
    assert passages[0]["id"] == first
    if first == "inn":
        assert passages[0]["metadata"] == {"city": "Oslo"}
        assert passages[0]["source"] == "guide.md"


@pytest.mark.reader
def test_conflicts_of_texts_and_passages(client):
    answer = client.post("/check-conflicts", json={"texts": [STATEMENT, "x"], "ids": ["inn"]})
    assert answer.status_code == 200, answer.text
    (conflict,) = answer.json()["conflicts"]
    assert conflict["one"] == {"text": 0, "id": None, "sentence": STATEMENT}
    assert conflict["other"] == {"text": None, "id": "inn", "sentence": PASSAGES[2].text}
    assert conflict["relation"] == "contradiction"


@pytest.mark.parametrize(
    ("path", "request_body", "error", "words"),
    [
        ("/search", {"query": " "}, "EmptyTextError", "the query is empty"),
        ("/search", {"query": "x", "k": 101}, "InvalidRequest", "body.k: Input should be less"),
        ("/search", {"query": "x", "filter": {"": 1}}, "InputError", "filter's keys"),
        ("/search-expression", {"expression": "(a"}, "ExpressionError", "never closed"),
        ("/contradictions", {}, "InvalidRequest", "give either text or passage_id"),
        ("/check-conflicts", {"texts": ["x"]}, "InvalidRequest", "2 to 50"),
        ("/check-conflicts", {"ids": ["inn", "gone"]}, "InputError", "'gone'"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(client, path, request_body, error, words):
    answer = client.post(path, json=request_body)
    assert answer.status_code == 422
    assert answer.json()["error"] == error
    assert words in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/search", b"{"),
        ("/search", rb'{"query": "\ud800"}'),
        ("/search", rb'{"query": "x", "filter": {"city": {"not": ["\ud800"]}}}'),
        ("/search", b'{"query": "x", "filter": {"a": ' + b"[" * 500 + b"]" * 500 + b"}}"),
        ("/search", b'{"query": "x", "filter": {"year": NaN}}'),
    ],
)
def test_a_request_that_is_no_json_or_half_a_character_is_refused(client, path, body):
    """Half a character caused a 500: neither the engine nor responses accept it."""
    answer = client.post(path, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert answer.json().keys() == {"error", "detail"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "error"),
    [
        ("GET", "/nowhere", b"", 404, "NotFound"),
        ("GET", "/search", b"", 405, "MethodNotAllowed"),
        ("DELETE", "/health", b"", 405, "MethodNotAllowed"),
        ("POST", "/search", b'{"query": "\xff"}', 400, "BadRequest"),
    ],
)
def test_every_refusal_has_one_form(client, method, path, body, status, error):
    headers = {"content-type": "application/json"}
    answer = client.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json().keys() == {"error", "detail"}


def test_a_fault_of_our_own_has_that_form_too(service, monkeypatch):
    async def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("/home/me/secret")

    monkeypatch.setattr(Engine, "asearch", fail)
    client = TestClient(build_app(service), base_url=HERE, raise_server_exceptions=False)
    answer = client.post("/search", json={"query": "x"})
    assert (answer.status_code, answer.json()["error"]) == (500, "InternalError")
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.ServerUnavailableError("x"), 503),
        (errors.ServerTimeoutError("x"), 504),
        (errors.CollectionNotFoundError("x"), 404),
        (errors.FingerprintMismatchError("x"), 500),
        (errors.MissingVectorError("x"), 501),
    ],
)
def test_an_error_sets_the_status(client, monkeypatch, error, status):
    """5xx means a fault of the service, 422 one of the request."""

    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Engine, "asearch", fail)
    answer = client.post("/search", json={"query": "x"})
    assert answer.status_code == status
    assert answer.json() == {"error": type(error).__name__, "detail": "x"}


def test_a_missing_vector_is_mended_by_a_command():
    """A client of the service has no index whose method it could call."""
    with PassageIndex.open() as index:
        client = TestClient(build_app(SearchService(index)), base_url=HERE)
        answer = client.post("/contradictions", json={"text": "x"})
    assert answer.status_code == 501
    assert "`logic-retrievers backfill contradiction` once" in answer.json()["detail"]
    assert "index.backfill" not in answer.json()["detail"]


def test_a_large_body_is_refused(client):
    """The body is read before its fields' lengths are known."""
    large = {"query": "x", "exclude": ["y" * MAX_BODY]}
    answer = client.post("/search", json=large)
    assert (answer.status_code, answer.json()["error"]) == (413, "TooLarge")
    answer = client.post("/search", content=iter([b"x"] * 10))
    assert (answer.status_code, answer.json()["error"]) == (411, "LengthRequired")


def test_health_asks_the_collection(client, monkeypatch):
    """A service that lost its Qdrant must leave the rotation."""
    assert client.get("/health").json()["passages"] == 4
    assert client.head("/health").status_code == client.head("/metrics").status_code == 200

    async def fail(_: PassageIndex) -> None:
        raise errors.ServerUnavailableError("No answer from Qdrant")

    monkeypatch.setattr(PassageIndex, "acount", fail)
    assert client.get("/health").status_code == 503


def test_metrics_count_by_path_and_status(client):
    """Unknown paths share one label: otherwise each makes a permanent time series."""
    for body in ({"query": "sea"}, {"query": "sea"}, {"query": " "}):
        client.post("/search", json=body)
    for path in ("/a", "/b"):
        client.get(path)
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert 'logic_retrievers_requests_total{path="/search",status="200"} 2.0' in lines
    assert 'logic_retrievers_requests_total{path="/search",status="422"} 1.0' in lines
    assert 'logic_retrievers_requests_total{path="other",status="404"} 2.0' in lines
    assert 'logic_retrievers_request_seconds_count{path="/search"} 3.0' in lines
    assert "/a" not in answer.text


@pytest.mark.parametrize("sent", [None, "Bearer wrong", f"Basic {KEY}", KEY])
def test_without_the_key_there_is_no_answer(service, sent):
    """Strangers could make it parse 500 kB and learn the field names."""
    client = TestClient(build_app(service, KEY))
    headers = {} if sent is None else {"Authorization": sent}
    for method, path, body in (
        *(("POST", "/search", body) for body in (b"", b"{", b"x" * (MAX_BODY + 1))),
        *(("GET", path, b"") for path in ("/metrics", "/openapi.json", "/nowhere")),
    ):
        answer = client.request(method, path, headers=headers, content=body)
        assert (answer.status_code, answer.json()["error"]) == (401, "Unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert KEY not in answer.text


def test_the_key_opens_the_service_under_any_name(service):
    """A hundred half-sent bodies from strangers blocked users with a key."""
    client = TestClient(build_app(service, KEY), base_url="http://search.example")
    headers = {"Authorization": f"Bearer {KEY}"}
    assert client.post("/search", json={"query": "sea"}, headers=headers).status_code == 200
    assert client.get("/metrics", headers=headers).status_code == 200
    answer = client.request("POST", "/health", content=b"x")
    assert (answer.status_code, answer.json()["error"]) == (413, "TooLarge")
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("key", ["", "a key", "schlüssel", 5])
def test_a_key_that_is_none_is_refused(service, key):
    """An empty key, from an unset variable, let everyone in."""
    with pytest.raises(errors.ConfigurationError, match="api_key"):
        build_app(service, key)


def test_without_a_key_no_page_of_a_browser_reaches_it(client):
    """A page can point its own name to 127.0.0.1 and read what this machine serves."""
    headers = {"Host": "evil.example"}
    answer = client.post("/search", json={"query": "sea"}, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (400, "UnknownHost")


def test_the_description_has_the_limits(client):
    """Clients are generated from it; there is no page that loads foreign scripts."""
    described = client.get("/openapi.json").json()
    assert {*described["paths"]} == {
        "/search", "/search-expression", "/contradictions", "/check-conflicts",
        "/health", "/metrics",
    }  # fmt: skip
    fields = described["components"]["schemas"]["SearchRequest"]["properties"]
    assert (fields["k"]["maximum"], fields["query"]["maxLength"]) == (100, 10_000)
    assert {"401", "413", "422", "503"} <= {*described["paths"]["/search"]["post"]["responses"]}
    assert client.get("/docs").status_code == 404
