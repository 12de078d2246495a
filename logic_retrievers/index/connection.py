"""The connection to Qdrant: performs client calls with retries, threads and translated errors."""

from __future__ import annotations

import asyncio
import atexit
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet

from qdrant_client import AsyncQdrantClient, QdrantClient
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from logic_retrievers.effects import Compute, Effect, ThreadHandler
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index.faults import is_transient, retry_after, translate

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

MEMORY = ":memory:"
LONGEST_WAIT = 30.0

# A client in local mode is not thread-safe, and frameworks share clients: one lock per client.
_client_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
# A client that is still open at interpreter shutdown complains, when it is too late to close it.
_open_clients: WeakSet[Any] = WeakSet()
_backoff = wait_exponential(multiplier=0.1, max=8.0) + wait_random(0.0, 0.1)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return min(LONGEST_WAIT, max(retry_after(error), _backoff(state)))


class Connection:
    """The effect handler of an index: performs client calls and computations; see :meth:`open`.

    Args:
        client: of a server or of the embedded engine; in a thread for asynchronous calls where
            there is no ``async_client``.
        async_client: for asynchronous calls, on whichever event loop the caller runs.
        make_async: creates an asynchronous client for the running event loop, when first needed.
        owned: whether :meth:`close` closes the clients.
        retries: how often a call is repeated after a transport fault.
        place: where Qdrant is, for messages.
        secret: removed from every message.
    """

    def __init__(
        self,
        client: QdrantClient | EdgeClient | None = None,
        async_client: AsyncQdrantClient | None = None,
        *,
        make_async: Callable[[], AsyncQdrantClient] | None = None,
        owned: bool = False,
        retries: int = 3,
        place: str = "the given client",
        secret: str | None = None,
    ) -> None:
        if client is None and async_client is None:
            raise ConfigurationError("Pass a location, a client or an async_client.")
        given = async_client if client is None else client
        # a client of qdrant-client says where it looks; the embedded engine's is of this package
        place_of_client = getattr(given, "init_options", None)
        self.embedded = place_of_client is None
        self.local_mode = place_of_client is not None and is_local_mode(place_of_client)
        self.place = place
        self._client = client
        self._async_client = async_client
        self._make_async = make_async
        self._per_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncQdrantClient] = (
            WeakKeyDictionary()
        )
        self._owned = owned
        if owned and client is not None:
            _open_clients.add(client)
        self._secret = secret
        self._lock = (
            _client_locks.setdefault(client, threading.RLock())
            if self.local_mode and client is not None
            else None
        )
        attempts = 1 if self.embedded or self.local_mode else retries + 1
        self._retrying: dict[str, Any] = {
            "stop": stop_after_attempt(attempts),
            "wait": _pause,
            "retry": retry_if_exception(is_transient),
            "reraise": True,
        }
        self._threads = ThreadHandler()

    @classmethod
    def open(
        cls,
        location: str | os.PathLike[str] | None = None,
        *,
        client: QdrantClient | EdgeClient | None = None,
        async_client: AsyncQdrantClient | None = None,
        api_key: str | None = None,
        prefer_grpc: bool = False,
        grpc_port: int = 6334,
        timeout: float = 30,
        retries: int = 3,
    ) -> Connection:
        """Connects to a server, or opens Qdrant in this process.

        The arguments are those of :class:`opening.ConnectionSettings`.

        Raises:
            ConfigurationError: settings that contradict each other.
            CollectionLockedError: another process has the folder open.
            StorageError: the folder cannot be created or written.
        """
        if retries < 0 or timeout <= 0:
            raise ConfigurationError("retries must be 0 or more, and timeout more than 0 seconds.")
        if client is not None or async_client is not None:
            if location is not None or api_key is not None:
                raise ConfigurationError("Pass either a location (and its key) or ready clients.")
            return cls(client, async_client, retries=retries)
        where = MEMORY if location is None else os.fspath(location)
        if where.startswith(("http://", "https://")):
            settings: dict[str, Any] = {
                "url": where,
                "api_key": api_key,
                "prefer_grpc": prefer_grpc,
                "grpc_port": grpc_port,
                "timeout": timeout,
                "check_compatibility": False,  # it warns from a thread
            }
            loopback = urlsplit(where).hostname in {"localhost", "127.0.0.1", "::1"}
            with _key_warning_ignored(loopback):
                server = QdrantClient(**settings)
            return cls(
                server,
                make_async=lambda: _async_client(settings),
                owned=True,
                retries=retries,
                place=_without_credentials(where),
                secret=api_key,
            )
        if re.fullmatch(r"[\w.-]+:\d+", where):
            raise ConfigurationError(f"Write a server's address as a URL: http://{where}")
        if api_key is not None:
            raise ConfigurationError("An API key is for a server; this location is embedded.")
        return cls(_embedded_client(where), owned=True, place=where)

    def __repr__(self) -> str:
        return f"Connection({self.place!r}, embedded={self.embedded})"

    @property
    def client(self) -> QdrantClient | EdgeClient:
        """The synchronous client; of the embedded engine one with the methods that it needs.

        Raises:
            ConfigurationError: there is only an asynchronous client.
        """
        if self._client is None:
            raise ConfigurationError(
                "This index has an asynchronous client only. Use the a... methods, or pass client=."
            )
        return self._client

    @property
    def async_client(self) -> AsyncQdrantClient | None:
        """The asynchronous client that the caller passed, if any."""
        return self._async_client

    def handle(self, effect: Effect) -> Any:
        """Performs the effect and returns its result; raises errors of this package's tree."""
        if isinstance(effect, Compute):
            return effect.function()
        method = getattr(self.client, effect.method)
        try:
            if self._lock is not None:
                with self._lock:
                    return method(**effect.arguments)
            return Retrying(**self._retrying)(method, **effect.arguments)
        except Exception as error:
            self._raise(error, effect.arguments.get("collection_name"))

    async def ahandle(self, effect: Effect) -> Any:
        """:meth:`handle` without blocking the event loop."""
        client = None if isinstance(effect, Compute) else self._loop_client()
        if isinstance(effect, Compute) or client is None:
            return await self._threads.submit(lambda: self.handle(effect))
        try:
            return await AsyncRetrying(**self._retrying)(
                getattr(client, effect.method), **effect.arguments
            )
        except Exception as error:
            self._raise(error, effect.arguments.get("collection_name"))

    def close(self) -> None:
        """Closes what this connection opened; safe to call twice."""
        self._threads.close()
        if self._owned and self._client is not None:
            self._client.close()

    async def aclose(self) -> None:
        """Also closes this event loop's client; await it on the loop that was used."""
        client = self._per_loop.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
        await asyncio.to_thread(self.close)

    def _loop_client(self) -> AsyncQdrantClient | None:
        if self._async_client is not None or self._make_async is None:
            return self._async_client
        # An asynchronous client belongs to the event loop that it first ran on.
        loop = asyncio.get_running_loop()
        if loop not in self._per_loop:
            self._per_loop[loop] = self._make_async()
        return self._per_loop[loop]

    def _raise(self, error: Exception, collection: str | None) -> NoReturn:
        translated = translate(error, self.place, collection)
        if translated is None:
            raise error
        if self._secret and self._secret in str(error):
            message = str(translated).replace(self._secret, "***")
            raise type(translated)(message) from None  # a traceback of the original shows the key
        raise translated from error


@atexit.register
def _close_open_clients() -> None:
    for client in list(_open_clients):
        client.close()


def is_local_mode(options: Mapping[str, Any]) -> bool:
    """Whether a client of qdrant-client with these ``init_options`` is its own database."""
    return options.get("location") == MEMORY or options.get("path") is not None


def _embedded_client(where: str) -> EdgeClient:
    from logic_retrievers.index.edge import EdgeClient  # 35 MB that a server's client does without

    try:
        return EdgeClient(None if where == MEMORY else where)
    except Exception as error:
        translated = translate(error, where, None)
        if translated is None:
            raise
        raise translated from error


def _async_client(settings: dict[str, Any]) -> AsyncQdrantClient:
    with _key_warning_ignored(True):  # the synchronous client has warned already
        return AsyncQdrantClient(**settings)


@contextmanager
def _key_warning_ignored(ignored: bool) -> Iterator[None]:
    """Silences qdrant-client's warning that a key is sent unencrypted."""
    with warnings.catch_warnings():
        if ignored:
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
        yield


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
