"""Sans-I/O effects: operations describe the work, and handlers do it, with or without ``await``.

An :data:`Operation` is a generator that performs no I/O. It yields an :data:`Effect` (a call of a
Qdrant client, or a computation) or a :class:`UserCall`, and receives the result. An
:class:`EffectHandler` performs effects: ``handle`` blocks, ``ahandle`` awaits. :func:`run` and
:func:`arun` drive the same operation to its end, so the synchronous and the asynchronous interface
cannot drift apart. Operations compose with ``yield from``.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One idempotent call of a Qdrant client: a method's name and its keyword arguments."""

    method: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Compute:
    """A function that keeps a processor busy, such as encoding; its return value is the result."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class UserCall:
    """A user's function, which may be an ``async def``; it needs no handler.

    Args:
        blocking: calls the function and waits.
        awaiting: calls the function without blocking the event loop.
    """

    blocking: Callable[[], Any]
    awaiting: Callable[[], Awaitable[Any]]


Effect: TypeAlias = ClientCall | Compute
Operation: TypeAlias = Generator[Effect | UserCall, Any, T]


class EffectHandler(Protocol):
    """Performs effects: ``index.connection.Connection``, or :class:`ThreadHandler` for Compute."""

    def handle(self, effect: Effect) -> Any:
        """Perform an effect and return its result, or raise a LogicRetrieversError."""

    async def ahandle(self, effect: Effect) -> Any:
        """:meth:`handle` without blocking the event loop."""


def run(operation: Operation[T], handler: EffectHandler) -> T:
    """Run an operation to its end and return its value.

    The handler's errors are raised inside the operation, at its ``yield``.
    """
    try:
        effect = next(operation)
        while True:
            try:
                if isinstance(effect, UserCall):
                    result = effect.blocking()
                else:
                    result = handler.handle(effect)
            except Exception as error:
                effect = operation.throw(error)
            else:
                effect = operation.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def arun(operation: Operation[T], handler: EffectHandler) -> T:
    """:func:`run` without blocking the event loop."""
    try:
        effect = next(operation)
        while True:
            try:
                if isinstance(effect, UserCall):
                    result = await effect.awaiting()
                else:
                    result = await handler.ahandle(effect)
            except Exception as error:
                effect = operation.throw(error)
            else:
                effect = operation.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


class ThreadHandler:
    """Performs :class:`Compute` in the caller's thread, or for async callers in a pool of threads.

    A computation in the pool sees the caller's context variables. Computations nested in
    it run in the same thread, so that the pool's threads never wait for one another.
    """

    def __init__(self, limit: int = 4) -> None:
        self._limit = limit
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._local = threading.local()
        _thread_handlers.add(self)

    def handle(self, effect: Effect) -> Any:
        if not isinstance(effect, Compute):
            raise TypeError(f"a ThreadHandler has no client for {effect!r}")
        return effect.function()

    async def ahandle(self, effect: Effect) -> Any:
        return await self.submit(lambda: self.handle(effect))

    async def submit(self, function: Callable[[], T]) -> T:
        """Call a function in a thread of the pool; wait while all threads are busy."""
        if getattr(self._local, "in_pool", False):
            return function()
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    self._limit, thread_name_prefix="logic-retrievers", initializer=self._mark
                )
            pool = self._pool
        run_in_context = copy_context().run
        return await asyncio.get_running_loop().run_in_executor(pool, run_in_context, function)

    def close(self) -> None:
        """Wait for running computations; the next one starts new threads."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def _mark(self) -> None:
        self._local.in_pool = True

    def _reset(self) -> None:
        """Drop the pool after a fork: its threads do not exist in the child."""
        self._pool = None
        self._lock = threading.Lock()
        self._local = threading.local()


_thread_handlers: WeakSet[ThreadHandler] = WeakSet()


def _reset_after_fork() -> None:
    for handler in list(_thread_handlers):
        handler._reset()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_reset_after_fork)

# handler for encoding outside an index's connection
encoder_threads = ThreadHandler()
