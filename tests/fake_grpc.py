"""The gRPC side of the fake server: the methods that an index calls, in and out of REST models."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
from qdrant_client import grpc as q
from qdrant_client import models as m
from qdrant_client.conversions.conversion import (
    GrpcToRest,
    RestToGrpc,
    grpc_field_type_to_payload_schema,
)

if TYPE_CHECKING:
    from fault_injection import WireDouble

_CODES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    507: "RESOURCE_EXHAUSTED",
}


def _set(message: Any, field: str, convert: Callable[[Any], Any] = lambda value: value) -> Any:
    """A field in REST models, None where it is not set."""
    return convert(getattr(message, field)) if message.HasField(field) else None


def _filter(message: Any) -> m.Filter | None:
    return _set(message, "filter", GrpcToRest.convert_filter)


def _asked(message: Any) -> dict[str, Any]:
    return {
        "with_vector": _set(message, "with_vectors", GrpcToRest.convert_with_vectors_selector),
        "with_payload": _set(message, "with_payload", GrpcToRest.convert_with_payload_selector),
    }


def _points(message: Any) -> dict[str, Any]:
    chosen = GrpcToRest.convert_points_selector(message.points_selector)
    return {"points": getattr(chosen, "points", None), "filter": getattr(chosen, "filter", None)}


def _create(message: Any) -> m.CreateCollection:
    numbers = (
        *("shard_number", "replication_factor", "write_consistency_factor", "on_disk_payload"),
    )
    parts = {
        "hnsw_config": GrpcToRest.convert_hnsw_config_diff,
        "optimizers_config": GrpcToRest.convert_optimizers_config_diff,
        "wal_config": GrpcToRest.convert_wal_config_diff,
        "quantization_config": GrpcToRest.convert_quantization_config,
        "strict_mode_config": GrpcToRest.convert_strict_mode_config,
    }
    return m.CreateCollection(
        vectors=_set(message, "vectors_config", GrpcToRest.convert_vectors_config),
        sparse_vectors=_set(
            message, "sparse_vectors_config", GrpcToRest.convert_sparse_vector_config
        ),
        metadata=GrpcToRest.convert_payload(message.metadata) or None,
        **{name: _set(message, name) for name in numbers},
        **{name: _set(message, name, convert) for name, convert in parts.items()},
    )


def _create_index(message: Any) -> m.CreateFieldIndex:
    params = _set(message, "field_index_params", GrpcToRest.convert_payload_schema_params)
    kind = grpc_field_type_to_payload_schema(message.field_type)
    schema = params or GrpcToRest.convert_payload_schema_type(kind)
    return m.CreateFieldIndex(field_name=message.field_name, field_schema=schema)


def _create_vector(message: Any) -> m.VectorNameConfig:
    if message.HasField("sparse_config"):
        modifier = _set(message.sparse_config, "modifier", GrpcToRest.convert_modifier)
        return m.SparseVectorNameConfig(sparse=m.SparseVectorConfig(modifier=modifier))
    size, distance = message.dense_config.size, message.dense_config.distance
    dense = m.DenseVectorConfig(size=size, distance=GrpcToRest.convert_distance(distance))
    return m.DenseVectorNameConfig(dense=dense)


def _scroll(message: Any) -> m.ScrollRequest:
    offset = _set(message, "offset", GrpcToRest.convert_point_id)
    limit = _set(message, "limit")
    return m.ScrollRequest(filter=_filter(message), limit=limit, offset=offset, **_asked(message))


def _records(records: list[m.Record]) -> list[q.RetrievedPoint]:
    # a message cannot say "no payload"
    whole = [each.model_copy(update={"payload": each.payload or {}}) for each in records]
    return [RestToGrpc.convert_record(each) for each in whole]


def _page(page: m.ScrollResult) -> q.ScrollResponse:
    offset = page.next_page_offset
    following = None if offset is None else RestToGrpc.convert_extended_point_id(offset)
    return q.ScrollResponse(result=_records(page.points), next_page_offset=following)


def _found(responses: list[m.QueryResponse]) -> q.QueryBatchResponse:
    scored = [[RestToGrpc.convert_scored_point(p) for p in each.points] for each in responses]
    return q.QueryBatchResponse(result=[q.BatchResult(result=each) for each in scored])


def _done(result: bool) -> q.CollectionOperationResponse:
    return q.CollectionOperationResponse(result=result)


def _written(result: m.UpdateResult) -> q.PointsOperationResponse:
    return q.PointsOperationResponse(result=RestToGrpc.convert_update_result(result))


def _nothing(message: Any) -> None:
    return None


# method -> endpoint, message to body, result to message
METHODS: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Qdrant/HealthCheck": (
        "version",
        _nothing,
        lambda info: q.HealthCheckReply(title=info.title, version=info.version),
    ),
    "Collections/List": (
        "collections/list",
        _nothing,
        lambda result: q.ListCollectionsResponse(
            collections=[q.CollectionDescription(name=each.name) for each in result.collections]
        ),
    ),
    "Collections/Create": ("collections/create", _create, _done),
    "Collections/Get": (
        "collections/get",
        _nothing,
        lambda info: q.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info)),
    ),
    "Collections/Update": ("collections/update", GrpcToRest.convert_update_collection, _done),
    "Collections/Delete": ("collections/delete", _nothing, _done),
    "Collections/UpdateAliases": (
        "aliases/update",
        lambda message: m.ChangeAliasesOperation(
            actions=[GrpcToRest.convert_alias_operations(each) for each in message.actions]
        ),
        _done,
    ),
    "Collections/ListAliases": (
        "aliases/list",
        _nothing,
        lambda result: q.ListAliasesResponse(
            aliases=[RestToGrpc.convert_alias_description(each) for each in result.aliases]
        ),
    ),
    "Points/CreateFieldIndex": ("index/create", _create_index, _written),
    "Points/CreateVectorName": ("vectors/create", _create_vector, _written),
    "Points/Upsert": (
        "points/upsert",
        lambda message: m.PointsList(
            points=[GrpcToRest.convert_point_struct(point) for point in message.points]
        ),
        _written,
    ),
    "Points/Get": (
        "points/retrieve",
        lambda message: m.PointRequest(
            ids=[GrpcToRest.convert_point_id(each) for each in message.ids], **_asked(message)
        ),
        lambda records: q.GetResponse(result=_records(records)),
    ),
    "Points/Delete": (
        "points/delete",
        lambda message: GrpcToRest.convert_points_selector(message.points),
        _written,
    ),
    "Points/SetPayload": (
        "points/payload/set",
        lambda message: m.SetPayload(
            payload=GrpcToRest.convert_payload(message.payload),
            key=_set(message, "key"),
            **_points(message),
        ),
        _written,
    ),
    "Points/DeletePayload": (
        "points/payload/delete",
        lambda message: m.DeletePayload(keys=list(message.keys), **_points(message)),
        _written,
    ),
    "Points/UpdateVectors": (
        "points/vectors/update",
        lambda message: m.UpdateVectors(
            points=[GrpcToRest.convert_point_vectors(point) for point in message.points]
        ),
        _written,
    ),
    "Points/DeleteVectors": (
        "points/vectors/delete",
        lambda message: m.DeleteVectors(vector=list(message.vectors.names), **_points(message)),
        _written,
    ),
    "Points/Count": (
        "points/count",
        lambda message: m.CountRequest(filter=_filter(message), exact=_set(message, "exact")),
        lambda result: q.CountResponse(result=RestToGrpc.convert_count_result(result)),
    ),
    "Points/Scroll": ("points/scroll", _scroll, _page),
    "Points/QueryBatch": (
        "points/query/batch",
        lambda message: m.QueryRequestBatch(
            searches=[GrpcToRest.convert_query_points(each) for each in message.query_points]
        ),
        _found,
    ),
}


class GrpcServer:
    """Serves a double on a free port; other methods are UNIMPLEMENTED."""

    def __init__(self, double: WireDouble) -> None:
        unlimited = [(f"grpc.max_{way}_message_length", -1) for way in ("send", "receive")]
        self._server = grpc.server(
            ThreadPoolExecutor(64), interceptors=[_Bytes()], options=unlimited
        )
        for service in ("Qdrant", "Collections", "Points"):
            servicer = getattr(q, f"{service}Servicer")()
            for method, row in METHODS.items():
                if method.startswith(f"{service}/"):
                    setattr(servicer, method.partition("/")[2], _handler(double, *row))
            getattr(q, f"add_{service}Servicer_to_server")(servicer, self._server)
        self.port: int = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self) -> None:
        self._server.stop(grace=None).wait()


class _Bytes(grpc.ServerInterceptor):
    """Lets a handler answer with bytes in place of a message."""

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = continuation(details)
        if handler is None:
            return None
        return grpc.unary_unary_rpc_method_handler(
            handler.unary_unary,
            handler.request_deserializer,
            lambda reply: reply if isinstance(reply, bytes) else handler.response_serializer(reply),
        )


def _handler(double: WireDouble, endpoint: str, decode: Any, encode: Any) -> Any:
    from fault_injection import Call, ConnectionDropped, ErrorReply, NoAnswer, StrangeReply

    def handle(message: Any, context: grpc.ServicerContext) -> Any:
        names = (getattr(message, "collection_name", ""), getattr(message, "vector_name", ""))
        sent = dict(context.invocation_metadata())
        key = sent.get("api-key") or sent.get("authorization", "").removeprefix("Bearer ") or None
        try:
            return encode(
                double.answer("grpc", Call(endpoint, *names), lambda: decode(message), key)
            )
        except ErrorReply as reply:
            if reply.retry_after is not None:
                context.set_trailing_metadata((("retry-after", str(reply.retry_after)),))
            unknown = reply.bare and reply.status == 404
            code = "UNIMPLEMENTED" if unknown else _CODES[reply.status]
            context.abort(grpc.StatusCode[code], reply.message)
        except StrangeReply as reply:
            return reply.body
        except (ConnectionDropped, NoAnswer) as fault:
            while isinstance(fault, NoAnswer) and context.is_active():
                if double.closing.wait(0.05):
                    break
            # a call cannot close its connection here; this is what a client then sees
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")

    return handle
