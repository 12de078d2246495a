"""The pair judge: a user's NLI model or language model that reads two texts at once."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Protocol, TypeAlias

from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_scores import TextPair
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

PairProbabilities: TypeAlias = Sequence[float | None]
TextsToJudge: TypeAlias = Mapping[TextPair, Sequence[int]]
"""Two texts -> numbers of the candidate pairs that have them."""


class PairJudge(Protocol):
    """Any callable of this form; an ``async def`` works too.

    Example:
        >>> def judge(pairs):                                      # doctest: +SKIP
        ...     scores = nli_model.predict(pairs, apply_softmax=True)
        ...     return [float(row[CONTRADICTION]) for row in scores]
    """

    def __call__(
        self, pairs: Sequence[TextPair], /
    ) -> PairProbabilities | Awaitable[PairProbabilities]:
        """The probability that the two texts of each pair contradict each other.

        Args:
            pairs: of different texts, the likeliest contradiction first, so that an expensive judge
                may stop anywhere and return None for the rest.

        Returns:
            One probability in [0, 1] per pair; None for no judgement.
        """


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """What a judge returned.

    Args:
        probabilities: one per pair of texts; None if the judge failed.
        problem: why it failed.
    """

    probabilities: PairProbabilities | None = ()
    problem: str = ""

    @property
    def warning(self) -> str:
        """What to warn about; empty if the judge did not fail."""
        if self.probabilities is not None:
            return ""
        return f"the pair judge does not count: {self.problem}"


def check_judge(judge: Any) -> None:
    """Refuses a judge that cannot be called.

    Raises:
        ConfigurationError: it cannot be called.
    """
    if judge is not None and not callable(judge):
        raise ConfigurationError("judge must be callable; see PairJudge")


def texts_to_judge(
    pairs: Sequence[CandidatePair], passages: Sequence[Passage], judge_above: float
) -> TextsToJudge:
    """The texts of the pairs that the judge reads.

    Args:
        pairs: the strongest first.
        passages: by the positions in the pairs.
        judge_above: least own probability of a pair.
    """
    numbers_of: dict[TextPair, list[int]] = {}
    for number, pair in enumerate(pairs):
        if pair.own_probability >= judge_above:
            texts = (passages[pair.one].text, passages[pair.other].text)
            numbers_of.setdefault(texts, []).append(number)
    return numbers_of


def with_judgements(
    pairs: tuple[CandidatePair, ...], texts: TextsToJudge, reply: JudgeReply
) -> tuple[CandidatePair, ...]:
    """The pairs with the judge's probabilities in place of our own, the strongest first.

    Unchanged if the judge failed.
    """
    if reply.probabilities is None:
        return pairs
    judged = list(pairs)
    for numbers, probability in zip(texts.values(), reply.probabilities, strict=True):
        for number in numbers:
            if probability is not None:
                judged[number] = replace(judged[number], probability=round(probability, 6))
    return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def ask_judge(judge: PairJudge | None, texts: TextsToJudge) -> JudgeReply:
    """The judge's reply; a failure of the judge is part of it and not raised."""
    if judge is None or not texts:
        return JudgeReply([None] * len(texts))
    try:
        answer = judge(list(texts))
        if inspect.isawaitable(answer):
            answer = _wait_for(answer)
        return JudgeReply(_checked_probabilities(answer, len(texts)))
    except Exception as error:
        return JudgeReply(None, _describe_failure(error))


async def aask_judge(judge: PairJudge | None, texts: TextsToJudge) -> JudgeReply:
    """:func:`ask_judge` without blocking the event loop.

    A judge that is not an ``async def`` runs in a thread of its own, not in one of those that
    encode: a language model may take its time.
    """
    if judge is None or not texts:
        return JudgeReply([None] * len(texts))
    if not _is_async(judge):
        return await asyncio.to_thread(ask_judge, judge, texts)
    try:
        answer = judge(list(texts))
        if inspect.isawaitable(answer):
            answer = await answer
        return JudgeReply(_checked_probabilities(answer, len(texts)))
    except Exception as error:
        return JudgeReply(None, _describe_failure(error))


class _MalformedAnswerError(Exception):
    """An answer that does not have the form of :class:`PairJudge`."""


def _checked_probabilities(answer: Any, count: int) -> PairProbabilities:
    try:
        probabilities = list(answer)
    except TypeError:
        raise _MalformedAnswerError(f"it gave a {type(answer).__name__} and no list") from None
    if len(probabilities) != count:
        raise _MalformedAnswerError(f"it gave {len(probabilities)} answers to {count} pairs")
    for value in probabilities:
        if value is not None and not (isinstance(value, Real) and 0 <= float(value) <= 1):
            raise _MalformedAnswerError("an answer is None or a probability between 0 and 1")
    return [None if value is None else float(value) for value in probabilities]


def _describe_failure(error: Exception) -> str:
    """The failure without the message of another package, which may hold a key or a text."""
    if isinstance(error, _MalformedAnswerError):
        return str(error)
    return f"it raised {type(error).__name__}"


def _is_async(judge: PairJudge) -> bool:
    return inspect.iscoroutinefunction(judge) or inspect.iscoroutinefunction(
        getattr(judge, "__call__", None)  # noqa: B004 - an object whose call is async
    )


def _wait_for(answer: Awaitable[PairProbabilities]) -> PairProbabilities:
    """Waits for an asynchronous judge in synchronous code.

    In a notebook an event loop runs in this thread already, so the judge gets another thread.
    """

    async def wait() -> PairProbabilities:
        return await answer

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(copy_context().run, asyncio.run, wait()).result()
