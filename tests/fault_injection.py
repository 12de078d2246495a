"""A fake Qdrant server that fails on demand: real REST and gRPC over qdrant-client's local mode.

Sockets, clients, envelopes, status codes and error texts are real. The double models neither
HNSW nor quantisation nor sharding nor a server's speed.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote

from fake_grpc import GrpcServer
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from qdrant_client import QdrantClient
from qdrant_client import models as m


@dataclass(eq=False)
class ErrorReply(Exception):  # noqa: N818 - a reply that travels as an exception
    """An error as the server sends it; ``bare`` omits the JSON envelope."""

    status: int
    message: str
    retry_after: int | str | None = None
    bare: bool = False


@dataclass(eq=False)
class NoReply(Exception):  # noqa: N818
    """Closes the connection without an answer, or keeps it open and sends nothing."""

    waits: bool


@dataclass(eq=False)
class StrangeReply(Exception):  # noqa: N818
    """Sends this body with status 200; over gRPC the bytes of the message."""

    body: bytes


_TONIC = "Tonic status error: code: 'The service is currently unavailable'"
FAULTS: dict[str, Exception] = {
    "drop_connection": NoReply(waits=False),
    "timeout": NoReply(waits=True),
    "500": ErrorReply(500, "Service internal error: injected fault"),
    "503": ErrorReply(503, "Service unavailable: injected fault"),
    "507": ErrorReply(507, "Insufficient storage: No space left on device"),
    "node down": ErrorReply(500, f"Service internal error: {_TONIC}"),
    "shard not found": ErrorReply(500, "Service internal error: Local shard 1 not found"),
}


@dataclass
class Fault:
    """Makes the next ``times`` requests to ``on`` fail; None means any endpoint."""

    times: int
    error: Exception
    on: str | None
    after_apply: bool


@dataclass(frozen=True)
class Call:
    """One request: its endpoint, the names in its path, and its body as a REST model."""

    endpoint: str
    collection: str = ""
    item: str = ""
    body: Any = None


_C = "/collections/{collection}"
# endpoint -> method and path, type of the body
ENDPOINTS: dict[str, tuple[str, Any]] = {
    "collections/list": ("GET /collections", None),
    "collections/create": (f"PUT {_C}", m.CreateCollection),
    "collections/get": (f"GET {_C}", None),
    "collections/update": (f"PATCH {_C}", m.UpdateCollection),
    "collections/delete": (f"DELETE {_C}", None),
    "collections/exists": (f"GET {_C}/exists", None),
    "aliases/update": ("POST /collections/aliases", m.ChangeAliasesOperation),
    "aliases/list": ("GET /aliases", None),
    "index/create": (f"PUT {_C}/index", m.CreateFieldIndex),
    "index/delete": (f"DELETE {_C}/index/{{item}}", None),
    "vectors/create": (f"PUT {_C}/vectors/{{item}}", m.VectorNameConfig),
    "points/upsert": (f"PUT {_C}/points", m.PointInsertOperations),
    "points/retrieve": (f"POST {_C}/points", m.PointRequest),
    "points/delete": (f"POST {_C}/points/delete", m.PointsSelector),
    "points/payload/set": (f"POST {_C}/points/payload", m.SetPayload),
    "points/payload/delete": (f"POST {_C}/points/payload/delete", m.DeletePayload),
    "points/vectors/update": (f"PUT {_C}/points/vectors", m.UpdateVectors),
    "points/vectors/delete": (f"POST {_C}/points/vectors/delete", m.DeleteVectors),
    "points/count": (f"POST {_C}/points/count", m.CountRequest),
    "points/scroll": (f"POST {_C}/points/scroll", m.ScrollRequest),
    "points/query": (f"POST {_C}/points/query", m.QueryRequest),
    "points/query/batch": (f"POST {_C}/points/query/batch", m.QueryRequestBatch),
}
READS = frozenset(
    {"collections/list", "collections/get", "collections/exists", "aliases/list"}
    | {"points/retrieve", "points/count", "points/scroll", "points/query", "points/query/batch"}
)


def _apply(c: QdrantClient, call: Call) -> Any:
    """Run a call in local mode."""
    n, b = call.collection, call.body
    chosen = getattr(b, "points", None) or getattr(b, "filter", None)
    payload = True if getattr(b, "with_payload", None) is None else b.with_payload
    asked = {"with_payload": payload, "with_vectors": getattr(b, "with_vector", None) or False}
    match call.endpoint:
        case "collections/list":
            return c.get_collections()
        case "collections/create":
            return c.create_collection(n, b.vectors, b.sparse_vectors, metadata=b.metadata)
        case "collections/get":
            return c.get_collection(n)
        case "collections/update":
            return c.update_collection(n, metadata=b.metadata) or True
        case "collections/delete":
            return c.delete_collection(n)
        case "collections/exists":
            return m.CollectionExistence(exists=c.collection_exists(n))
        case "aliases/update":
            return c.update_collection_aliases(b.actions)
        case "aliases/list":
            return c.get_aliases()
        case "index/create" | "index/delete":
            return m.UpdateResult(operation_id=0, status=m.UpdateStatus.COMPLETED)
        case "vectors/create":
            return c.create_vector_name(n, call.item, b)
        case "points/upsert":
            return c.upsert(n, b.points if isinstance(b, m.PointsList) else b.batch)
        case "points/retrieve":
            return c.retrieve(n, b.ids, **asked)
        case "points/delete":
            return c.delete(n, b)
        case "points/payload/set":
            return c.set_payload(n, b.payload, chosen, key=b.key)
        case "points/payload/delete":
            return c.delete_payload(n, b.keys, chosen)
        case "points/vectors/update":
            return c.update_vectors(n, b.points)
        case "points/vectors/delete":
            return c.delete_vectors(n, b.vector, chosen)
        case "points/count":
            found = c.count(n, b.filter).count
            # a server's estimate may be far off with a filter
            return m.CountResult(count=found if b.exact is not False else found // 2)
        case "points/scroll":
            points, offset = c.scroll(n, b.filter, b.limit or 10, offset=b.offset, **asked)
            return m.ScrollResult(points=points, next_page_offset=offset)
        case _:
            # local mode is always exact and warns of parameters
            plain = [each.model_copy(update={"params": None}) for each in _searches(b)]
            found = c.query_batch_points(n, plain)
            return found if call.endpoint == "points/query/batch" else found[0]


def _searches(body: Any) -> list[Any]:
    """The searches of a batch, or a single request."""
    return getattr(body, "searches", [body])


# local mode's message (qdrant-client 1.20), and a server's status and text for the same error
_TRANSLATIONS = [
    (r"Collection (.*) not found", 404, r"Not found: Collection `\1` doesn't exist!"),
    (r"Collection (.*) already exists", 409, r"Wrong input: Collection `\1` already exists!"),
    (
        r"(?:Dense vector|Sparse vector|Vector) (.*) is not found in the collection",
        400,
        r"Wrong input: Not existing vector name error: \1",
    ),
    (r"(Wrong input: .*?)(?: for vector '.*')?", 400, r"\1"),
]


def _as_server(error: Exception) -> ErrorReply:
    if not isinstance(error, ValueError):
        return ErrorReply(500, f"Service internal error: {error!r}")
    for pattern, status, words in _TRANSLATIONS:
        if match := re.fullmatch(pattern, str(error), re.DOTALL):
            return ErrorReply(status, match.expand(words))
    return ErrorReply(400, f"Wrong input: {error}")


def conditions(node: Any, prefix: str = "") -> Iterator[tuple[str, int]]:
    """The conditions of a filter as JSON, each with its payload key and number of values."""
    if isinstance(node, list):
        for each in node:
            yield from conditions(each, prefix)
    elif isinstance(node, dict) and "nested" in node:
        yield from conditions(node["nested"]["filter"], f"{prefix}{node['nested']['key']}[].")
    elif isinstance(node, dict) and ("key" in node or "has_id" in node or "has_vector" in node):
        match = node.get("match") or {}
        values = node.get("has_id") or match.get("any") or match.get("except") or [0]
        yield (prefix + node["key"] if "key" in node else ""), len(values)
    elif isinstance(node, dict):
        for each in node.values():
            yield from conditions(each, prefix)


def conditions_of(body: Any) -> list[tuple[str, int]]:
    found = getattr(body, "filter", None)
    return [*conditions(found and found.model_dump(by_alias=True, exclude_none=True))]


def check_limits(endpoint: str, body: Any, strict: m.StrictModeConfig) -> None:
    """Refuse requests beyond a collection's strict mode, with a server's message.

    Raises:
        ErrorReply: the request exceeds a limit.
    """
    searches = _searches(body)
    checked: list[tuple[str, int, int | None]] = []
    if endpoint == "points/query/batch":
        words = 'Limit exceeded {} > {} for "search batch size"'
        checked.append((words, len(searches), strict.search_max_batchsize))
    if endpoint in {"points/query", "points/query/batch", "points/scroll"}:
        words = 'Limit exceeded {} > {} for "limit"'
        checked += [(words, each.limit or 10, strict.max_query_limit) for each in searches]
    if endpoint in {"points/upsert", "points/vectors/update"}:
        words = 'Limit exceeded {} > {} for "upsert limit"'
        checked.append((words, len(body.points), strict.upsert_max_batchsize))
    for search in searches:
        sizes = [size for _, size in conditions_of(search)]
        words = "Filter condition limit reached ({} > {})"
        checked.append((words, len(sizes), strict.filter_max_conditions))
        words = "Condition size limit reached ({} > {})"
        checked.append((words, max(sizes, default=0), strict.condition_max_size))
        exact = getattr(search, "exact", None) or getattr(
            getattr(search, "params", None), "exact", None
        )
        if strict.search_allow_exact is False and exact:
            raise ErrorReply(400, "Bad request: Exact search disabled!. Help: Set exact=false.")
    for words, asked, limit in checked:
        if limit is not None and asked > limit:
            refusal = words.format(asked, limit)
            raise ErrorReply(400, f"Bad request: {refusal}. Help: Ask for less.")


def check_rate(endpoint: str, body: Any, strict: m.StrictModeConfig) -> None:
    """Refuse requests that cost more than the rate limit ever grants; grant others at once.

    Raises:
        ErrorReply: the request is never granted.
    """
    kind = "Read" if endpoint in READS else "Write"
    limit = strict.read_rate_limit if kind == "Read" else strict.write_rate_limit
    if limit is not None and _cost(endpoint, body) > limit:
        raise ErrorReply(
            429,
            f"Rate limiting exceeded: {kind} rate limit exceeded, request larger than rate limiter"
            " capacity, please try to split your request",
        )


def _cost(endpoint: str, body: Any) -> int:
    """Tokens by the server's ``operation_rate_cost.rs``: searches, their conditions, points."""
    if not endpoint.startswith("points/"):
        return 0
    if endpoint == "points/retrieve":
        return len(body.ids)
    if endpoint in READS:
        return sum(1 + len(conditions_of(each)) for each in _searches(body))
    return len(getattr(body, "points", None) or [body])


class Store:
    """Runs calls one at a time by a server's rules, since local mode is not thread-safe."""

    def __init__(self, version: str, strict: bool) -> None:
        self._version = version
        self._strict = strict
        self.client = QdrantClient(":memory:")
        self.created: dict[str, m.CreateCollection] = {}
        self._indexes: dict[str, dict[str, m.PayloadIndexInfo]] = {}
        self._lock = threading.Lock()

    def run(self, call: Call) -> Any:
        if call.endpoint == "version":
            return m.VersionInfo(title="qdrant - vector search engine", version=self._version)
        with self._lock:
            try:
                self._check(call)
                return self._keep(call, _apply(self.client, call))
            except ErrorReply:
                raise
            except Exception as error:
                raise _as_server(error) from error

    def _name(self, collection: str) -> str:
        """The collection's own name, even if called by an alias."""
        aliases = {a.alias_name: a.collection_name for a in self.client.get_aliases().aliases}
        return aliases.get(collection, collection)

    def _check(self, call: Call) -> None:
        release = tuple(map(int, self._version.split(".")[:2]))
        if call.endpoint == "vectors/create" and release < (1, 18):
            raise ErrorReply(404, "", bare=True)
        if call.endpoint == "collections/create" and self._strict:
            given = call.body.strict_mode_config or m.StrictModeConfig()
            update = {"enabled": True, "unindexed_filtering_retrieve": False}
            call.body.strict_mode_config = given.model_copy(update=update)
        name = self._name(call.collection)
        strict = name in self.created and self.created[name].strict_mode_config
        if not strict or not strict.enabled:
            return
        if strict.unindexed_filtering_retrieve is False:
            for search in _searches(call.body):
                for key, _ in conditions_of(search):
                    if key and key not in self._indexes[name]:
                        raise ErrorReply(
                            400,
                            f'Bad request: Index required but not found for "{key}" of one of the'
                            " following types: [keyword]. Help: Create an index for this key.",
                        )
        check_limits(call.endpoint, call.body, strict)
        check_rate(call.endpoint, call.body, strict)

    def _keep(self, call: Call, result: Any) -> Any:
        """Store what local mode ignores and add it to its descriptions."""
        name, body = self._name(call.collection), call.body
        match call.endpoint:
            case "collections/create":
                self.created[name], self._indexes[name] = body, {}
                # local mode warns of 20,000 points
                self.client._client.collections[name].LARGE_DATA_THRESHOLD = sys.maxsize  # type: ignore[attr-defined]
            case "index/create":
                schema = body.field_schema
                params = None if isinstance(schema, m.PayloadSchemaType) else schema
                kind = m.PayloadSchemaType(getattr(schema, "type", schema))
                self._indexes[name][body.field_name] = m.PayloadIndexInfo(
                    data_type=kind, params=params, points=0
                )
            case "index/delete":
                self._indexes[name].pop(call.item, None)
            case "collections/get":
                result.payload_schema = {
                    key: info.model_copy(update={"points": self._count_with(name, key)})
                    for key, info in self._indexes.get(name, {}).items()
                }
                if name in self.created:
                    _describe(result.config, self.created[name])
        return result

    def _count_with(self, collection: str, key: str) -> int:
        absent = m.IsEmptyCondition(is_empty=m.PayloadField(key=key))
        return self.client.count(collection, m.Filter(must_not=[absent])).count


def _describe(config: m.CollectionConfig, body: m.CreateCollection) -> None:
    for name in ("shard_number", "replication_factor", "write_consistency_factor"):
        if getattr(body, name) is not None:
            setattr(config.params, name, getattr(body, name))
    config.params.on_disk_payload = body.on_disk_payload is not False  # a server's default
    for name, given in (
        ("hnsw_config", body.hnsw_config),
        ("optimizer_config", body.optimizers_config),
        ("wal_config", body.wal_config),
    ):
        changed = given.model_dump(exclude_none=True) if given else {}
        setattr(config, name, getattr(config, name).model_copy(update=changed))
    config.quantization_config = body.quantization_config
    config.strict_mode_config = body.strict_mode_config or config.strict_mode_config


class WireDouble:
    """A fake Qdrant server on 127.0.0.1; a context manager.

    Args:
        api_key: every request must carry it.
        version: version that the server reports; by default the client's.
        read_only_api_key: a key whose writes are forbidden (403).
        strict: refuse filters on keys without a payload index, as Qdrant Cloud does.

    Attributes:
        requests: (protocol, endpoint) of every request but version checks.
        latency: seconds per answer; concurrent requests overlap.
        peak_overlap: maximum number of answers waiting at once.
    """

    def __init__(
        self,
        api_key: str | None = None,
        version: str | None = None,
        *,
        read_only_api_key: str | None = None,
        strict: bool = False,
    ) -> None:
        self.latency, self.peak_overlap = 0.0, 0
        self.requests: list[tuple[str, str]] = []
        self.closing = threading.Event()
        self._keys = (api_key, read_only_api_key)
        self._faults: list[Fault] = []
        self._waiting = 0
        self._lock = threading.Lock()
        self._store = Store(version or importlib.metadata.version("qdrant-client"), strict)

    def __enter__(self) -> Self:
        self._rest = RestServer(self)
        self._grpc = GrpcServer(self)
        self.url = f"http://127.0.0.1:{self._rest.server_port}"
        self.grpc_port = self._grpc.port
        threading.Thread(target=self._rest.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._grpc.close()
        self._rest.shutdown()
        self._rest.server_close()
        self._store.client.close()

    @property
    def created(self) -> dict[str, m.CreateCollection]:
        """The body that each collection was created with."""
        return self._store.created

    def place(self, *, prefer_grpc: bool = False) -> dict[str, Any]:
        """Settings of an index or a client over one protocol."""
        return {"location": self.url, "grpc_port": self.grpc_port, "prefer_grpc": prefer_grpc}

    @property
    def faults_left(self) -> int:
        """Injected faults that no request has met yet."""
        return sum(fault.times for fault in self._faults)

    def fail(
        self,
        times: int = 1,
        kind: str = "drop_connection",
        on: str | None = None,
        *,
        after_apply: bool = False,
        retry_after: int | str | None = 1,
        body: bytes = b"",
    ) -> None:
        """Make the next requests fail.

        Args:
            times: number of requests.
            kind: one of ``FAULTS``, "429", or "strange": ``body`` in place of an answer.
            on: an endpoint of ``ENDPOINTS``; None for any.
            after_apply: apply the request before failing, so that a retry applies it twice.
            retry_after: the header of a 429; None leaves it out.
            body: body of a strange answer; over gRPC the bytes of the message.
        """
        assert on is None or on in ENDPOINTS, on
        asked = {
            "429": ErrorReply(429, "Rate limiting exceeded: retry later", retry_after),
            "strange": StrangeReply(body),
        }
        self._faults.append(Fault(times, {**FAULTS, **asked}[kind], on, after_apply))

    def answer(
        self, protocol: str, call: Call, parse: Callable[[], Any], api_key: str | None
    ) -> Any:
        """Return the result of one request in REST models; raise the reply of a fault."""
        if call.endpoint == "version":  # open to all; clients ask for it from a second thread
            return self._store.run(call)
        self.requests.append((protocol, call.endpoint))
        self._authorise(call, api_key)
        with self._lock:
            fault = next(
                (f for f in self._faults if f.times and f.on in (None, call.endpoint)), None
            )
            if fault is not None:
                fault.times -= 1
        if fault is not None and not fault.after_apply:
            raise fault.error
        result = self._store.run(replace(call, body=parse()))
        if self.latency:
            self._wait()
        if fault is not None:
            raise fault.error
        return result

    def _wait(self) -> None:
        with self._lock:
            self._waiting += 1
            self.peak_overlap = max(self.peak_overlap, self._waiting)
        time.sleep(self.latency)
        with self._lock:
            self._waiting -= 1

    def _authorise(self, call: Call, key: str | None) -> None:
        whole, reading = self._keys
        if whole is None or key == whole:
            return
        if key is None:
            words = "Must provide an API key or an Authorization bearer token"
            raise ErrorReply(401, words, bare=True)
        if key != reading:
            raise ErrorReply(401, "Invalid API key or JWT", bare=True)
        if call.endpoint not in READS:
            raise ErrorReply(403, f"Forbidden: Write access to {call.collection} is required")


@cache
def _routes() -> list[tuple[re.Pattern[str], str, TypeAdapter[Any] | None]]:
    return [
        (
            re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route)),
            name,
            None if body is None else TypeAdapter(body),
        )
        for name, (route, body) in ENDPOINTS.items()
    ]


def _route(line: str) -> tuple[Call, TypeAdapter[Any] | None]:
    if line == "GET /":
        return Call("version"), None
    for pattern, endpoint, adapter in _routes():
        if match := pattern.fullmatch(line):
            names = {key: unquote(value) for key, value in match.groupdict().items()}
            return Call(endpoint, **names), adapter
    raise ErrorReply(404, "", bare=True)


class RestServer(ThreadingHTTPServer):
    """Uses one thread per connection, so that requests overlap as on a server."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, double: WireDouble) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.double = double

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # tests hang up
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: RestServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave in one packet

    def _handle(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        try:
            if len(raw) > 32 * 1024 * 1024:
                raise ErrorReply(400, f"JSON payload ({len(raw)} bytes) is larger than allowed")
            call, adapter = _route(f"{self.command} {self.path.partition('?')[0]}")
            result = self.server.double.answer(
                "rest",
                call,
                lambda: _parse(raw, adapter),
                self.headers.get("api-key") or bearer or None,
            )
        except ErrorReply as reply:
            after = {} if reply.retry_after is None else {"Retry-After": str(reply.retry_after)}
            envelope = {"status": {"error": reply.message}, "time": 0.0}
            body = reply.message.encode() if reply.bare else to_json(envelope)
            self._send(reply.status, body, after)
        except StrangeReply as reply:
            self._send(200, reply.body, {})
        except NoReply as fault:
            if fault.waits:
                self.server.double.closing.wait()
            self.close_connection = True
        else:
            ok = {"result": result, "status": "ok", "time": 0.0}
            content = result if call.endpoint == "version" else ok
            self._send(200, to_json(content, by_alias=True, exclude_none=True), {})

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _handle  # noqa: N815

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing; ``WireDouble.requests`` is the log."""


def _parse(raw: bytes, adapter: TypeAdapter[Any] | None) -> Any:
    try:
        return None if adapter is None else adapter.validate_json(raw)
    except ValidationError as error:
        raise ErrorReply(400, f"Format error in JSON body: {error.errors()[0]['msg']}") from error


class Wire:
    """A fake server over one protocol."""

    def __init__(self, double: WireDouble, *, prefer_grpc: bool) -> None:
        self.double, self.prefer_grpc = double, prefer_grpc
        self.place = double.place(prefer_grpc=prefer_grpc)
        self._clients: list[QdrantClient] = []

    def connect(self, kind: Any = QdrantClient, **options: Any) -> Any:
        """Return a client closed with the wire; close an asynchronous one in the test."""
        place = {"url" if name == "location" else name: each for name, each in self.place.items()}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
            # the check asks from its own thread, where a warning cannot be caught
            client = kind(**{**place, "check_compatibility": False, **options})
        if kind is QdrantClient:
            self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()
