"""The Model Context Protocol server over streamable HTTP, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from logic_retrievers.errors import LogicRetrieversError
from logic_retrievers.http import check_key
from logic_retrievers.serving.guard import LOOPBACK, MAX_BODY, Guard, problem, run_guarded
from logic_retrievers.serving.mcp_server import build_mcp_server
from logic_retrievers.serving.service import SearchService, describe_error


def build_mcp_app(service: SearchService, api_key: str | None = None) -> Starlette:
    """Build an application with the server at ``/mcp``, over streamable HTTP, and ``/health``.

    Each request is answered on its own and at once, in JSON: there are no sessions, and no streams
    that a client would hold open.

    Args:
        service: answers the requests.
        api_key: bearer token that requests must carry, except for ``/health``. With None, only
            requests to a loopback host are answered.

    Raises:
        ConfigurationError: the key is empty, or cannot be sent in a header.
    """
    local = None
    if api_key is None:  # MCP wants the origin checked, too; a browser sends one
        hosts = [f"{host}{port}" for host in LOOPBACK for port in ("", ":*")]
        origins = [f"http://{host}" for host in hosts]
        local = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    manager = StreamableHTTPSessionManager(
        build_mcp_server(service),
        json_response=True,
        stateless=True,
        security_settings=local,
        max_request_body_size=MAX_BODY,
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with manager.run():
            yield

    async def health(_: Request) -> JSONResponse:
        try:
            return JSONResponse((await service.health()).model_dump())
        except LogicRetrieversError as error:
            return problem(503, type(error).__name__, describe_error(error))

    return Starlette(
        routes=[
            # POST alone: a GET would open a stream on which nothing ever comes
            Route("/mcp", StreamableHTTPASGIApp(manager), methods=["POST"]),
            Route("/health", health),
        ],
        middleware=[Middleware(Guard, api_key=None if api_key is None else check_key(api_key))],
        lifespan=lifespan,
    )


def run_mcp_http(service: SearchService, host: str, port: int, api_key: str | None) -> None:
    """Serve over HTTP until SIGINT or SIGTERM, as :func:`rest.run_rest` does."""
    run_guarded(build_mcp_app(service, api_key), host, port, api_key)
