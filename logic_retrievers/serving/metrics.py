"""How many requests there were and how long they took, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest
from starlette.requests import Request
from starlette.responses import Response


class RequestMetrics:
    """Metrics of one application, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "logic_retrievers_requests", "Requests.", ["path", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "logic_retrievers_request_seconds", "Their time.", ["path"], registry=self._registry
        )

    async def measure(
        self, request: Request, call_next: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Middleware: counts and times a request; one that no route takes has the path `other`."""
        status, started = 500, perf_counter()
        try:
            response = await call_next(request)
            status = response.status_code
            return response
        finally:
            path = getattr(request.scope.get("route"), "path", "other")
            self._requests.labels(path, status).inc()
            self._seconds.labels(path).observe(perf_counter() - started)

    def page(self) -> bytes:
        """All of them in Prometheus's text format."""
        return generate_latest(self._registry)
