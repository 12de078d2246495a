"""The gRPC side of the fake server: the methods that an index calls, to and from REST models."""

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
# method -> endpoint
METHODS = {
    "Qdrant/HealthCheck": "version",
    "Collections/List": "collections/list",
    "Collections/Create": "collections/create",
    "Collections/Get": "collections/get",
    "Collections/Update": "collections/update",
    "Collections/Delete": "collections/delete",
    "Collections/UpdateAliases": "aliases/update",
    "Collections/ListAliases": "aliases/list",
    "Points/CreateFieldIndex": "index/create",
    "Points/CreateVectorName": "vectors/create",
    "Points/Upsert": "points/upsert",
    "Points/Get": "points/retrieve",
    "Points/Delete": "points/delete",
    "Points/SetPayload": "points/payload/set",
    "Points/DeletePayload": "points/payload/delete",
    "Points/UpdateVectors": "points/vectors/update",
    "Points/DeleteVectors": "points/vectors/delete",
    "Points/Count": "points/count",
    "Points/Scroll": "points/scroll",
    "Points/QueryBatch": "points/query/batch",
}


def _set(message: Any, field: str, convert: Callable[[Any], Any] = lambda value: value) -> Any:
    """A field in REST models; None if unset."""
    return convert(getattr(message, field)) if message.HasField(field) else None


def _asked(message: Any) -> dict[str, Any]:
    return {
        "with_vector": _set(message, "with_vectors", GrpcToRest.convert_with_vectors_selector),
        "with_payload": _set(message, "with_payload", GrpcToRest.convert_with_payload_selector),
    }


def _points(message: Any) -> dict[str, Any]:
    chosen = GrpcToRest.convert_points_selector(message.points_selector)
    return {"points": getattr(chosen, "points", None), "filter": getattr(chosen, "filter", None)}


def decode(message: Any) -> Any:
    """The body of a request as a REST model; None if it has none."""
    to = GrpcToRest
    match message:
        case q.CreateCollection():
            return _create(message)
        case q.UpdateCollection():
            return to.convert_update_collection(message)
        case q.ChangeAliases():
            actions = [to.convert_alias_operations(each) for each in message.actions]
            return m.ChangeAliasesOperation(actions=actions)
        case q.CreateFieldIndexCollection():
            kind = grpc_field_type_to_payload_schema(message.field_type)
            schema = _set(message, "field_index_params", to.convert_payload_schema_params)
            schema = schema or to.convert_payload_schema_type(kind)
            return m.CreateFieldIndex(field_name=message.field_name, field_schema=schema)
        case q.CreateVectorNameRequest() if message.HasField("sparse_config"):
            modifier = _set(message.sparse_config, "modifier", to.convert_modifier)
            return m.SparseVectorNameConfig(sparse=m.SparseVectorConfig(modifier=modifier))
        case q.CreateVectorNameRequest():
            distance = to.convert_distance(message.dense_config.distance)
            dense = m.DenseVectorConfig(size=message.dense_config.size, distance=distance)
            return m.DenseVectorNameConfig(dense=dense)
        case q.UpsertPoints():
            return m.PointsList(points=[to.convert_point_struct(each) for each in message.points])
        case q.GetPoints():
            ids = [to.convert_point_id(each) for each in message.ids]
            return m.PointRequest(ids=ids, **_asked(message))
        case q.DeletePoints():
            return to.convert_points_selector(message.points)
        case q.SetPayloadPoints():
            payload = to.convert_payload(message.payload)
            return m.SetPayload(payload=payload, key=_set(message, "key"), **_points(message))
        case q.DeletePayloadPoints():
            return m.DeletePayload(keys=list(message.keys), **_points(message))
        case q.UpdatePointVectors():
            points = [to.convert_point_vectors(each) for each in message.points]
            return m.UpdateVectors(points=points)
        case q.DeletePointVectors():
            return m.DeleteVectors(vector=list(message.vectors.names), **_points(message))
        case q.CountPoints():
            condition = _set(message, "filter", to.convert_filter)
            return m.CountRequest(filter=condition, exact=_set(message, "exact"))
        case q.ScrollPoints():
            condition = _set(message, "filter", to.convert_filter)
            offset, limit = _set(message, "offset", to.convert_point_id), _set(message, "limit")
            return m.ScrollRequest(filter=condition, limit=limit, offset=offset, **_asked(message))
        case q.QueryBatchPoints():
            searches = [to.convert_query_points(each) for each in message.query_points]
            return m.QueryRequestBatch(searches=searches)
    return None


def _create(message: Any) -> m.CreateCollection:
    parts = {
        "hnsw_config": GrpcToRest.convert_hnsw_config_diff,
        "optimizers_config": GrpcToRest.convert_optimizers_config_diff,
        "wal_config": GrpcToRest.convert_wal_config_diff,
        "quantization_config": GrpcToRest.convert_quantization_config,
        "strict_mode_config": GrpcToRest.convert_strict_mode_config,
    }
    sparse = _set(message, "sparse_vectors_config", GrpcToRest.convert_sparse_vector_config)
    return m.CreateCollection(
        vectors=_set(message, "vectors_config", GrpcToRest.convert_vectors_config),
        sparse_vectors=sparse,
        metadata=GrpcToRest.convert_payload(message.metadata) or None,
        shard_number=_set(message, "shard_number"),
        replication_factor=_set(message, "replication_factor"),
        write_consistency_factor=_set(message, "write_consistency_factor"),
        on_disk_payload=_set(message, "on_disk_payload"),
        **{name: _set(message, name, convert) for name, convert in parts.items()},
    )


def _records(records: list[m.Record]) -> list[q.RetrievedPoint]:
    # a message cannot express "no payload"
    whole = [each.model_copy(update={"payload": each.payload or {}}) for each in records]
    return [RestToGrpc.convert_record(each) for each in whole]


def encode(endpoint: str, result: Any) -> Any:
    """Convert a result in REST models to its message."""
    to = RestToGrpc
    match result:
        case bool():
            return q.CollectionOperationResponse(result=result)
        case m.UpdateResult():
            return q.PointsOperationResponse(result=to.convert_update_result(result))
        case m.VersionInfo():
            return q.HealthCheckReply(title=result.title, version=result.version)
        case m.CollectionsResponse():
            names = [q.CollectionDescription(name=each.name) for each in result.collections]
            return q.ListCollectionsResponse(collections=names)
        case m.CollectionsAliasesResponse():
            aliases = [to.convert_alias_description(each) for each in result.aliases]
            return q.ListAliasesResponse(aliases=aliases)
        case m.CollectionInfo():
            return q.GetCollectionInfoResponse(result=to.convert_collection_info(result))
        case m.CountResult():
            return q.CountResponse(result=to.convert_count_result(result))
        case m.ScrollResult():
            offset = result.next_page_offset
            following = None if offset is None else to.convert_extended_point_id(offset)
            return q.ScrollResponse(result=_records(result.points), next_page_offset=following)
    if endpoint == "points/retrieve":
        return q.GetResponse(result=_records(result))
    found = [[to.convert_scored_point(point) for point in each.points] for each in result]
    return q.QueryBatchResponse(result=[q.BatchResult(result=each) for each in found])


class GrpcServer:
    """Serves a double on a free port; other methods return UNIMPLEMENTED."""

    def __init__(self, double: WireDouble) -> None:
        unlimited = [(f"grpc.max_{way}_message_length", -1) for way in ("send", "receive")]
        self._server = grpc.server(
            ThreadPoolExecutor(64), interceptors=[_Bytes()], options=unlimited
        )
        for service in ("Qdrant", "Collections", "Points"):
            servicer = getattr(q, f"{service}Servicer")()
            for method, endpoint in METHODS.items():
                if method.startswith(f"{service}/"):
                    setattr(servicer, method.partition("/")[2], _handler(double, endpoint))
            getattr(q, f"add_{service}Servicer_to_server")(servicer, self._server)
        self.port: int = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self) -> None:
        self._server.stop(grace=None).wait()


class _Bytes(grpc.ServerInterceptor):
    """Lets a handler return bytes instead of a message."""

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = continuation(details)
        if handler is None:
            return None
        return grpc.unary_unary_rpc_method_handler(
            handler.unary_unary,
            handler.request_deserializer,
            lambda reply: reply if isinstance(reply, bytes) else handler.response_serializer(reply),
        )


def _handler(double: WireDouble, endpoint: str) -> Any:
    from fault_injection import Call, ErrorReply, NoReply, StrangeReply

    def handle(message: Any, context: grpc.ServicerContext) -> Any:
        names = (getattr(message, "collection_name", ""), getattr(message, "vector_name", ""))
        sent = dict(context.invocation_metadata())
        key = sent.get("api-key") or sent.get("authorization", "").removeprefix("Bearer ") or None
        try:
            call = Call(endpoint, *names)
            return encode(endpoint, double.answer("grpc", call, lambda: decode(message), key))
        except ErrorReply as reply:
            if reply.retry_after is not None:
                context.set_trailing_metadata((("retry-after", str(reply.retry_after)),))
            unknown = reply.bare and reply.status == 404
            code = "UNIMPLEMENTED" if unknown else _CODES[reply.status]
            context.abort(grpc.StatusCode[code], reply.message)
        except StrangeReply as reply:
            return reply.body
        except NoReply as fault:
            while fault.waits and context.is_active() and not double.closing.wait(0.05):
                pass
            # a call cannot close its connection here; a client would then see this
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")

    return handle
