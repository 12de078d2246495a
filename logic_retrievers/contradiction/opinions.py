"""A second opinion on pairs of texts: a user's NLI model, or an LLM, behind one call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from numbers import Real
from typing import Any, Protocol

from logic_retrievers.contradiction.conflicts import Pair
from logic_retrievers.types import Passage

Texts = tuple[str, str]
Opinions = Sequence[float | None]
Questions = Mapping[Texts, Sequence[int]]
"""Two texts -> the numbers of the pairs that have them."""
Heard = tuple[Opinions | None, str]
"""The answers; or None, and what is wrong."""


class SecondOpinion(Protocol):
    """Any callable of this form; ``async def`` will do as well.

    Example:
        >>> def opinion(pairs):                                    # doctest: +SKIP
        ...     scores = nli_model.predict(pairs, apply_softmax=True)
        ...     return [float(row[CONTRADICTION]) for row in scores]
    """

    def __call__(self, pairs: Sequence[Texts], /) -> Opinions | Awaitable[Opinions]:
        """How likely the two texts of each pair contradict each other.

        Args:
            pairs: of different texts, the likeliest contradiction first, so that one that is dear
                may stop anywhere and give None for the rest.

        Returns:
            One probability in [0, 1] a pair; None for no opinion.
        """


def questions(pairs: Sequence[Pair], passages: Sequence[Passage], ask_above: float) -> Questions:
    """What to ask.

    Args:
        pairs: the strongest first.
        passages: that the pairs speak of.
        ask_above: least probability of our own.
    """
    asked: dict[Texts, list[int]] = {}
    for number, pair in enumerate(pairs):
        if pair.own >= ask_above:
            texts = (passages[pair.one].text, passages[pair.other].text)
            asked.setdefault(texts, []).append(number)
    return asked


def answered(
    pairs: Sequence[Pair], asked: Sequence[Sequence[int]], answers: Opinions
) -> tuple[Pair, ...]:
    """The pairs with the answers in place of our own probability, the strongest first."""
    found = list(pairs)
    for numbers, answer in zip(asked, answers, strict=True):
        for number in numbers:
            if answer is not None:
                found[number] = replace(found[number], probability=round(answer, 6))
    return tuple(sorted(found, key=lambda pair: pair.strength))


def ask(opinion: SecondOpinion | None, texts: Sequence[Texts]) -> Heard:
    """The answers; a failure of the opinion's own is told and not raised."""
    if opinion is None or not texts:
        return [], ""
    try:
        given = opinion(texts)
        return _checked(_waited(given) if inspect.isawaitable(given) else given, len(texts)), ""
    except Exception as error:
        return None, _told(error)


async def aask(opinion: SecondOpinion | None, texts: Sequence[Texts]) -> Heard:
    """:func:`ask` without blocking the event loop: what is no ``async def`` runs in a thread.

    Not in one of those that encode: a language model may take its time.
    """
    if opinion is None or not texts:
        return [], ""
    if not _is_async(opinion):
        return await asyncio.to_thread(ask, opinion, texts)
    try:
        given = opinion(texts)
        return _checked(await given if inspect.isawaitable(given) else given, len(texts)), ""
    except Exception as error:
        return None, _told(error)


class _MalformedError(Exception):
    """An answer that is not of the form that was asked for."""


def _checked(given: Any, count: int) -> Opinions:
    try:
        answers = list(given)
    except TypeError:
        raise _MalformedError(f"it gave a {type(given).__name__} and no list") from None
    if len(answers) != count:
        raise _MalformedError(f"it gave {len(answers)} answers to {count} pairs")
    for answer in answers:
        if answer is not None and not (isinstance(answer, Real) and 0 <= float(answer) <= 1):
            raise _MalformedError("an answer is None or a probability between 0 and 1")
    return [None if answer is None else float(answer) for answer in answers]


def _told(error: Exception) -> str:
    """What others raise may hold a key or a text, so that it is not repeated."""
    return str(error) if isinstance(error, _MalformedError) else f"it raised {type(error).__name__}"


def _is_async(opinion: SecondOpinion) -> bool:
    return inspect.iscoroutinefunction(opinion) or inspect.iscoroutinefunction(
        getattr(opinion, "__call__", None)  # noqa: B004 - an object whose call is async
    )


def _waited(answer: Awaitable[Opinions]) -> Opinions:
    """Waits for an asynchronous opinion from synchronous code, in a notebook too.

    There an event loop runs in this thread already, so that another thread has to have its own.
    """

    async def wait() -> Opinions:
        return await answer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as other:
        return other.submit(copy_context().run, asyncio.run, wait()).result()
