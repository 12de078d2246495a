"""gRPC: the server. Methods that no table names are UNIMPLEMENTED, as the generated stubs say."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import grpc
from qdrant_client import grpc as q

from .operations import Call
from .replies import ConnectionDropped, ErrorReply, NoAnswer, StrangeReply
from .rpc_replies import encode
from .rpc_requests import REQUESTS, Decode

if TYPE_CHECKING:
    from .wire_double import WireDouble


class RpcServer:
    """Serves a double on an ephemeral port; up to 64 requests overlap."""

    def __init__(self, double: WireDouble) -> None:
        unlimited = [(f"grpc.max_{way}_message_length", -1) for way in ("send", "receive")]
        self._server = grpc.server(
            ThreadPoolExecutor(64), interceptors=[_Unserialised()], options=unlimited
        )
        for service in ("Qdrant", "Collections", "Points"):
            register = getattr(q, f"add_{service}Servicer_to_server")
            register(_servicer(service, double), self._server)
        self.port: int = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self) -> None:
        self._server.stop(grace=None).wait()


class _Unserialised(grpc.ServerInterceptor):
    """Lets a handler answer with bytes in place of a message."""

    def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = continuation(details)
        if handler is None:
            return None
        serialise = handler.response_serializer
        return grpc.unary_unary_rpc_method_handler(
            handler.unary_unary,
            handler.request_deserializer,
            lambda reply: reply if isinstance(reply, bytes) else serialise(reply),
        )


def _servicer(service: str, double: WireDouble) -> Any:
    servicer = getattr(q, f"{service}Servicer")()
    for method, (endpoint, decode) in REQUESTS.items():
        if method.startswith(f"{service}/"):
            name = method.removeprefix(f"{service}/")
            setattr(servicer, name, _handler(double, endpoint, decode))
    return servicer


def _handler(double: WireDouble, endpoint: str, decode: Decode) -> Any:
    def handle(message: Any, context: grpc.ServicerContext) -> Any:
        collection = getattr(message, "collection_name", "")
        item = getattr(message, "vector_name", "") or getattr(message, "field_name", "")
        metadata = dict(context.invocation_metadata())
        bearer = metadata.get("authorization", "").removeprefix("Bearer ")
        key = metadata.get("api-key") or bearer or None
        call = Call(endpoint, collection, item)

        def parse() -> Any:
            try:
                return decode(message)
            except ValueError as error:
                raise ErrorReply(400, f"Malformed message: {error}") from error

        try:
            return encode(endpoint, double.answer("grpc", call, parse, key))
        except ErrorReply as reply:
            if reply.retry_after is not None:
                context.set_trailing_metadata((("retry-after", str(reply.retry_after)),))
            context.abort(grpc.StatusCode[reply.grpc], reply.message)
        except StrangeReply as reply:
            return reply.body
        except ConnectionDropped:
            # A call cannot close its connection here; this is what a client sees when one drops.
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        except NoAnswer:
            while context.is_active() and not double.closing.wait(0.05):
                pass
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")

    return handle
