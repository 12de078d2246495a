"""REST: HTTP requests in, `Call`s to the double, Qdrant's JSON envelopes out."""

from __future__ import annotations

import re
import sys
import time
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from qdrant_client.http import models

from .operations import Call
from .replies import ConnectionDropped, ErrorReply, NoAnswer, StrangeReply, no_such_endpoint

if TYPE_CHECKING:
    from .wire_double import WireDouble

LARGEST_BODY = 32 * 1024 * 1024
_C = "/collections/{collection}"
ROUTES: dict[str, tuple[str, Any]] = {
    "GET /": ("version", None),
    "GET /collections": ("collections/list", None),
    f"PUT {_C}": ("collections/create", models.CreateCollection),
    f"GET {_C}": ("collections/get", None),
    f"PATCH {_C}": ("collections/update", models.UpdateCollection),
    f"DELETE {_C}": ("collections/delete", None),
    f"GET {_C}/exists": ("collections/exists", None),
    "POST /collections/aliases": ("aliases/update", models.ChangeAliasesOperation),
    "GET /aliases": ("aliases/list", None),
    f"GET {_C}/aliases": ("collections/aliases", None),
    f"PUT {_C}/index": ("index/create", models.CreateFieldIndex),
    f"DELETE {_C}/index/{{item}}": ("index/delete", None),
    f"PUT {_C}/vectors/{{item}}": ("vectors/create", models.VectorNameConfig),
    f"DELETE {_C}/vectors/{{item}}": ("vectors/delete", None),
    f"PUT {_C}/points": ("points/upsert", models.PointInsertOperations),
    f"POST {_C}/points": ("points/retrieve", models.PointRequest),
    f"POST {_C}/points/delete": ("points/delete", models.PointsSelector),
    f"POST {_C}/points/payload": ("points/payload/set", models.SetPayload),
    f"PUT {_C}/points/payload": ("points/payload/overwrite", models.SetPayload),
    f"POST {_C}/points/payload/delete": ("points/payload/delete", models.DeletePayload),
    f"POST {_C}/points/payload/clear": ("points/payload/clear", models.PointsSelector),
    f"PUT {_C}/points/vectors": ("points/vectors/update", models.UpdateVectors),
    f"POST {_C}/points/vectors/delete": ("points/vectors/delete", models.DeleteVectors),
    f"POST {_C}/points/batch": ("points/batch", models.UpdateOperations),
    f"POST {_C}/points/count": ("points/count", models.CountRequest),
    f"POST {_C}/points/scroll": ("points/scroll", models.ScrollRequest),
    f"POST {_C}/points/query": ("points/query", models.QueryRequest),
    f"POST {_C}/points/query/batch": ("points/query/batch", models.QueryRequestBatch),
    f"POST {_C}/points/query/groups": ("points/query/groups", models.QueryGroupsRequest),
    f"POST {_C}/facet": ("facet", models.FacetRequest),
}


@cache
def _patterns() -> list[tuple[re.Pattern[str], str, Any]]:
    return [
        (re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route)), endpoint, body)
        for route, (endpoint, body) in ROUTES.items()
    ]


@cache
def _adapter(body: Any) -> TypeAdapter[Any]:
    return TypeAdapter(body)


def route(request_line: str) -> tuple[Call, Any]:
    """The call that `METHOD /path` names, without its body, and the type of the body.

    Raises:
        ErrorReply: no such endpoint.
    """
    for pattern, endpoint, body in _patterns():
        if match := pattern.fullmatch(request_line):
            names = {key: unquote(value) for key, value in match.groupdict().items()}
            return Call(endpoint, **names), body
    raise no_such_endpoint()


def parse(raw: bytes, body: Any) -> Any:
    """The body as a REST model.

    Raises:
        ErrorReply: it is not one.
    """
    try:
        return None if body is None else _adapter(body).validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ErrorReply(400, f"Format error in JSON body: {where}: {first['msg']}") from error


class RestServer(ThreadingHTTPServer):
    """A thread for each connection: requests overlap as they do on a server."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, double: WireDouble) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.double = double

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up: that is part of the tests."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: RestServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave in one packet

    def _handle(self) -> None:
        start = time.perf_counter()
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        key = self.headers.get("api-key") or bearer or None
        try:
            if len(raw) > LARGEST_BODY:
                raise ErrorReply(
                    400,
                    f"JSON payload ({len(raw)} bytes) is larger than allowed (limit:"
                    f" {LARGEST_BODY} bytes).",
                )
            call, body = route(f"{self.command} {self.path.partition('?')[0]}")
            result = self.server.double.answer("rest", call, lambda: parse(raw, body), key)
        except ErrorReply as reply:
            self._send_error(reply, start)
        except StrangeReply as reply:
            self._send(200, reply.body)
        except (ConnectionDropped, NoAnswer) as fault:
            if isinstance(fault, NoAnswer):
                self.server.double.closing.wait()
            self.close_connection = True
        else:
            self._send(200, result if call.endpoint == "version" else _envelope(result, start))

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815

    def _send_error(self, reply: ErrorReply, start: float) -> None:
        after = {} if reply.retry_after is None else {"Retry-After": str(reply.retry_after)}
        if reply.bare:
            self._send(reply.http, reply.message.encode(), after, "text/plain")
        else:
            status = {"error": reply.message}
            spent = time.perf_counter() - start
            self._send(reply.http, {"status": status, "time": spent}, after)

    def _send(
        self,
        status: int,
        content: Any,
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> None:
        is_bytes = isinstance(content, bytes)
        payload = content if is_bytes else to_json(content, by_alias=True, exclude_none=True)
        self.send_response(status)
        sizes = {"Content-Type": content_type, "Content-Length": str(len(payload))}
        for name, value in {**sizes, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Keep quiet; `WireDouble.requests` is the log."""


def _envelope(result: Any, start: float) -> dict[str, Any]:
    return {"result": result, "status": "ok", "time": time.perf_counter() - start}
