"""Check a request's host, key, length and time before any of the request is parsed.

:func:`run_guarded` serves an application that has this :class:`Guard`.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
from typing import Any

import uvicorn
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from logic_retrievers.errors import ConfigurationError

API_KEY = "LOGIC_RETRIEVERS_API_KEY"
# hosts that need no key; without a key only these are answered, against DNS rebinding
LOOPBACK = ("127.0.0.1", "localhost")
# maximum bytes of a request
MAX_BODY = 2**20
# maximum requests answered at the same time
MAX_REQUESTS = 100
MAX_CONNECTIONS = 500
# maximum seconds for the head of a request, and again for its body
PATIENCE = 5.0
# seconds to finish running requests after SIGTERM; Docker kills after 10
SHUTDOWN = 8
# paths that need no key
OPEN_PATHS = ("/health",)


class Problem(BaseModel):
    """Why a request was not answered."""

    error: str = Field(description="Name of the error, such as InputError.")
    detail: str = Field(description="The fault, and how to mend it.")


def problem(status: int, error: str, detail: str, **headers: str) -> JSONResponse:
    """Make the response to a refused request."""
    return JSONResponse(Problem(error=error, detail=detail).model_dump(), status, headers)


class Guard:
    """ASGI middleware that refuses bad requests, and reads the bodies of all others.

    Args:
        app: the application.
        api_key: bearer token that requests must carry. With None, only requests to a loopback host
            are answered.
    """

    def __init__(self, app: ASGIApp, api_key: str | None) -> None:
        self._app = app
        self._key = None if api_key is None else api_key.encode()
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None and self._running >= MAX_REQUESTS:
            detail = f"{MAX_REQUESTS} requests are being answered; try again"
            refusal = problem(503, "TooManyRequests", detail, **{"Retry-After": "1"})
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._running += 1
        try:
            await self._answer(scope, receive, send)
        finally:
            self._running -= 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body: list[Message] = []
        size = 0
        try:
            async with asyncio.timeout(PATIENCE):
                while not body or (body[-1].get("more_body") and size <= MAX_BODY):
                    body.append(await receive())
                    size += len(body[-1].get("body", b""))  # HTTP/2 may send no length
        except TimeoutError:
            detail = f"the body of a request has to arrive within {PATIENCE:.0f} seconds"
            late = problem(408, "RequestTimeout", detail, Connection="close")
            await late(scope, receive, send)
            return
        if size > MAX_BODY:
            detail = f"a request may have {MAX_BODY:,} bytes at most"
            await problem(413, "TooLarge", detail, Connection="close")(scope, receive, send)
            return

        async def replay() -> Message:
            return body.pop(0) if body else await receive()

        await self._app(scope, replay, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        if self._key is None:
            if headers.get("host", "").partition(":")[0] not in LOOPBACK:
                detail = f"without a key only {' and '.join(LOOPBACK)} are served"
                return problem(400, "UnknownHost", detail)
        elif path not in OPEN_PATHS and not self._has_key(headers):
            detail = "send the key as `Authorization: Bearer KEY`"
            return problem(401, "Unauthorized", detail, **{"WWW-Authenticate": "Bearer"})
        if "transfer-encoding" in headers:
            return problem(411, "LengthRequired", "send the request with a Content-Length")
        length = headers.get("content-length", "0")
        # open paths need no key, so refuse bodies: half-sent ones would block other requests
        limit = 0 if path in OPEN_PATHS else MAX_BODY
        if not length.isdecimal() or len(length) > len(f"{MAX_BODY}") or int(length) > limit:
            return problem(413, "TooLarge", f"this request may have {limit:,} bytes at most")
        return None

    def _has_key(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip().encode(errors="replace")
        return scheme.lower() == "bearer" and secrets.compare_digest(given, self._key or b"")


class HastyProtocol(H11Protocol):
    """Limits the time for the head of a request, for which Uvicorn alone waits forever.

    The limit also closes a connection that still sends a body after its request was answered.
    """

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._limit is not None:
            self._limit.cancel()

    def _watch(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._limit is None:
            self._limit = self.loop.call_later(PATIENCE, self.transport.close)
        elif not idle and self._limit is not None:
            self._limit.cancel()
            self._limit = None


def run_guarded(app: ASGIApp, host: str, port: int, api_key: str | None) -> None:
    """Serve until SIGINT or SIGTERM. An address that other machines can reach needs a key."""
    if api_key is None and host not in LOOPBACK:
        raise ConfigurationError(
            f"anyone who reaches {host} could read the collection: set {API_KEY} to a key of your"
            f" own, or serve on {LOOPBACK[0]}"
        )
    # After its shutdown, Uvicorn raises SIGTERM again, which by default ends the process at once.
    # This handler raises KeyboardInterrupt instead, so that the caller can close the index.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    uvicorn.run(
        app,
        host=host,
        port=port,
        http=HastyProtocol,
        timeout_graceful_shutdown=SHUTDOWN,
        use_colors=False,
        server_header=False,
    )
