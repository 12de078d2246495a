"""One protocol of a double, with clients that are ready to use."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from qdrant_client import AsyncQdrantClient, QdrantClient

from .wire_double import WireDouble

Client = TypeVar("Client")


class Wire:
    """How to reach `double` over REST or over gRPC.

    Args:
        double: a running double.
        prefer_grpc: which protocol its clients speak.
    """

    def __init__(self, double: WireDouble, *, prefer_grpc: bool) -> None:
        self.double = double
        self.prefer_grpc = prefer_grpc
        self._clients: list[QdrantClient] = []

    @property
    def url(self) -> str:
        return self.double.url

    @property
    def grpc_port(self) -> int:
        return self.double.grpc_port

    def connect(self, **options: Any) -> QdrantClient:
        """A client, closed with the wire; `options` go to `QdrantClient`."""
        client = _make_client(QdrantClient, self._options(options))
        self._clients.append(client)
        return client

    def aconnect(self, **options: Any) -> AsyncQdrantClient:
        """An async client; close it in the test, where its event loop runs."""
        return _make_client(AsyncQdrantClient, self._options(options))

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            "url": self.url,
            "grpc_port": self.grpc_port,
            "prefer_grpc": self.prefer_grpc,
            # The check asks from a thread of its own, where a warning cannot be caught.
            "check_compatibility": False,
            **options,
        }


def _make_client(kind: Callable[..., Client], options: dict[str, Any]) -> Client:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
        return kind(**options)
