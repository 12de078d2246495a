"""Batched searches through a client's generated API, reading only ids and scores.

``query_batch_points`` of a server's client deep-copies every request and makes a model of twelve
fields from every result. For a query with an exclusion it takes 8 to 10 ms; this module takes 3 to
5 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel, StrictInt, StrictStr
from qdrant_client import AsyncQdrantClient, QdrantClient, grpc, models
from qdrant_client.conversions.conversion import RestToGrpc
from qdrant_client.qdrant_remote import QdrantRemote
from typing_extensions import TypedDict  # pydantic wants it before Python 3.12

from logic_retrievers.index.client_calls import ScoredId, ScoredPoints, by_filter
from logic_retrievers.index.faults import UnreadableAnswer
from logic_retrievers.index.settings import is_local_mode

Searches: TypeAlias = Sequence[models.QueryRequest]
Consistency: TypeAlias = models.ReadConsistency | None
_USUAL_METHODS = (QdrantClient.query_batch_points, AsyncQdrantClient.query_batch_points)


def batch_search(client: Any) -> Callable[..., Any]:
    """Make a function that does what a client's ``query_batch_points`` does.

    The function takes only ``collection_name``, ``requests`` and ``consistency``, and returns a
    list of :class:`ScoredPoints`. If the client's method was replaced (by a tracer, for example) or
    the client is in local mode, return that method.
    """
    has_own = "query_batch_points" in vars(client)
    if has_own or type(client).query_batch_points not in _USUAL_METHODS:
        return client.query_batch_points  # type: ignore[no-any-return]
    if is_local_mode(client.init_options):
        return client.query_batch_points  # type: ignore[no-any-return]
    over_grpc = client.init_options.get("prefer_grpc")
    send, read = (_send_rpc, _from_rpc) if over_grpc else (_send_rest, _from_rest)

    def search(
        collection_name: str, requests: Searches, consistency: Consistency = None
    ) -> list[ScoredPoints]:
        return read(send(client, collection_name, requests, consistency))

    async def asearch(
        collection_name: str, requests: Searches, consistency: Consistency = None
    ) -> list[ScoredPoints]:
        return read(await send(client, collection_name, requests, consistency))

    return asearch if isinstance(client, AsyncQdrantClient) else search


class _RestPoint(TypedDict):
    id: StrictInt | StrictStr
    score: float


class _RestPoints(TypedDict):
    points: list[_RestPoint]


class _RestAnswer(BaseModel):
    result: list[_RestPoints]


def _send_rest(client: Any, collection: str, requests: Searches, consistency: Consistency) -> Any:
    body = models.QueryRequestBatch.model_construct(searches=list(requests))
    wanted = getattr(consistency, "value", consistency)
    return client.http.client.request(
        type_=_RestAnswer,
        method="POST",
        url="/collections/{collection_name}/points/query/batch",
        path_params={"collection_name": collection},
        params={} if wanted is None else {"consistency": str(wanted)},
        headers={"Content-Type": "application/json"},
        content=body.model_dump_json(by_alias=True, exclude_none=True, exclude_unset=True),
    )


def _from_rest(answer: _RestAnswer) -> list[ScoredPoints]:
    return [
        ScoredPoints([ScoredId(point["id"], point["score"]) for point in each["points"]])
        for each in answer.result
    ]


def _send_rpc(client: Any, collection: str, requests: Searches, consistency: Consistency) -> Any:
    filters = by_filter(requests, RestToGrpc.convert_filter)
    message = grpc.QueryBatchPoints(
        collection_name=collection,
        query_points=[
            grpc.QueryPoints(
                collection_name=collection,
                query=RestToGrpc.convert_query_interface(request.query),  # type: ignore[arg-type]
                using=request.using,
                filter=filters[id(request.filter)],
                limit=request.limit,
                params=RestToGrpc.convert_search_params(request.params) if request.params else None,
            )
            for request in requests
        ],
        read_consistency=RestToGrpc.convert_read_consistency(consistency) if consistency else None,
    )
    seconds = client.init_options.get("timeout")
    timeout = QdrantRemote.DEFAULT_GRPC_TIMEOUT if seconds is None else math.ceil(seconds)
    return client.grpc_points.QueryBatch(message, timeout=timeout)


def _from_rpc(answer: grpc.QueryBatchResponse | None) -> list[ScoredPoints]:
    if answer is None:  # an asynchronous stub gives None for bytes that it cannot read
        raise UnreadableAnswer("it has no result")
    return [
        ScoredPoints([ScoredId(p.id.uuid or _number(p.id), p.score) for p in each.result])
        for each in answer.result
    ]


def _number(point: grpc.PointId) -> int:
    if point.WhichOneof("point_id_options") != "num":
        raise UnreadableAnswer("it has a point without an id")
    return int(point.num)
