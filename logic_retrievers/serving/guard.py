"""Checks host, key, length and time of a request before any of it is parsed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

LOOPBACK = ("127.0.0.1", "localhost")
"""Where no key is needed; only under these names, so that no page of a browser reaches it."""
MAX_BODY = 2**20
"""Bytes of a request."""
MAX_REQUESTS = 100
"""Requests that are answered at once."""
MAX_CONNECTIONS = 500
PATIENCE = 5.0
"""Seconds in which the head of a request has to arrive, and seconds for its body."""
OPEN_PATHS = ("/health",)
"""Answered without the key."""


class Problem(BaseModel):
    """Why a request was not answered."""

    error: str = Field(description="Its kind: one of the package's errors, say.")
    detail: str = Field(description="What is wrong, and what to do about it.")


def problem(status: int, error: str, detail: str, **headers: str) -> JSONResponse:
    """The answer to a request that is not answered."""
    return JSONResponse(Problem(error=error, detail=detail).model_dump(), status, headers)


class Guard:
    """ASGI middleware: refuses what may not be answered, and reads the bodies of all others.

    Args:
        app: the application.
        api_key: that requests must carry as a bearer token; None: they must be for this machine.
    """

    def __init__(self, app: ASGIApp, api_key: str | None) -> None:
        self._app = app
        self._key = None if api_key is None else api_key.encode()
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request itself, or has the application answer it."""
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
        with self._counted():
            try:
                async with asyncio.timeout(PATIENCE):
                    body = await _read_body(receive)
            except TimeoutError:
                detail = f"the body of a request has to arrive within {PATIENCE:.0f} seconds"
                late = problem(408, "RequestTimeout", detail, Connection="close")
                await late(scope, receive, send)
                return
            if body is None:
                detail = f"a request may have {MAX_BODY:,} bytes at most"
                await problem(413, "TooLarge", detail, Connection="close")(scope, receive, send)
                return
            await self._app(scope, _replaying(body, receive), send)

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
        # without a key no body is read: half-sent ones would take the places of other requests
        limit = 0 if path in OPEN_PATHS else MAX_BODY
        if not length.isdecimal() or len(length) > len(f"{MAX_BODY}") or int(length) > limit:
            return problem(413, "TooLarge", f"this request may have {limit:,} bytes at most")
        return None

    def _has_key(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip().encode(errors="replace")
        return scheme.lower() == "bearer" and secrets.compare_digest(given, self._key or b"")

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


async def _read_body(receive: Receive) -> list[Message] | None:
    """The messages until the body is whole or the client has gone; None if it is too long."""
    messages = [await receive()]
    size = len(messages[0].get("body", b""))
    while size <= MAX_BODY and messages[-1].get("more_body"):
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))  # HTTP/2 may name no length
    return None if size > MAX_BODY else messages


def _replaying(messages: list[Message], receive: Receive) -> Receive:
    async def replay() -> Message:
        return messages.pop(0) if messages else await receive()

    return replay


class HastyProtocol(H11Protocol):
    """uvicorn's, with a limit: by itself it waits for ever for the head of a request.

    The limit also ends a body that goes on arriving after its request was answered.
    """

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Takes a connection, if there is room for one more."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MAX_CONNECTIONS:
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Reads on."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        super().connection_lost(exc)
        if self._limit is not None:
            self._limit.cancel()

    def _watch(self) -> None:
        """Sets the limit where no request is being answered, and lifts it where one is."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._limit is None:
            self._limit = self.loop.call_later(PATIENCE, self.transport.close)
        elif not idle and self._limit is not None:
            self._limit.cancel()
            self._limit = None
