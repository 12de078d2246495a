"""Procedures: what to do, apart from how to wait for it.

A procedure is a generator. It yields an *effect* (a call of Qdrant, or work for a processor) and
gets the effect's result back. The same procedure runs synchronously (:func:`run`) and
asynchronously (:func:`arun`), so the two cannot drift apart; they differ in the await alone.
Procedures compose with ``yield from``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

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

    Args:
        limit: how many threads, and so how many pieces of work at a time.
    """

    def __init__(self, limit: int = 4) -> None:
        self._limit = limit
        self._pool: ThreadPoolExecutor | None = None

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
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._limit, thread_name_prefix="logic-retrievers")
        return await asyncio.get_running_loop().run_in_executor(self._pool, function)

    def close(self) -> None:
        """Waits for what is running; the next call starts new threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None


encoding = Threads()
"""For all encoding of this process that no index's connection does."""
