"""Serve the requests over HTTP, with a health check and metrics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from time import perf_counter
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.exceptions import HTTPException

from logic_retrievers.errors import (
    CollectionNotFoundError,
    ConfigurationError,
    InputError,
    LogicRetrieversError,
    MissingVectorError,
    ServerError,
    ServerTimeoutError,
)
from logic_retrievers.http import check_key
from logic_retrievers.serving.conflict_check import ConflictCheckRequest, ConflictCheckResponse
from logic_retrievers.serving.guard import API_KEY, Guard, Problem, problem, run_guarded
from logic_retrievers.serving.service import (
    VERSION,
    ContradictionRequest,
    ExpressionRequest,
    Health,
    SearchRequest,
    SearchResponse,
    SearchService,
    describe_error,
    describe_invalid,
)

PROBLEMS = (400, 401, 404, 408, 411, 413, 422, 500, 501, 503, 504)

_bearer = HTTPBearer(auto_error=False, description=f"The key in {API_KEY}.")


def status_of(error: LogicRetrieversError) -> int:
    """Return the HTTP status of an error: 422 if the request is at fault, else 404 or 5xx."""
    match error:
        case InputError() | ConfigurationError():
            return 422
        case CollectionNotFoundError():
            return 404
        case MissingVectorError():
            return 501
        case ServerTimeoutError():
            return 504
        case ServerError():
            return 503
        case _:
            return 500


def build_app(service: SearchService, api_key: str | None = None) -> FastAPI:
    """Build the application. Its ``/openapi.json`` describes it.

    Args:
        service: runs the searches.
        api_key: bearer token that requests must carry, except for ``/health``. With None, only
            requests to a loopback host are answered.

    Raises:
        ConfigurationError: the key is empty, or cannot be sent in a header.
    """
    # no /docs: that page loads scripts from other hosts
    app = FastAPI(title="logic-retrievers", version=VERSION, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, api_key=None if api_key is None else check_key(api_key))
    metrics = _measure_requests(app)
    guarded: dict[str, Any] = {
        "dependencies": [] if api_key is None else [Depends(_bearer)],  # only for openapi.json
        "responses": {status: {"model": Problem} for status in PROBLEMS},
    }

    @app.post("/search", description=service.describe(SearchRequest), **guarded)
    async def search(request: SearchRequest) -> SearchResponse:
        return await service.answer(request)

    @app.post("/search-expression", description=service.describe(ExpressionRequest), **guarded)
    async def search_expression(request: ExpressionRequest) -> SearchResponse:
        return await service.answer(request)

    @app.post("/contradictions", description=service.describe(ContradictionRequest), **guarded)
    async def contradictions(request: ContradictionRequest) -> SearchResponse:
        return await service.answer(request)

    @app.post("/check-conflicts", description=service.describe(ConflictCheckRequest), **guarded)
    async def check_conflicts(request: ConflictCheckRequest) -> ConflictCheckResponse:
        return await service.check_conflicts(request)

    @app.head("/health", include_in_schema=False)
    @app.get("/health", description=Health.__doc__, responses={503: {"model": Problem}})
    async def health() -> Health:
        return await service.health()

    @app.head("/metrics", include_in_schema=False)
    @app.get("/metrics", response_class=Response, **guarded)
    async def show_metrics() -> Response:
        return Response(generate_latest(metrics), media_type=CONTENT_TYPE_LATEST)

    @app.exception_handler(LogicRetrieversError)
    async def explain_failure(_: Request, error: LogicRetrieversError) -> JSONResponse:
        return problem(status_of(error), type(error).__name__, describe_error(error))

    @app.exception_handler(RequestValidationError)
    async def explain_invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return problem(422, "InvalidRequest", describe_invalid(error.errors()))

    @app.exception_handler(HTTPException)
    async def explain_status(_: Request, error: HTTPException) -> JSONResponse:
        name = HTTPStatus(error.status_code).phrase.title().replace(" ", "")
        return problem(error.status_code, name, error.detail, **(error.headers or {}))

    @app.exception_handler(Exception)
    async def admit_fault(_: Request, _error: Exception) -> JSONResponse:
        return problem(500, "InternalError", "a fault of this service; its log says more")

    return app


def _measure_requests(app: FastAPI) -> CollectorRegistry:
    """Count and time requests. A request without a route has the path `other`."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    name, labels = "logic_retrievers_request", ["path", "status"]
    requests = Counter(f"{name}s", "Number of requests.", labels, registry=registry)
    seconds = Histogram(f"{name}_seconds", "Duration of requests.", labels[:1], registry=registry)

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


def run_rest(service: SearchService, host: str, port: int, api_key: str | None) -> None:
    """Serve until SIGINT or SIGTERM. An address that other machines can reach needs a key."""
    run_guarded(build_app(service, api_key), host, port, api_key)
