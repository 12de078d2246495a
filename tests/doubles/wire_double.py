"""The double itself: life cycle, keys, log, faults and latency, the same for both protocols."""

import importlib.metadata
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from qdrant_client import models

from .faults import Fault, FaultKind, FaultPlan
from .operations import READS, Call
from .replies import ErrorReply
from .rest import RestServer
from .rpc import RpcServer
from .store import ENDPOINTS, Store


class WireDouble:
    """Qdrant on 127.0.0.1, in this process; a context manager.

    Args:
        api_key: the key that every request must carry.
        read_only_api_key: a key that may read; writes with it are forbidden (403).
        version: what the server says it is, and whose features it has. The installed client's
            version by default, so that a client's check of compatibility passes.
        latency: seconds that every answer takes, slept outside the engine's lock, so that
            concurrent requests overlap.
        strict: refuse filters on keys without a fitting payload index, as Qdrant Cloud does.
        strict_exact: refuse exact searches and counts.

    Attributes:
        requests: (protocol, endpoint) of every request in order of arrival, failed ones too; the
            version check is left out, since a client sends it from a thread of its own.
        peak_overlap: the most answers that waited out their latency at one time.
    """

    def __init__(
        self,
        api_key: str | None = None,
        version: str | None = None,
        latency: float = 0.0,
        *,
        read_only_api_key: str | None = None,
        strict: bool = False,
        strict_exact: bool = False,
    ) -> None:
        version = version or importlib.metadata.version("qdrant-client")
        self.latency = latency
        self.requests: list[tuple[str, str]] = []
        self.peak_overlap = 0
        self.closing = threading.Event()
        self._api_key = api_key
        self._read_only_api_key = read_only_api_key
        self._faults = FaultPlan()
        self._waiting = 0
        self._count = threading.Lock()
        self._store = Store(version, strict=strict, strict_exact=strict_exact)

    def __enter__(self) -> Self:
        self._rest = RestServer(self)
        self._rpc = RpcServer(self)
        # Polling sets how long `shutdown` takes, nothing else.
        loop = threading.Thread(target=self._rest.serve_forever, args=(0.01,), daemon=True)
        loop.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._rpc.close()
        self._rest.shutdown()
        self._rest.server_close()
        self._store.close()

    @property
    def url(self) -> str:
        """REST address; a client asks it for the version even when it prefers gRPC."""
        return f"http://127.0.0.1:{self._rest.server_port}"

    @property
    def grpc_port(self) -> int:
        """Port of the gRPC server."""
        return self._rpc.port

    @property
    def created(self) -> dict[str, models.CreateCollection]:
        """What each collection was created with."""
        return self._store.created

    @property
    def faults_left(self) -> int:
        """Injected faults that no request has met yet."""
        return self._faults.left

    def fail(
        self,
        times: int = 1,
        kind: FaultKind = "drop_connection",
        on: str | None = None,
        *,
        after_apply: bool = False,
        retry_after: int | str | None = 1,
        body: bytes = b"",
    ) -> None:
        """Make the next requests fail.

        Args:
            times: how many.
            kind: how: closed connection, no answer until the client gives up, a status, or
                `strange`: `body` in place of the answer.
            on: an endpoint such as `points/query/batch`; any but the version check when None.
            after_apply: do the work first, so that a client that retries does it twice.
            retry_after: seconds that a 429 asks for, or another value of that header; None leaves
                the header out.
            body: of a strange answer; over gRPC the bytes of the message.

        Raises:
            ValueError: unknown endpoint or kind, which would make a test pass for nothing.
        """
        if on is not None and on not in ENDPOINTS:
            raise ValueError(f"unknown endpoint {on!r}; use one of {', '.join(sorted(ENDPOINTS))}")
        self._faults.add(Fault(times, kind, on, after_apply, retry_after, body))

    def answer(
        self, protocol: str, call: Call, parse: Callable[[], Any], api_key: str | None
    ) -> Any:
        """The result of one request, in REST models; the protocols call this.

        Args:
            protocol: `rest` or `grpc`.
            call: the call, still without its body.
            parse: gives the body; called after keys and faults, as a gateway would fail first.
            api_key: what the request carried.

        Raises:
            ErrorReply: the error to send.
            ConnectionDropped: close without an answer.
            NoAnswer: never answer.
            StrangeReply: the bytes to send.
        """
        if call.endpoint == "version":  # open to all, and not counted: see `requests`
            return self._store.run(call)
        self.requests.append((protocol, call.endpoint))
        self._authorise(call, api_key)
        fault = self._faults.take(call.endpoint)
        if fault is not None and not fault.after_apply:
            raise fault.error()
        try:
            result = self._store.run(replace(call, body=parse()))
        finally:
            self._wait()
        if fault is not None:
            raise fault.error()
        return result

    def _wait(self) -> None:
        """Let an answer take its time, an error no less than a result."""
        with self._count:
            self._waiting += 1
            self.peak_overlap = max(self.peak_overlap, self._waiting)
        time.sleep(self.latency)
        with self._count:
            self._waiting -= 1

    def _authorise(self, call: Call, key: str | None) -> None:
        if self._api_key is None or key == self._api_key:
            return
        if key is None:
            message = "Must provide an API key or an Authorization bearer token"
            raise ErrorReply(401, message, bare=True)
        if key != self._read_only_api_key:
            raise ErrorReply(401, "Invalid API key or JWT", bare=True)
        if call.endpoint not in READS:
            raise ErrorReply(403, f"Forbidden: Write access to {call.collection} is required")
