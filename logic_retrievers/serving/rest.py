"""The searches over HTTP, with a health check and metrics."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from pydantic import BaseModel, Field
from starlette.middleware.trustedhost import TrustedHostMiddleware

from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    LogicRetrieversError,
    MissingVectorError,
    ServerError,
    ServerTimeoutError,
)
from logic_retrievers.serving.service import (
    VERSION,
    ContradictionRequest,
    ExpressionRequest,
    SearchRequest,
    SearchResponse,
    SearchService,
    describe_invalid,
)

API_KEY = "LOGIC_RETRIEVERS_API_KEY"
"""Environment variable with the key that requests must carry."""
LOOPBACK = ("127.0.0.1", "localhost")
"""Where no key is needed; only under these names, so that no page of a browser reaches it."""
MAX_BODY = 2**20
"""Bytes of a request."""
PROBLEMS = (401, 411, 413, 422, 500, 501, 503, 504)
"""Statuses of requests that are not answered."""

_bearer = HTTPBearer(auto_error=False, description=f"The key in {API_KEY}.")


class Health(BaseModel):
    """The service answers, and so does its collection."""

    status: str = "ok"
    version: str = VERSION
    passages: int


class Problem(BaseModel):
    """Why a request was not answered."""

    detail: str = Field(description="What is wrong, and what to do about it.")
    error: str | None = Field(None, description="Its kind: one of the package's errors, say.")


def status_of(error: LogicRetrieversError) -> int:
    """The HTTP status for an error of our tree: 422 where the request is at fault, else 5xx."""
    match error:
        case InputError() | ConfigurationError():
            return 422
        case MissingVectorError():
            return 501
        case ServerTimeoutError():
            return 504
        case ServerError():
            return 503
        case _:
            return 500


def build_app(service: SearchService, api_key: str | None = None) -> FastAPI:
    """The application; ``/openapi.json`` describes it.

    There is no ``/docs``: that page makes a browser load scripts from other hosts.

    Args:
        service: carries out the searches.
        api_key: requests must carry it as a bearer token, but for ``/health``. Without a key only
            requests to this machine's own name are answered.
    """
    app = FastAPI(title="logic-retrievers", version=VERSION, docs_url=None, redoc_url=None)
    if api_key is None:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(LOOPBACK))
    app.middleware("http")(limit_body)
    metrics = _measure_requests(app)

    async def check_key(
        given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    ) -> None:
        token = "" if given is None else given.credentials
        if not secrets.compare_digest(token.encode(), str(api_key).encode()):
            detail = "send the key as `Authorization: Bearer KEY`"
            raise HTTPException(401, detail, headers={"WWW-Authenticate": "Bearer"})

    guarded: dict[str, Any] = {
        "dependencies": [] if api_key is None else [Depends(check_key)],
        "responses": {status: {"model": Problem} for status in PROBLEMS},
    }

    @app.post("/search", description=SearchRequest.__doc__, **guarded)
    async def search(request: SearchRequest) -> SearchResponse:
        return await service.answer(request)

    @app.post("/search-expression", description=ExpressionRequest.__doc__, **guarded)
    async def search_expression(request: ExpressionRequest) -> SearchResponse:
        return await service.answer(request)

    @app.post("/contradictions", description=ContradictionRequest.__doc__, **guarded)
    async def contradictions(request: ContradictionRequest) -> SearchResponse:
        return await service.answer(request)

    @app.get("/health", description=Health.__doc__, responses={503: {"model": Problem}})
    async def health() -> Health:
        return Health(passages=await service.index.acount())

    @app.get("/metrics", response_class=Response, **guarded)
    async def show_metrics() -> Response:
        return Response(generate_latest(metrics), media_type=CONTENT_TYPE_LATEST)

    @app.exception_handler(LogicRetrieversError)
    async def explain_failure(_: Request, error: LogicRetrieversError) -> JSONResponse:
        return _problem(status_of(error), type(error).__name__, str(error))

    @app.exception_handler(RequestValidationError)
    async def explain_invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, "InvalidRequest", describe_invalid(error.errors()))

    return app


def _measure_requests(app: FastAPI) -> CollectorRegistry:
    """Middleware: counts and times requests; one that no route takes has the path `other`."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    requests = Counter(
        "logic_retrievers_requests", "Requests.", ["path", "status"], registry=registry
    )
    seconds = Histogram(
        "logic_retrievers_request_seconds", "Their time.", ["path"], registry=registry
    )

    @app.middleware("http")
    async def measure(
        request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        status, started = 500, perf_counter()
        try:
            response = await call_next(request)
            status = response.status_code
            return response
        finally:
            path = getattr(request.scope.get("route"), "path", "other")
            requests.labels(path, status).inc()
            seconds.labels(path).observe(perf_counter() - started)

    return registry


async def limit_body(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Middleware: refuses a body of more than ``MAX_BODY`` bytes, or of unknown length."""
    if "transfer-encoding" in request.headers:
        return _problem(411, "LengthRequired", "send the request with a Content-Length")
    if int(request.headers.get("content-length", 0)) > MAX_BODY:
        return _problem(413, "TooLarge", f"a request may have {MAX_BODY:,} bytes at most")
    return await call_next(request)


def _problem(status: int, error: str, detail: str) -> JSONResponse:
    return JSONResponse(Problem(error=error, detail=detail).model_dump(), status)


def run_rest(service: SearchService, host: str, port: int, api_key: str | None) -> None:
    """Serves until the process gets SIGINT or SIGTERM.

    Raises:
        ConfigurationError: others could reach the address, and there is no key.
    """
    if api_key is None and host not in LOOPBACK:
        raise ConfigurationError(
            f"whoever reaches {host} could read the collection: set {API_KEY} to a key of your own,"
            f" or serve on {LOOPBACK[0]}"
        )
    # uvicorn sends itself the signal again when it has shut down: the index is to be closed then
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    uvicorn.run(
        build_app(service, api_key), host=host, port=port, use_colors=False, server_header=False
    )
