"""A connection over several nodes of a cluster; if a node does not answer, it asks the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Unpack

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_before_delay,
)

from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.http import RequestLimits
from logic_retrievers.index.connection import Connection, backoff
from logic_retrievers.index.faults import TRANSIENT
from logic_retrievers.index.settings import ConnectionSettings, is_address

# Seconds during which an unreachable node is asked last.
REST = 10.0


class NodesConnection(Connection):
    """An effect handler over one connection for each node.

    It asks the first node that does not rest. A node rests when it cannot be reached or does not
    answer in time. ``client`` is the client of the first node.

    Args:
        nodes: connections without retries of their own, in the order of their addresses.
        limits: limits of a request, over all nodes; there is at least one attempt per node.
    """

    def __init__(self, nodes: Sequence[Connection], limits: RequestLimits) -> None:
        place = ", ".join(node.place for node in nodes)
        super().__init__(nodes[0].client, limits=limits, place=place, read_only=nodes[0].read_only)
        self._nodes = tuple(nodes)
        self._rests_until = [0.0] * len(nodes)
        attempts = max(limits.retries + 1, len(nodes))
        self._retrying = {
            "stop": stop_after_attempt(attempts) | stop_before_delay(limits.total),
            "wait": self._pause,
            "retry": retry_if_exception_type(TRANSIENT),
            "reraise": True,
        }

    def close(self) -> None:
        super().close()
        for node in self._nodes:
            node.close()

    async def aclose(self) -> None:
        self._closed = True  # even if a node's client cannot be closed
        await asyncio.gather(*(node.aclose() for node in self._nodes))
        await super().aclose()

    def _request(self, effect: ClientCall) -> Any:
        def attempt() -> Any:
            with self._next_node() as node:
                return node.handle(effect)

        with self._failing_together():
            return Retrying(**self._retrying)(attempt)

    async def _arequest(self, effect: ClientCall) -> Any:
        async def attempt() -> Any:
            with self._next_node() as node:
                return await node.ahandle(effect)

        with self._failing_together():
            return await AsyncRetrying(**self._retrying)(attempt)

    @contextmanager
    def _next_node(self) -> Iterator[Connection]:
        """Yield the first node that does not rest, or else the one whose rest ends first."""
        now = time.monotonic()
        number = min(
            range(len(self._nodes)),
            key=lambda number: (max(0.0, self._rests_until[number] - now), number),
        )
        try:
            yield self._nodes[number]
        except TRANSIENT:
            self._rests_until[number] = time.monotonic() + REST
            raise

    @contextmanager
    def _failing_together(self) -> Iterator[None]:
        """Add to the last node's error that the others failed as well."""
        try:
            yield
        except TRANSIENT as error:
            raise type(error)(
                f"None of {self.place} gave an answer. The last one: {error}"
            ) from error

    def _pause(self, state: RetryCallState) -> float:
        """Return the seconds before the next attempt; 0 if another node can be asked."""
        now = time.monotonic()
        return 0.0 if min(self._rests_until) <= now else backoff(state)


def connect(**settings: Unpack[ConnectionSettings]) -> Connection:
    """Connect to a server, to the nodes of a cluster, or to Qdrant in this process."""
    location = settings.get("location")
    if not isinstance(location, list | tuple):
        return Connection.open(**settings)  # type: ignore[arg-type]
    addresses = {*map(str, location)}
    if not addresses or len(addresses) < len(location) or not all(map(is_address, addresses)):
        raise ConfigurationError(
            "location= is a list of the addresses of a cluster's nodes, each once, or one."
            " Addresses begin with http:// or https://; a folder stands alone."
        )
    limits = RequestLimits(settings.get("timeout", 30), settings.get("retries", 3))
    nodes = [
        Connection.open(**{**settings, "location": address, "retries": 0}) for address in location
    ]
    return NodesConnection(nodes, limits)
