"""A batch of searches returns what the client's own method returns, over both protocols."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fault_injection import Wire
from qdrant_client import AsyncQdrantClient
from qdrant_client import models as m

from logic_retrievers.index.batch_search import batch_search
from logic_retrievers.index.client_calls import RESCORED, ScoredId, by_id, nearest_request

IDS = [UUID(int=n).hex for n in range(20)] + [7, 2**63]
NAME = "c"
EXACT = m.SearchParams(exact=True)


def field(**conditions: Any) -> m.Filter:
    return m.Filter(must=[m.FieldCondition(key="n", **conditions)])


FILTERS = {
    "none": None,
    "nested": m.Filter(
        should=[
            field(match=m.MatchValue(value=1)),
            field(match=m.MatchExcept(**{"except": [3]})),
            m.HasIdCondition(has_id=[7]),
        ],
        must=[
            m.Filter(must_not=[m.IsEmptyCondition(is_empty=m.PayloadField(key="at"))]),
            m.FieldCondition(key="at", range=m.DatetimeRange(gte=datetime(2026, 1, 2, tzinfo=UTC))),
            field(range=m.Range(gte=0.5, lt=19)),
        ],
    ),
}


@pytest.fixture
def client(wire):
    client = wire.connect()
    client.create_collection(
        NAME,
        {"topical": m.VectorParams(size=4, distance=m.Distance.COSINE)},
        sparse_vectors_config={"lexical": m.SparseVectorParams(modifier=m.Modifier.IDF)},
    )
    rows = np.random.default_rng(0).standard_normal((len(IDS), 4)).tolist()
    words = m.SparseVector(indices=[1, 2], values=[0.5, 1.5])
    client.upsert(
        NAME,
        [
            m.PointStruct(
                id=i,
                vector={"topical": row} | ({"lexical": words} if n % 2 else {}),
                payload={"n": n, "at": f"2026-01-{n + 1:02}T00:00:00Z"} if n % 3 else {},
            )
            for n, (i, row) in enumerate(zip(IDS, rows, strict=True))
        ],
    )
    return client


def requests(condition: m.Filter | None) -> list[m.QueryRequest]:
    """Dense and sparse requests; two share a filter of ids."""
    dense, sparse = np.arange(4.0), m.SparseVector(indices=[2], values=[1.0])
    points = by_id([*IDS[:9], 7], condition)
    return [
        nearest_request(dense, "topical", 5, condition, RESCORED),
        nearest_request(sparse, "lexical", 30, condition, RESCORED),
        nearest_request(dense, "topical", 10, points, EXACT),
        nearest_request(sparse, "lexical", 10, points, None),
    ]


def expected(client, batch: list[m.QueryRequest]) -> list[dict[Any, Any]]:
    answer = client.query_batch_points(NAME, batch)
    return [{p.id: pytest.approx(p.score, abs=1e-6) for p in each.points} for each in answer]


def stubs(client) -> list[Any]:
    """The stubs of the client's channel pool, which take turns."""
    return list({id(stub): stub for stub in (client.grpc_points for _ in range(10))}.values())


@pytest.mark.parametrize("condition", FILTERS.values(), ids=FILTERS)
def test_ids_and_scores_are_those_of_the_clients_method(client, condition):
    """Losing a filter finds hidden passages; changing an id's type finds nothing."""
    batch = requests(condition)
    answer = batch_search(client)(collection_name=NAME, requests=batch)
    wanted = expected(client, batch)
    assert [dict(each.points) for each in answer] == wanted
    assert all(wanted)
    assert all(isinstance(p, ScoredId) for each in answer for p in each.points)
    assert {type(p.id) for each in answer for p in each.points} <= {str, int}


async def test_an_asynchronous_client_gives_the_same(client, wire):
    batch = requests(FILTERS["nested"])
    other = wire.connect(AsyncQdrantClient)
    answer = await batch_search(other)(collection_name=NAME, requests=batch)
    await other.close()
    assert [dict(each.points) for each in answer] == expected(client, batch)


@pytest.mark.parametrize("consistency", [2, m.ReadConsistencyType.MAJORITY])
def test_the_read_consistency_is_sent(client, wire, monkeypatch, consistency):
    """The batch sends the same read consistency as the client's method."""
    sent: list[Any] = []
    if wire.prefer_grpc:
        for stub in stubs(client):
            really = stub.QueryBatch

            def noted(message: Any, really: Any = really, **options: Any) -> Any:
                sent.append(message.read_consistency)
                return really(message, **options)

            monkeypatch.setattr(stub, "QueryBatch", noted)
    else:
        api = client.http.client
        send = api.send

        def noted_request(request: Any, type_: Any) -> Any:
            sent.append(request.url)
            return send(request, type_)

        monkeypatch.setattr(api, "send", noted_request)
    batch = requests(None)
    batch_search(client)(collection_name=NAME, requests=batch, consistency=consistency)
    client.query_batch_points(NAME, batch, consistency=consistency)
    ours, theirs = sent
    assert ours == theirs
    assert str(getattr(consistency, "value", consistency)) in str(ours).lower()


def test_a_client_with_a_method_of_its_own_is_asked_by_it(wire, monkeypatch):
    """A search tracer replaces the method on the object or in a subclass; it must be called."""
    client = wire.connect()
    assert batch_search(client) != client.query_batch_points
    monkeypatch.setattr(client, "query_batch_points", lambda **_: [])
    assert batch_search(client)(collection_name=NAME, requests=[]) == []
    monkeypatch.undo()

    class Traced(type(client)):
        def query_batch_points(self, *arguments: Any, **options: Any) -> Any:
            return super().query_batch_points(*arguments, **options)

    client.__class__ = Traced
    assert batch_search(client) == client.query_batch_points


@pytest.mark.parametrize(("given", "sent"), [(None, 5), (2.5, 3)])
def test_the_deadline_of_the_client_is_that_of_the_call(wire_double, monkeypatch, given, sent):
    """Without the client's deadline an abandoned call waits for ever."""
    wire = Wire(wire_double, prefer_grpc=True)
    client = wire.connect(**({} if given is None else {"timeout": given}))
    seen: list[Any] = []
    from qdrant_client import grpc

    for stub in stubs(client):
        monkeypatch.setattr(
            stub, "QueryBatch", lambda _, timeout: seen.append(timeout) or grpc.QueryBatchResponse()
        )
    batch_search(client)(collection_name=NAME, requests=[])
    wire.close()
    assert seen == [sent]
