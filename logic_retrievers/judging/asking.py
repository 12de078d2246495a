"""Asks a user's callable, synchronous or not; its failure is part of the reply and not raised."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from logic_retrievers.effects import Operation, UserCall
from logic_retrievers.errors import MalformedAnswerError, describe_failure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a judge returned.

    Args:
        answers: one per pair of texts, None where it did not judge; None if it failed.
        problem: why it failed.
    """

    answers: Sequence[T | None] | None = ()
    problem: str = ""

    @property
    def warning(self) -> str:
        """What to warn about; empty if the judge did not fail."""
        if self.answers is not None:
            return ""
        return f"the pair judge does not count: {self.problem}"


def ask(
    judge: Callable[..., Any] | None, pairs: Sequence[Any], check: Callable[[Any], T]
) -> Operation[Reply[T]]:
    """The judge's reply to some pairs.

    For an asynchronous caller a judge that is not an ``async def`` runs in a thread of its own, not
    in one of those that encode: a language model may take its time.

    ``check`` makes an answer of what the judge gave for one pair, or raises
    :class:`MalformedAnswerError`. No judge judges nothing.
    """
    if judge is None or not pairs:
        return Reply([None] * len(pairs))
    arguments = (judge, pairs, check)
    reply: Reply[T] = yield UserCall(partial(_ask, *arguments), partial(_aask, *arguments))
    return reply


def _ask(judge: Callable[..., Any], pairs: Sequence[Any], check: Callable[[Any], T]) -> Reply[T]:
    try:
        answer = judge(list(pairs))
        if inspect.isawaitable(answer):
            answer = _wait_for(answer)
        return Reply(_checked(answer, len(pairs), check))
    except Exception as error:
        return Reply(None, describe_failure(error))


async def _aask(
    judge: Callable[..., Any], pairs: Sequence[Any], check: Callable[[Any], T]
) -> Reply[T]:
    if not _is_async(judge):
        return await asyncio.to_thread(_ask, judge, pairs, check)
    try:
        return Reply(_checked(await judge(list(pairs)), len(pairs), check))
    except Exception as error:
        return Reply(None, describe_failure(error))


def _checked(answer: Any, count: int, check: Callable[[Any], T]) -> list[T | None]:
    try:
        answers = list(answer)
    except TypeError:
        raise MalformedAnswerError(f"it gave a {type(answer).__name__} and no list") from None
    if len(answers) != count:
        raise MalformedAnswerError(f"it gave {len(answers)} answers to {count} pairs")
    return [None if value is None else check(value) for value in answers]


def _is_async(judge: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(
        getattr(judge, "__call__", None)  # noqa: B004 - an object whose call is async
    )


def _wait_for(answer: Awaitable[T]) -> T:
    """Waits for an asynchronous judge in synchronous code.

    In a notebook an event loop runs in this thread already, so the judge gets another thread.
    """

    async def wait() -> T:
        return await answer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(copy_context().run, asyncio.run, wait()).result()
