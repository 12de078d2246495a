"""What each endpoint does to the local client, described in REST models.

An endpoint has one name for both protocols; REST and gRPC only translate to and from a `Call`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client.http import models

Points = list[models.ExtendedPointId] | models.Filter


@dataclass(frozen=True)
class Call:
    """One request: its endpoint, what the path names, and the body as a REST model."""

    endpoint: str
    collection: str = ""
    item: str = ""
    body: Any = None


def create_collection(client: QdrantClient, call: Call) -> bool:
    body: models.CreateCollection = call.body
    return client.create_collection(
        call.collection,
        vectors_config=body.vectors,
        sparse_vectors_config=body.sparse_vectors,
        metadata=body.metadata,
    )


def update_collection(client: QdrantClient, call: Call) -> bool:
    body: models.UpdateCollection = call.body
    client.update_collection(
        call.collection,
        vectors_config=body.vectors,
        sparse_vectors_config=body.sparse_vectors,
        metadata=body.metadata,
    )
    return True  # a server says true even when nothing changed


def upsert(client: QdrantClient, call: Call) -> models.UpdateResult:
    body: models.PointsList | models.PointsBatch = call.body
    return client.upsert(
        call.collection,
        body.points if isinstance(body, models.PointsList) else body.batch,
        update_filter=body.update_filter,
        update_mode=body.update_mode,
    )


def retrieve(client: QdrantClient, call: Call) -> list[models.Record]:
    body: models.PointRequest = call.body
    return client.retrieve(
        call.collection,
        body.ids,
        with_payload=True if body.with_payload is None else body.with_payload,
        with_vectors=body.with_vector or False,
    )


def scroll(client: QdrantClient, call: Call) -> models.ScrollResult:
    body: models.ScrollRequest = call.body
    points, offset = client.scroll(
        call.collection,
        scroll_filter=body.filter,
        limit=10 if body.limit is None else body.limit,
        order_by=body.order_by,
        offset=body.offset,
        with_payload=True if body.with_payload is None else body.with_payload,
        with_vectors=body.with_vector or False,
    )
    return models.ScrollResult(points=points, next_page_offset=offset)


def count(client: QdrantClient, call: Call) -> models.CountResult:
    body: models.CountRequest = call.body
    found = client.count(call.collection, body.filter).count
    # what a server estimates may be far off, and is so where a filter is
    return models.CountResult(count=found if body.exact is not False else found // 2)


def query(client: QdrantClient, call: Call) -> models.QueryResponse:
    return client.query_batch_points(call.collection, [_searchable(call.body)])[0]


def query_batch(client: QdrantClient, call: Call) -> list[models.QueryResponse]:
    searches = [_searchable(request) for request in call.body.searches]
    return client.query_batch_points(call.collection, searches)


def _searchable(request: models.QueryRequest) -> models.QueryRequest:
    """The request without index hints: local mode is always exact, and warns about each of them."""
    idf = getattr(request.params, "idf", None)  # since qdrant-client 1.20
    params = models.SearchParams(idf=idf) if idf else None
    return request.model_copy(update={"params": params})


def query_groups(client: QdrantClient, call: Call) -> models.GroupsResult:
    body: models.QueryGroupsRequest = call.body
    return client.query_points_groups(
        call.collection,
        group_by=body.group_by,
        query=body.query,
        using=body.using,
        prefetch=body.prefetch,
        query_filter=body.filter,
        limit=10 if body.limit is None else body.limit,
        group_size=3 if body.group_size is None else body.group_size,
        with_payload=body.with_payload or False,
        with_vectors=body.with_vector or False,
        score_threshold=body.score_threshold,
        with_lookup=body.with_lookup,
        lookup_from=body.lookup_from,
    )


def facet(client: QdrantClient, call: Call) -> models.FacetResponse:
    body: models.FacetRequest = call.body
    limit = 10 if body.limit is None else body.limit
    return client.facet(call.collection, body.key, facet_filter=body.filter, limit=limit)


def _addressed_points(body: Any) -> Points:
    """The points that a write addresses, by id or by filter."""
    points: Points = body.filter if body.points is None else body.points
    return points


OPERATIONS: dict[str, Callable[[QdrantClient, Call], Any]] = {
    "collections/list": lambda client, call: client.get_collections(),
    "collections/create": create_collection,
    "collections/get": lambda client, call: client.get_collection(call.collection),
    "collections/update": update_collection,
    "collections/delete": lambda client, call: client.delete_collection(call.collection),
    "collections/exists": lambda client, call: models.CollectionExistence(
        exists=client.collection_exists(call.collection)
    ),
    "aliases/update": lambda client, call: client.update_collection_aliases(call.body.actions),
    "aliases/list": lambda client, call: client.get_aliases(),
    "collections/aliases": lambda client, call: client.get_collection_aliases(call.collection),
    "vectors/create": lambda client, call: client.create_vector_name(
        call.collection, call.item, call.body
    ),
    "vectors/delete": lambda client, call: client.delete_vector_name(call.collection, call.item),
    "points/upsert": upsert,
    "points/retrieve": retrieve,
    "points/delete": lambda client, call: client.delete(call.collection, call.body),
    "points/payload/set": lambda client, call: client.set_payload(
        call.collection, call.body.payload, _addressed_points(call.body), key=call.body.key
    ),
    "points/payload/overwrite": lambda client, call: client.overwrite_payload(
        call.collection, call.body.payload, _addressed_points(call.body)
    ),
    "points/payload/delete": lambda client, call: client.delete_payload(
        call.collection, call.body.keys, _addressed_points(call.body)
    ),
    "points/payload/clear": lambda client, call: client.clear_payload(call.collection, call.body),
    "points/vectors/update": lambda client, call: client.update_vectors(
        call.collection, call.body.points, update_filter=call.body.update_filter
    ),
    "points/vectors/delete": lambda client, call: client.delete_vectors(
        call.collection, call.body.vector, _addressed_points(call.body)
    ),
    "points/batch": lambda client, call: client.batch_update_points(
        call.collection, call.body.operations
    ),
    "points/count": count,
    "points/scroll": scroll,
    "points/query": query,
    "points/query/batch": query_batch,
    "points/query/groups": query_groups,
    "facet": facet,
}
READS = frozenset(
    {"version", "collections/list", "collections/get", "collections/exists", "collections/aliases"}
    | {"aliases/list", "points/retrieve", "points/count", "points/scroll", "facet"}
    | {"points/query", "points/query/batch", "points/query/groups"}
)
"""Endpoints that a read-only key may use."""
