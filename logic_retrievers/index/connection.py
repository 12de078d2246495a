"""The connection to Qdrant: performs client calls with retries, threads and translated errors."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient, QdrantClient
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    wait_exponential,
    wait_random,
)

from logic_retrievers.checks import check_type
from logic_retrievers.effects import ClientCall, Compute, Effect, ThreadHandler
from logic_retrievers.errors import ConfigurationError, ServerError, StorageError
from logic_retrievers.http import RequestLimits, call_within, check_key, is_number, shows
from logic_retrievers.index.batch_search import batch_search
from logic_retrievers.index.faults import Fault, check_answer, is_transient, retry_after, translate
from logic_retrievers.index.settings import (
    CONSISTENT_READS,
    MEMORY,
    check_location,
    guaranteed,
    is_address,
    is_local_mode,
    keys_of,
)
from logic_retrievers.index.strict_limits import NEVER_GRANTED, halves, joined

if TYPE_CHECKING:
    from logic_retrievers.index.edge import EdgeClient

Client = TypeVar("Client", QdrantClient, AsyncQdrantClient)
# calls that change nothing
READS = frozenset(
    {
        *CONSISTENT_READS,
        *("count", "get_aliases", "get_collection", "get_collections", "info", "unindexed_points"),
    }
)
# A client in local mode is not thread-safe, and frameworks share clients, so each has its lock.
_client_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_growing_pause = wait_exponential(multiplier=0.1, max=8.0) + wait_random(0.0, 0.1)


def backoff(state: RetryCallState) -> float:
    """Return the seconds before the next attempt: longer each time, or as the server asks."""
    error = state.outcome.exception() if state.outcome else None
    return max(retry_after(error), retry_after(error and error.__cause__), _growing_pause(state))


class Connection:
    """The effect handler of an index: performs client calls and computations; see :meth:`open`.

    Args:
        client: also makes asynchronous calls, in a thread, if there is no asynchronous client.
        async_client: for asynchronous calls, on whichever event loop the caller runs.
        make_async: makes an asynchronous client for the running event loop, when first needed.
        owned: whether :meth:`close` closes the clients.
        place: where Qdrant is, for messages.
        secrets: keys, which are masked in every message.
        guarantees: consistency and ordering; see :func:`guaranteed`.
        read_only: refuse all writes.
    """

    def __init__(
        self,
        client: QdrantClient | EdgeClient | None = None,
        async_client: AsyncQdrantClient | None = None,
        *,
        make_async: Callable[[], AsyncQdrantClient] | None = None,
        owned: bool = False,
        limits: RequestLimits,
        place: str = "the given client",
        secrets: Sequence[SecretStr] = (),
        guarantees: Mapping[str, Mapping[str, Any]] | None = None,
        read_only: bool = False,
    ) -> None:
        # only the embedded engine's client has no options
        options = getattr(async_client if client is None else client, "init_options", None)
        self.embedded = options is None
        self.local_mode = options is not None and is_local_mode(options)
        self.place = place
        self.read_only = read_only or getattr(client, "read_only", False)
        self._client = client
        self.async_client = async_client
        self._make_async = make_async
        self._per_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncQdrantClient] = (
            WeakKeyDictionary()
        )
        self._owned = owned
        self._closed = False
        self._secrets = secrets
        self._limits = limits
        self._guarantees = guarantees or {}
        if guarantees and (self.embedded or self.local_mode):
            raise ConfigurationError(
                "consistency= and ordering= are for a server; this location is embedded."
            )
        self._lock: AbstractContextManager[Any] = (
            _client_locks.setdefault(client, threading.RLock())
            if self.local_mode and client is not None
            else nullcontext()
        )
        self._retrying: dict[str, Any] = {
            "stop": limits.stop,
            "wait": backoff,
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
        consistency: int | str | None = None,
        ordering: str | None = None,
        read_only: bool = False,
    ) -> Connection:
        """Connect to one server, or open Qdrant here; see :class:`settings.ConnectionSettings`."""
        common: dict[str, Any] = {
            "limits": RequestLimits(timeout, retries),
            "guarantees": guaranteed(consistency, ordering),
            "read_only": read_only,
        }
        if not is_number(grpc_port, Integral) or not 0 < grpc_port < 65536:
            raise ConfigurationError("grpc_port= is a whole number from 1 to 65535.")
        check_type("prefer_grpc=", prefer_grpc, bool)
        check_type("read_only=", read_only, bool)
        if client is not None or async_client is not None:
            if location is not None or api_key is not None:
                raise ConfigurationError("Pass either a location (and its key) or ready clients.")
            if client is not None and not isinstance(client, QdrantClient):
                from logic_retrievers.index.edge import EdgeClient

                if not isinstance(client, EdgeClient):
                    raise ConfigurationError("client= is a QdrantClient, or an index's client.")
            if not isinstance(async_client, AsyncQdrantClient | None):
                raise ConfigurationError("async_client= is an AsyncQdrantClient.")
            secrets: list[SecretStr] = []
            for options in (getattr(each, "init_options", {}) for each in (client, async_client)):
                secrets += keys_of(options)
                if options.get("timeout") is not None:
                    common["limits"] = RequestLimits(options["timeout"], retries)
            return cls(client, async_client, secrets=secrets, **common)
        where = MEMORY if location is None else check_location(location)
        if not is_address(where):
            if api_key is not None:
                raise ConfigurationError("An API key is for a server; this location is embedded.")
            embedded = _embedded_client(where, timeout, read_only)
            return cls(embedded, owned=True, place=where, **common)
        settings: dict[str, Any] = {
            "url": where,
            "api_key": None if api_key is None else check_key(api_key),
            "prefer_grpc": prefer_grpc,
            "grpc_port": int(grpc_port),
            "timeout": float(timeout),
            "check_compatibility": False,  # this check warns from a thread
        }
        return cls(
            _server_client(QdrantClient, settings),
            make_async=lambda: _server_client(AsyncQdrantClient, settings),
            owned=True,
            place=where,
            secrets=[] if api_key is None else [SecretStr(api_key)],
            **common,
        )

    def __repr__(self) -> str:
        return f"Connection({self.place!r}, embedded={self.embedded})"

    @property
    def client(self) -> QdrantClient | EdgeClient:
        if self._client is None:
            raise ConfigurationError(
                "This index has an asynchronous client only. Use the a... methods, or pass client=."
            )
        return self._client

    @property
    def is_lasting(self) -> bool:
        """Whether stored data outlast this process; False for a client that the caller passed."""
        return self._owned and self.place != MEMORY

    def handle(self, effect: Effect) -> Any:
        """Perform an effect and return its result; raise this package's errors for Qdrant's."""
        self._check(effect)
        if isinstance(effect, Compute):
            return effect.function()
        try:
            return self._request(effect)
        except ServerError as error:
            parts = self._parts(effect, error)
        return joined(*map(self.handle, parts))

    async def ahandle(self, effect: Effect) -> Any:
        """Do the same as :meth:`handle`, without blocking the event loop."""
        self._check(effect)
        if isinstance(effect, Compute):
            return await self._threads.submit(effect.function)
        try:
            return await self._arequest(effect)
        except ServerError as error:
            parts = self._parts(effect, error)
        return joined(*[await self.ahandle(part) for part in parts])

    def check_writable(self) -> None:
        """Refuse an operation that will write, before any work is done."""
        if self.read_only:
            raise Fault.READ_ONLY.at(self.place)

    def close(self) -> None:
        """Close what this connection opened; safe to call twice."""
        self._closed = True
        self._threads.close()
        if self._owned and self._client is not None:
            self._client.close()

    async def aclose(self) -> None:
        """Close the running event loop's client too; await this on the loop that used the index."""
        self._closed = True
        client = self._per_loop.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
        await asyncio.to_thread(self.close)

    def _request(self, effect: ClientCall) -> Any:
        call = self._call(self.client, effect)
        try:
            if self.local_mode or self.embedded:
                with self._lock:
                    return call()
            begun = time.monotonic()
            return Retrying(**self._retrying)(
                lambda: check_answer(effect, call_within(self._limits.seconds_left(begun), call))
            )
        except Exception as error:
            failure = self._to_own_error(error, effect)
        raise failure

    async def _arequest(self, effect: ClientCall) -> Any:
        client = self._loop_client()
        if client is None:
            return await self._threads.submit(lambda: self._request(effect))
        call = self._call(client, effect)
        begun = time.monotonic()

        async def attempt() -> Any:
            async with asyncio.timeout(self._limits.seconds_left(begun)):
                return check_answer(effect, await call())

        try:
            return await (call() if self.local_mode else AsyncRetrying(**self._retrying)(attempt))
        except Exception as error:
            failure = self._to_own_error(error, effect)
        raise failure

    def _check(self, effect: Effect) -> None:
        if self._closed:
            raise Fault.CLOSED.at(self.place)
        if isinstance(effect, ClientCall) and effect.method not in READS:
            self.check_writable()

    def _parts(self, call: ClientCall, error: ServerError) -> list[ClientCall]:
        """Divide a call that a rate limit never grants; raise any other error."""
        # the second half is retried until the rate limit allows it, so retries are needed
        divided = NEVER_GRANTED in str(error) and self._limits.retries and halves(call)
        if not divided:
            raise error
        return divided

    def _call(self, client: Any, effect: ClientCall) -> Callable[[], Any]:
        if effect.method == "query_batch_points" and not self.embedded:
            method = batch_search(client)
        else:
            method = getattr(client, effect.method)
        return partial(method, **effect.arguments, **self._guarantees.get(effect.method, {}))

    def _loop_client(self) -> AsyncQdrantClient | None:
        if self.async_client is not None or self._make_async is None:
            return self.async_client
        # An asynchronous client belongs to the event loop that it first ran on.
        loop = asyncio.get_running_loop()
        if loop not in self._per_loop:
            self._per_loop[loop] = self._make_async()
        return self._per_loop[loop]

    def _to_own_error(self, error: Exception, call: ClientCall) -> Exception:
        """Return this package's error for an error of Qdrant, and any other error as it is."""
        collection = call.arguments.get("collection_name")
        translated = translate(error, self.place, collection, self._secrets)
        if translated is None:
            return error
        if self._closed:  # while the call was performed
            return Fault.CLOSED.at(self.place)
        if not shows(error, self._secrets):
            translated.__cause__ = error
        return translated


def _embedded_client(where: str, timeout: float, read_only: bool) -> EdgeClient:
    from logic_retrievers.index.edge import EdgeClient  # 35 MB, not needed for servers

    try:
        place = None if where == MEMORY else where
        return EdgeClient(place, timeout=timeout, read_only=read_only)
    except OSError as error:
        place = where if len(where) <= 200 else f"{where[:200]}..."
        raise StorageError(
            f"The folder {place} cannot be used ({error.strerror}). Name another one, or give the"
            " right to write there."
        ) from error
    except Exception as error:
        translated = translate(error, where, None)
        if translated is None:
            raise
        raise translated from error


def _server_client(kind: type[Client], settings: Mapping[str, Any]) -> Client:
    """Make a client of a server; warn if a key travels unencrypted to another machine.

    An asynchronous client does not warn, because the synchronous one has warned already.
    """
    here = urlsplit(settings["url"]).hostname in {"localhost", "127.0.0.1", "::1"}
    with warnings.catch_warnings():
        if here or kind is not QdrantClient:
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection")
        return kind(**settings)
