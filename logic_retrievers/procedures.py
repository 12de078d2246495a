"""Procedures: what to do, apart from how to wait for it.

A procedure is a generator. It yields an *effect* (a call of Qdrant, or work for a processor) and
gets the effect's result back. The same procedure runs synchronously (:func:`run`) and
asynchronously (:func:`arun`), so the two cannot drift apart; they differ in the await alone.
Procedures compose with ``yield from``.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a Qdrant client: a method's name and its keyword arguments. Idempotent."""

    method: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Work:
    """Work that keeps a processor busy (encoding); asynchronous callers do it in a thread."""

    function: Callable[[], Any]


Effect: TypeAlias = Call | Work
Procedure: TypeAlias = Generator[Effect, Any, T]


class Performer(Protocol):
    """Carries out effects: ``index.connection.Connection``, or :class:`Threads` for work alone."""

    def perform(self, effect: Effect) -> Any:
        """The effect's result; raises errors of our own tree."""

    async def aperform(self, effect: Effect) -> Any:
        """The same without blocking the event loop."""


def run(procedure: Procedure[T], performer: Performer) -> T:
    """Runs a procedure to its end and returns its value; errors are raised inside the procedure."""
    try:
        effect = next(procedure)
        while True:
            try:
                result = performer.perform(effect)
            except Exception as error:
                effect = procedure.throw(error)
            else:
                effect = procedure.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def arun(procedure: Procedure[T], performer: Performer) -> T:
    """The asynchronous twin of :func:`run`."""
    try:
        effect = next(procedure)
        while True:
            try:
                result = await performer.aperform(effect)
            except Exception as error:
                effect = procedure.throw(error)
            else:
                effect = procedure.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


class Threads:
    """Performs :class:`Work`; for asynchronous callers in one of a few threads.

    Context variables (of tracers, say) are those of the caller. Work that itself waits for other
    work is done in its own thread, so that all threads never wait for one another.

    Args:
        limit: how many threads, and so how many pieces of work at a time.
    """

    def __init__(self, limit: int = 4) -> None:
        self._limit = limit
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._inside = threading.local()
        _all_threads.add(self)

    def perform(self, effect: Effect) -> Any:
        """The work's result."""
        if not isinstance(effect, Work):
            raise TypeError(f"threads alone cannot carry out {effect!r}")
        return effect.function()

    async def aperform(self, effect: Effect) -> Any:
        """The same without blocking the event loop."""
        return await self.submit(lambda: self.perform(effect))

    async def submit(self, function: Callable[[], T]) -> T:
        """A function's result, computed in a thread; waits where all threads are busy."""
        if getattr(self._inside, "one", False):
            return function()
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    self._limit, thread_name_prefix="logic-retrievers", initializer=self._enter
                )
            pool = self._pool
        run_there = copy_context().run
        return await asyncio.get_running_loop().run_in_executor(pool, run_there, function)

    def close(self) -> None:
        """Waits for what is running; the next call starts new threads."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)

    def _enter(self) -> None:
        self._inside.one = True

    def _forget(self) -> None:
        """Threads do not survive a fork: a child that kept the pool would wait for ever."""
        self._pool = None
        self._lock = threading.Lock()
        self._inside = threading.local()


_all_threads: WeakSet[Threads] = WeakSet()


def _forget_all() -> None:
    for threads in list(_all_threads):
        threads._forget()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_all)

encoding = Threads()
"""For all encoding of this process that no index's connection does."""
