"""Ask a judge, synchronous or not; a failure becomes part of the reply."""

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
    """Answers of a judge.

    Args:
        answers: one for each pair of texts, or None where it did not judge; None if it failed.
        problem: why it failed.
    """

    answers: Sequence[T | None] | None = ()
    problem: str = ""

    @property
    def warning(self) -> str:
        """Text of a warning; empty if the judge did not fail."""
        if self.answers is not None:
            return ""
        return f"the pair judge does not count: {self.problem}"


def ask(
    judge: Callable[..., Any] | None, pairs: Sequence[Any], check: Callable[[Any], T]
) -> Operation[Reply[T]]:
    """Ask a judge about pairs; no judge judges nothing.

    For an asynchronous caller, a synchronous judge runs in a thread of its own, not in one that
    encodes: a language model may take long.

    Args:
        judge: called with all pairs.
        pairs: what it reads.
        check: converts the judge's answer for one pair, or raises :class:`MalformedAnswerError`.
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
    """Wait for an asynchronous judge in synchronous code."""

    async def wait() -> T:
        return await answer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    # in a notebook an event loop runs in this thread already
    with ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(copy_context().run, asyncio.run, wait()).result()
