"""gRPC requests as `Call` bodies: which endpoint a method is, and its message in REST models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qdrant_client import grpc as q
from qdrant_client.conversions.conversion import GrpcToRest, grpc_field_type_to_payload_schema
from qdrant_client.http import models

Decode = Callable[[Any], Any]


def _optional(message: Any, field: str, convert: Decode = lambda value: value) -> Any:
    """The field in REST models, None where it is not set."""
    return convert(getattr(message, field)) if message.HasField(field) else None


def _selected_points(selector: q.PointsSelector) -> dict[str, Any]:
    """A points selector as the two fields that REST bodies have for it."""
    chosen = GrpcToRest.convert_points_selector(selector)
    if isinstance(chosen, models.FilterSelector):
        return {"filter": chosen.filter}
    return {"points": chosen.points}


def _selectors(m: Any) -> dict[str, Any]:
    """What a read brings along with each point."""
    vectors = _optional(m, "with_vectors", GrpcToRest.convert_with_vectors_selector)
    payload = _optional(m, "with_payload", GrpcToRest.convert_with_payload_selector)
    return {"with_payload": payload, "with_vector": vectors}


_NUMBERS = ("shard_number", "replication_factor", "write_consistency_factor", "on_disk_payload")


def create_collection(m: Any) -> models.CreateCollection:
    sparse = _optional(m, "sparse_vectors_config", GrpcToRest.convert_sparse_vector_config)
    return models.CreateCollection(
        vectors=_optional(m, "vectors_config", GrpcToRest.convert_vectors_config),
        sparse_vectors=sparse,
        metadata=GrpcToRest.convert_payload(m.metadata) or None,
        **{name: getattr(m, name) for name in _NUMBERS if m.HasField(name)},
        hnsw_config=_optional(m, "hnsw_config", GrpcToRest.convert_hnsw_config_diff),
        optimizers_config=_optional(
            m, "optimizers_config", GrpcToRest.convert_optimizers_config_diff
        ),
        wal_config=_optional(m, "wal_config", GrpcToRest.convert_wal_config_diff),
        quantization_config=_optional(
            m, "quantization_config", GrpcToRest.convert_quantization_config
        ),
        strict_mode_config=_optional(
            m, "strict_mode_config", GrpcToRest.convert_strict_mode_config
        ),
    )


def update_aliases(m: Any) -> models.ChangeAliasesOperation:
    actions = [GrpcToRest.convert_alias_operations(action) for action in m.actions]
    return models.ChangeAliasesOperation(actions=actions)


def create_index(m: Any) -> models.CreateFieldIndex:
    params = _optional(m, "field_index_params", GrpcToRest.convert_payload_schema_params)
    kind = GrpcToRest.convert_payload_schema_type(grpc_field_type_to_payload_schema(m.field_type))
    return models.CreateFieldIndex(field_name=m.field_name, field_schema=params or kind)


def create_vector(m: Any) -> models.VectorNameConfig:
    if m.HasField("sparse_config"):
        modifier = _optional(m.sparse_config, "modifier", GrpcToRest.convert_modifier)
        return models.SparseVectorNameConfig(sparse=models.SparseVectorConfig(modifier=modifier))
    m = m.dense_config
    dense = models.DenseVectorConfig(
        size=m.size,
        distance=GrpcToRest.convert_distance(m.distance),
        multivector_config=_optional(
            m, "multivector_config", GrpcToRest.convert_multivector_config
        ),
    )
    return models.DenseVectorNameConfig(dense=dense)


def upsert(m: Any) -> models.PointsList:
    return models.PointsList(
        points=[GrpcToRest.convert_point_struct(point) for point in m.points],
        update_filter=_optional(m, "update_filter", GrpcToRest.convert_filter),
        update_mode=_optional(m, "update_mode", GrpcToRest.convert_update_mode),
    )


def retrieve(m: Any) -> models.PointRequest:
    ids = [GrpcToRest.convert_point_id(point_id) for point_id in m.ids]
    return models.PointRequest(ids=ids, **_selectors(m))


def set_payload(m: Any) -> models.SetPayload:
    return models.SetPayload(
        payload=GrpcToRest.convert_payload(m.payload),
        key=_optional(m, "key"),
        **_selected_points(m.points_selector),
    )


def delete_payload(m: Any) -> models.DeletePayload:
    return models.DeletePayload(keys=list(m.keys), **_selected_points(m.points_selector))


def update_vectors(m: Any) -> models.UpdateVectors:
    return models.UpdateVectors(
        points=[GrpcToRest.convert_point_vectors(point) for point in m.points],
        update_filter=_optional(m, "update_filter", GrpcToRest.convert_filter),
    )


def delete_vectors(m: Any) -> models.DeleteVectors:
    return models.DeleteVectors(vector=list(m.vectors.names), **_selected_points(m.points_selector))


def update_batch(m: Any) -> models.UpdateOperations:
    operations = [GrpcToRest.convert_points_update_operation(each) for each in m.operations]
    return models.UpdateOperations(operations=operations)


def count(m: Any) -> models.CountRequest:
    found = _optional(m, "filter", GrpcToRest.convert_filter)
    return models.CountRequest(filter=found, exact=_optional(m, "exact"))


def scroll(m: Any) -> models.ScrollRequest:
    return models.ScrollRequest(
        filter=_optional(m, "filter", GrpcToRest.convert_filter),
        limit=_optional(m, "limit"),
        order_by=_optional(m, "order_by", GrpcToRest.convert_order_by),
        offset=_optional(m, "offset", GrpcToRest.convert_point_id),
        **_selectors(m),
    )


def query_batch(m: Any) -> models.QueryRequestBatch:
    searches = [GrpcToRest.convert_query_points(each) for each in m.query_points]
    return models.QueryRequestBatch(searches=searches)


def query_groups(m: Any) -> models.QueryGroupsRequest:
    return models.QueryGroupsRequest(
        group_by=m.group_by,
        group_size=_optional(m, "group_size"),
        prefetch=[GrpcToRest.convert_prefetch_query(part) for part in m.prefetch] or None,
        query=_optional(m, "query", GrpcToRest.convert_query),
        using=_optional(m, "using"),
        filter=_optional(m, "filter", GrpcToRest.convert_filter),
        params=_optional(m, "params", GrpcToRest.convert_search_params),
        score_threshold=_optional(m, "score_threshold"),
        limit=_optional(m, "limit"),
        with_lookup=_optional(m, "with_lookup", GrpcToRest.convert_with_lookup),
        lookup_from=_optional(m, "lookup_from", GrpcToRest.convert_lookup_location),
        **_selectors(m),
    )


def facet(m: Any) -> models.FacetRequest:
    return models.FacetRequest(
        key=m.key,
        filter=_optional(m, "filter", GrpcToRest.convert_filter),
        limit=_optional(m, "limit"),
        exact=_optional(m, "exact"),
    )


def no_body(m: Any) -> None:
    """The path alone says everything."""


REQUESTS: dict[str, tuple[str, Decode]] = {
    "Qdrant/HealthCheck": ("version", no_body),
    "Collections/List": ("collections/list", no_body),
    "Collections/Create": ("collections/create", create_collection),
    "Collections/Get": ("collections/get", no_body),
    "Collections/Update": ("collections/update", GrpcToRest.convert_update_collection),
    "Collections/Delete": ("collections/delete", no_body),
    "Collections/CollectionExists": ("collections/exists", no_body),
    "Collections/UpdateAliases": ("aliases/update", update_aliases),
    "Collections/ListAliases": ("aliases/list", no_body),
    "Collections/ListCollectionAliases": ("collections/aliases", no_body),
    "Points/CreateFieldIndex": ("index/create", create_index),
    "Points/DeleteFieldIndex": ("index/delete", no_body),
    "Points/CreateVectorName": ("vectors/create", create_vector),
    "Points/DeleteVectorName": ("vectors/delete", no_body),
    "Points/Upsert": ("points/upsert", upsert),
    "Points/Get": ("points/retrieve", retrieve),
    "Points/Delete": ("points/delete", lambda m: GrpcToRest.convert_points_selector(m.points)),
    "Points/SetPayload": ("points/payload/set", set_payload),
    "Points/OverwritePayload": ("points/payload/overwrite", set_payload),
    "Points/DeletePayload": ("points/payload/delete", delete_payload),
    "Points/ClearPayload": (
        "points/payload/clear",
        lambda m: GrpcToRest.convert_points_selector(m.points),
    ),
    "Points/UpdateVectors": ("points/vectors/update", update_vectors),
    "Points/DeleteVectors": ("points/vectors/delete", delete_vectors),
    "Points/UpdateBatch": ("points/batch", update_batch),
    "Points/Count": ("points/count", count),
    "Points/Scroll": ("points/scroll", scroll),
    "Points/Query": ("points/query", GrpcToRest.convert_query_points),
    "Points/QueryBatch": ("points/query/batch", query_batch),
    "Points/QueryGroups": ("points/query/groups", query_groups),
    "Points/Facet": ("facet", facet),
}
"""Method to endpoint, and how its message becomes a body."""
