"""Results in REST models as gRPC messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qdrant_client import grpc as q
from qdrant_client.conversions.conversion import RestToGrpc
from qdrant_client.http import models


def _version(info: models.VersionInfo) -> q.HealthCheckReply:
    return q.HealthCheckReply(title=info.title, version=info.version)


def _done(result: bool) -> q.CollectionOperationResponse:
    return q.CollectionOperationResponse(result=result)


def _collections(result: models.CollectionsResponse) -> q.ListCollectionsResponse:
    found = [RestToGrpc.convert_collection_description(each) for each in result.collections]
    return q.ListCollectionsResponse(collections=found)


def _collection(info: models.CollectionInfo) -> q.GetCollectionInfoResponse:
    return q.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))


def _existence(result: models.CollectionExistence) -> q.CollectionExistsResponse:
    return q.CollectionExistsResponse(result=q.CollectionExists(exists=result.exists))


def _aliases(result: models.CollectionsAliasesResponse) -> q.ListAliasesResponse:
    aliases = [RestToGrpc.convert_alias_description(each) for each in result.aliases]
    return q.ListAliasesResponse(aliases=aliases)


def _updated(result: models.UpdateResult) -> q.PointsOperationResponse:
    return q.PointsOperationResponse(result=RestToGrpc.convert_update_result(result))


def _updates(results: list[models.UpdateResult]) -> q.UpdateBatchResponse:
    updates = [RestToGrpc.convert_update_result(result) for result in results]
    return q.UpdateBatchResponse(result=updates)


def _point(record: models.Record) -> q.RetrievedPoint:
    # A message cannot say "no payload": it is empty then.
    return RestToGrpc.convert_record(record.model_copy(update={"payload": record.payload or {}}))


def _points(records: list[models.Record]) -> q.GetResponse:
    return q.GetResponse(result=[_point(record) for record in records])


def _page(page: models.ScrollResult) -> q.ScrollResponse:
    offset = page.next_page_offset
    return q.ScrollResponse(
        result=[_point(record) for record in page.points],
        next_page_offset=None if offset is None else RestToGrpc.convert_extended_point_id(offset),
    )


def _count(result: models.CountResult) -> q.CountResponse:
    return q.CountResponse(result=RestToGrpc.convert_count_result(result))


def _hits(response: models.QueryResponse) -> list[q.ScoredPoint]:
    return [RestToGrpc.convert_scored_point(point) for point in response.points]


def _query(response: models.QueryResponse) -> q.QueryResponse:
    return q.QueryResponse(result=_hits(response))


def _query_batch(responses: list[models.QueryResponse]) -> q.QueryBatchResponse:
    return q.QueryBatchResponse(result=[q.BatchResult(result=_hits(each)) for each in responses])


def _groups(result: models.GroupsResult) -> q.QueryGroupsResponse:
    return q.QueryGroupsResponse(result=RestToGrpc.convert_groups_result(result))


def _facet(result: models.FacetResponse) -> q.FacetResponse:
    return q.FacetResponse(hits=[RestToGrpc.convert_facet_value_hit(hit) for hit in result.hits])


_REPLIES: dict[str, Callable[[Any], Any]] = {
    "version": _version,
    "collections/list": _collections,
    "collections/create": _done,
    "collections/get": _collection,
    "collections/update": _done,
    "collections/delete": _done,
    "collections/exists": _existence,
    "collections/aliases": _aliases,
    "aliases/update": _done,
    "aliases/list": _aliases,
    "points/retrieve": _points,
    "points/batch": _updates,
    "points/count": _count,
    "points/scroll": _page,
    "points/query": _query,
    "points/query/batch": _query_batch,
    "points/query/groups": _groups,
    "facet": _facet,
}


def encode(endpoint: str, result: Any) -> Any:
    """The message that answers `endpoint`; every endpoint not named above is a write to points."""
    return _REPLIES.get(endpoint, _updated)(result)
