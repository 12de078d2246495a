"""Several addresses of one cluster: a request that cannot reach one node goes to the next."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Unpack

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_before_delay,
)

from logic_retrievers.api_keys import Secrets
from logic_retrievers.effects import Compute, Effect
from logic_retrievers.errors import (
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
)
from logic_retrievers.index.connection import Connection, backoff
from logic_retrievers.index.fault_messages import closed_error
from logic_retrievers.index.settings import ConnectionSettings
from logic_retrievers.server_requests import RequestLimits

REST = 10.0
"""Seconds for which a node that could not be reached is asked last."""


class NodesConnection(Connection):
    """The effect handler over a connection for each node, in the order of their addresses.

    The first that does not rest is asked; one that cannot be reached, or does not answer in time,
    rests. ``client`` is that of the first.

    Args:
        nodes: without repetitions of their own.
        limits: of a request over all nodes. Each node is asked once at least.
    """

    def __init__(self, nodes: Sequence[Connection], limits: RequestLimits) -> None:
        super().__init__(
            nodes[0].client,
            limits=limits,
            place=", ".join(node.place for node in nodes),
            secrets=Secrets(),
        )
        self._nodes = tuple(nodes)
        self._rests_until = [0.0] * len(nodes)
        attempts = max(limits.retries + 1, len(nodes))
        self._retrying = {
            "stop": stop_after_attempt(attempts) | stop_before_delay(limits.total),
            "wait": self._pause,
            "retry": retry_if_exception_type((ServerUnavailableError, ServerTimeoutError)),
            "reraise": True,
        }

    @classmethod
    def open_all(
        cls, addresses: Sequence[str], *, timeout: float = 30, retries: int = 3, **settings: Any
    ) -> NodesConnection:
        """Connects to every address; see :meth:`Connection.open`.

        Raises:
            ConfigurationError: there is none, one is no server's, or one is there twice.
        """
        if not addresses or len({*map(str, addresses)}) < len(addresses):
            raise ConfigurationError(
                "location= is a list of the addresses of a cluster's nodes, each once, or one."
            )
        limits = RequestLimits(timeout, retries)
        nodes: list[Connection] = []
        try:
            for address in addresses:
                node = Connection.open(address, timeout=timeout, retries=0, **settings)
                nodes.append(node)
                if node.embedded:
                    raise ConfigurationError(
                        "Several locations are the addresses of a cluster's nodes; a folder stands"
                        " alone."
                    )
        except BaseException:
            for node in nodes:
                node.close()
            raise
        return cls(nodes, limits)

    def handle(self, effect: Effect) -> Any:
        """Performs the effect at the first node that answers."""
        if self._closed:
            raise closed_error(self.place)
        if isinstance(effect, Compute):
            return effect.function()

        def attempt() -> Any:
            number = self._choose()
            try:
                return self._nodes[number].handle(effect)
            except (ServerUnavailableError, ServerTimeoutError):
                self._let_rest(number)
                raise

        try:
            return Retrying(**self._retrying)(attempt)
        except (ServerUnavailableError, ServerTimeoutError) as error:
            failure = self._of_all(error)
        raise failure

    async def ahandle(self, effect: Effect) -> Any:
        """:meth:`handle` without blocking the event loop."""
        if self._closed:
            raise closed_error(self.place)
        if isinstance(effect, Compute):
            return await self._nodes[0].ahandle(effect)

        async def attempt() -> Any:
            number = self._choose()
            try:
                return await self._nodes[number].ahandle(effect)
            except (ServerUnavailableError, ServerTimeoutError):
                self._let_rest(number)
                raise

        try:
            return await AsyncRetrying(**self._retrying)(attempt)
        except (ServerUnavailableError, ServerTimeoutError) as error:
            failure = self._of_all(error)
        raise failure

    def close(self) -> None:
        """Closes all connections; safe to call twice."""
        self._closed = True
        for node in self._nodes:
            node.close()

    async def aclose(self) -> None:
        """Also closes this event loop's clients; await it on the loop that was used."""
        self._closed = True
        await asyncio.gather(*(node.aclose() for node in self._nodes))

    def _of_all(self, error: ServerError) -> ServerError:
        """The error of the last node, which says that the others failed as well."""
        failure = type(error)(f"None of {self.place} gave an answer. The last one: {error}")
        failure.__cause__ = error
        return failure

    def _choose(self) -> int:
        """The first node that does not rest; else the one whose rest ends first."""
        now = time.monotonic()
        return min(
            range(len(self._nodes)),
            key=lambda number: (max(0.0, self._rests_until[number] - now), number),
        )

    def _let_rest(self, number: int) -> None:
        self._rests_until[number] = time.monotonic() + REST

    def _pause(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: none where another node can be asked."""
        now = time.monotonic()
        return 0.0 if min(self._rests_until) <= now else backoff(state)


def connect(**settings: Unpack[ConnectionSettings]) -> Connection:
    """Connects to a server, to the nodes of a cluster, or to Qdrant in this process.

    Raises:
        ConfigurationError: settings that contradict each other, or cannot work.
        CollectionLockedError, StorageError: as :meth:`Connection.open`.
    """
    location = settings.get("location")
    if not isinstance(location, list | tuple):
        return Connection.open(**settings)  # type: ignore[arg-type]
    if settings.get("client") is not None or settings.get("async_client") is not None:
        raise ConfigurationError("Pass either locations (and their key) or ready clients.")
    given = {"location", "client", "async_client"}
    others: dict[str, Any] = {k: value for k, value in settings.items() if k not in given}
    return NodesConnection.open_all(location, **others)
