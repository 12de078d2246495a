"""Query judges: protocol, excerpts of long passages, asking a judge, and its judgements."""

from __future__ import annotations

import asyncio
import inspect
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Generic, Literal, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from logic_retrievers.effects import Operation, UserCall
from logic_retrievers.errors import MalformedAnswerError, describe_failure
from logic_retrievers.text import words_of
from logic_retrievers.tracing import (
    ERROR_TYPE,
    RERANKER_INPUT,
    RERANKER_MODEL,
    RERANKER_OUTPUT,
    RERANKER_QUERY,
    SPAN_KIND,
    Attributes,
    class_name,
    document_attributes,
    own_attributes,
    text_attributes,
    traced,
)

# a passage satisfies a query, does neither, or violates it
LABELS = ("entailment", "neutral", "contradiction")

VERDICTS = ("satisfies", "neutral", "violates")

# a passage (or sentences of it) and a query
TextPair: TypeAlias = tuple[str, str]
T = TypeVar("T")

# about 110 tokens; longer passages are cut, also in training
MAX_WORDS = 80

_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
# only this many first characters of a word are compared: "insures" matches "insurance"
_STEM = 5
# shorter words do not tell a sentence's subject
_LEAST = 3
_COMMON = frozenset(
    {"the", "and", "not", "but", "for", "are", "was", "has", "had", "can", "you", "our", "its"}
)


# the text with which a judge reads each passage: the query with its excluded texts repeated
# ("nut-free cake, without nut"); the user's words; or these and each excluded text, one by one
Ask: TypeAlias = Literal["restated", "query", "parts"]

# the probabilities of the three LABELS; or a score, higher for a more relevant passage
Answer: TypeAlias = tuple[float, float, float] | float


class Question(str):
    """A query as a judge reads it.

    Attributes:
        query: the query in the user's words.
        wanted: the query without its exclusions; the whole query if nothing is excluded.
        excluded: the excluded texts.
    """

    query: str
    wanted: str
    excluded: tuple[str, ...]

    def __new__(
        cls, text: str, query: str = "", wanted: str = "", excluded: Iterable[str] = ()
    ) -> Self:
        question = super().__new__(cls, text)
        question.query = query or text
        question.wanted = wanted or question.query
        question.excluded = tuple(excluded)
        return question

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.query, self.wanted, self.excluded)

    def texts(self, ask: Ask) -> list[Question]:
        """Return the texts with which a judge reads each passage."""
        if ask == "restated" or (ask == "query" and self == self.query):
            return [self]
        parts = (self.query, self.wanted, self.excluded)
        if ask == "query" or not self.excluded:
            return [Question(self.query, *parts)]
        return [Question(text, *parts) for text in (self.query, *self.excluded)]


@runtime_checkable  # pydantic checks instances
class QueryJudge(Protocol):
    """Any callable with this signature, such as an NLI model; ``async def`` works too.

    Examples:
        >>> def judge(pairs):                                      # doctest: +SKIP
        ...     return nli_model.predict(pairs, apply_softmax=True)[:, [1, 2, 0]].tolist()
    """

    def __call__(
        self, pairs: Sequence[TextPair], /
    ) -> (
        Sequence[Sequence[float] | float | None]
        | Awaitable[Sequence[Sequence[float] | float | None]]
    ):
        """Return how likely each passage satisfies its query, does neither, or violates it.

        A model that only knows relevance returns one score for each pair, on any scale.

        Args:
            pairs: pairs (passage, query), best candidate first, so that an expensive judge may stop
                anywhere and return None for the rest. Each query is a :class:`Question`.

        Returns:
            Per pair, probabilities of the three :data:`LABELS`, or a score; None for no answer. A
            judge that failed on some pairs returns :class:`PartialAnswers`.
        """


class PartialAnswers(list[Any]):
    """Answers with None where a judge failed, and the ``problem``, which becomes a warning."""

    def __init__(self, answers: Iterable[Any], problem: str) -> None:
        super().__init__(answers)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judge's verdict on one passage.

    Args:
        satisfies, neutral, violates: probabilities.
        text: the text that the judge read: the passage, or its sentences nearest to the query.
    """

    satisfies: float
    neutral: float
    violates: float
    text: str

    @property
    def margin(self) -> float:
        """Probability of ``satisfies`` minus that of ``violates``."""
        return self.satisfies - self.violates

    @property
    def verdict(self) -> str:
        """The likeliest of ``satisfies``, ``neutral`` and ``violates``."""
        return max(VERDICTS, key=lambda name: float(getattr(self, name)))

    @property
    def reason(self) -> str:
        probability = float(getattr(self, self.verdict))
        told = {
            "satisfies": "that it satisfies the query",
            "violates": "that it violates the query",
            "neutral": "neither match nor violation in it",
        }[self.verdict]
        return f"reads {told} ({probability:.2f})"

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dictionary, ready for JSON."""
        probabilities = {name: round(getattr(self, name), 6) for name in VERDICTS}
        return {"verdict": self.verdict, **probabilities, "text": self.text}


@dataclass(frozen=True, slots=True)
class RelevanceJudgement:
    """The score of one passage by a judge that only knows relevance.

    Args:
        score: the model's score; asked with parts, the score of the query less the highest score
            of an excluded text.
        text: the text that the judge read.
    """

    score: float
    text: str

    @property
    def margin(self) -> float:
        """The score."""
        return self.score

    @property
    def reason(self) -> str:
        return f"gives a relevance of {self.score:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """Return a plain dictionary, ready for JSON."""
        return {"score": round(self.score, 6), "text": self.text}


AnyJudgement: TypeAlias = Judgement | RelevanceJudgement


def join_answers(answers: Sequence[Answer | None], text: str) -> AnyJudgement | None:
    """Make a judgement from a judge's answers about one passage.

    Args:
        answers: for the query, then for each excluded text that the judge was asked about.
        text: the text that the judge read.

    Returns:
        None if an answer is missing. From the probabilities q and x that the passage satisfies the
        query and the likeliest excluded text: q (1 - x) satisfies, and x violates.
    """
    given = [answer for answer in answers if answer is not None]
    if len(given) < len(answers):
        return None
    scores = [answer for answer in given if isinstance(answer, float)]
    rows = [answer for answer in given if not isinstance(answer, float)]
    if scores:
        return RelevanceJudgement(scores[0] - max(scores[1:], default=0.0), text)
    if len(rows) == 1:
        return Judgement(*rows[0], text)
    query, excluded = rows[0][0], max(row[0] for row in rows[1:])
    return Judgement(query * (1 - excluded), (1 - query) * (1 - excluded), excluded, text)


def nearest_sentences(passage: str, query: str, max_words: int) -> str:
    """Return a short passage whole, or a long passage's sentences nearest to the query.

    Among equally near sentences the first one wins, because it usually names the subject. Sentences
    stay whole and in order; at least one is returned.
    """
    if len(passage.split()) <= max_words:
        return passage
    sentences = [text for text in _SENTENCE_END.split(passage) if text.strip()]
    wanted = _stems(query)
    shared = [len(wanted & _stems(sentence)) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda number: (-shared[number], number))
    chosen, words = order[:1], len(sentences[order[0]].split())
    for number in order[1:]:
        words += len(sentences[number].split())
        if words > max_words:
            break
        chosen.append(number)
    return " ".join(sentences[number].strip() for number in sorted(chosen))


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in words_of(text) if len(word) >= _LEAST} - _COMMON


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """A judge's answers, one per pair (None: no judgement); ``answers`` is None if it failed."""

    answers: Sequence[T | None] | None = ()
    problem: str = ""

    @property
    def warning(self) -> str:
        """Text of the warning if the judge failed, or failed on some pairs, else empty."""
        return self.warning_of("pair judge")

    def warning_of(self, role: str) -> str:
        """:attr:`warning` about a model with another role."""
        if self.answers is None:
            return f"the {role} does not count: {self.problem}"
        if self.problem:
            missing = sum(answer is None for answer in self.answers)
            return (
                f"the {role} does not count for {missing} of {len(self.answers)} pairs:"
                f" {self.problem}"
            )
        return ""


def ask(
    judge: Callable[..., Any] | None,
    pairs: Sequence[Any],
    check: Callable[[Any], T],
    role: str = "pair judge",
    ids: Sequence[str] = (),
) -> Operation[Reply[T]]:
    """Ask a judge about all pairs; without a judge no pair has an answer.

    For an asynchronous caller, a synchronous judge runs in its own thread and not in an encoding
    thread, because a language model may take long. ``check`` converts the answer for one pair or
    raises :class:`MalformedAnswerError`. ``role`` and ``ids``, the passage of each pair, are for
    tracers.
    """
    if judge is None or not pairs:
        return Reply([None] * len(pairs))
    arguments = (judge, pairs, check, role, ids)
    reply: Reply[T] = yield UserCall(partial(_ask, *arguments), partial(_aask, *arguments))
    return reply


def _describe_reading(
    reply: Reply[Any],
    judge: Callable[..., Any],
    pairs: Sequence[TextPair],
    check: object,  # noqa: ARG001
    role: str,
    ids: Sequence[str],
) -> Attributes:
    answers = [None] * len(pairs) if reply.answers is None else reply.answers
    attributes = own_attributes(
        judge=class_name(judge),
        role=role,
        pairs=len(pairs),
        answered=sum(answer is not None for answer in answers),
    )
    if reply.answers is None:
        attributes[ERROR_TYPE] = "PairJudgeWarning"  # the search goes on without the judge
    if not ids:  # pairs of passages
        return {**attributes, SPAN_KIND: "CHAIN"}
    scores = [None if answer is None else _margin(answer) for answer in answers]
    texts = [text for text, _ in pairs]
    queries = {str(query) for _, query in pairs}
    return {
        **document_attributes(RERANKER_INPUT, zip(ids, [None] * len(ids), texts, strict=True)),
        **document_attributes(RERANKER_OUTPUT, zip(ids, scores, texts, strict=True)),
        **(text_attributes(**{RERANKER_QUERY: queries.pop()}) if len(queries) == 1 else {}),
        **attributes,
        RERANKER_MODEL: class_name(judge),
    }


def _margin(answer: Answer) -> float:
    return answer if isinstance(answer, float) else answer[0] - answer[2]


@traced("judge", "RERANKER", _describe_reading)
def _ask(
    judge: Callable[..., Any],
    pairs: Sequence[Any],
    check: Callable[[Any], T],
    role: str,  # noqa: ARG001
    ids: Sequence[str],  # noqa: ARG001
) -> Reply[T]:
    try:
        answer = judge(list(pairs))
        if inspect.isawaitable(answer):
            answer = _wait_for(answer)
        return _checked(answer, len(pairs), check)
    except Exception as error:
        return Reply(None, describe_failure(error))


async def _aask(judge: Callable[..., Any], *arguments: Any) -> Reply[Any]:
    if not _is_async(judge):
        return await asyncio.to_thread(_ask, judge, *arguments)
    return await _await_answer(judge, *arguments)


@traced("judge", "RERANKER", _describe_reading)
async def _await_answer(
    judge: Callable[..., Any],
    pairs: Sequence[Any],
    check: Callable[[Any], T],
    role: str,  # noqa: ARG001
    ids: Sequence[str],  # noqa: ARG001
) -> Reply[T]:
    try:
        return _checked(await judge(list(pairs)), len(pairs), check)
    except Exception as error:
        return Reply(None, describe_failure(error))


def _checked(answer: Any, count: int, check: Callable[[Any], T]) -> Reply[T]:
    """Check each answer; a malformed one is left out, and the others count."""
    try:
        answers = list(answer)
    except TypeError:
        raise MalformedAnswerError(f"it gave a {type(answer).__name__} and no list") from None
    if len(answers) != count:
        raise MalformedAnswerError(f"it gave {len(answers)} answers to {count} pairs")
    checked: list[T | None] = []
    problem = answer.problem if isinstance(answer, PartialAnswers) else ""
    for value in answers:
        try:
            checked.append(None if value is None else check(value))
        except MalformedAnswerError as error:
            checked.append(None)
            problem = problem or describe_failure(error)
    failed = bool(problem) and all(value is None for value in checked)
    return Reply(None if failed else checked, problem)


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
    # in a notebook this thread already runs an event loop
    with ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(copy_context().run, asyncio.run, wait()).result()


def check_answer(value: Any) -> Answer:
    """Return a judge's answer for one pair as floats: three probabilities, or a score."""
    if isinstance(value, Real) or getattr(value, "shape", None) == ():  # an array of one number
        score = float(value)
        if not math.isfinite(score):
            raise MalformedAnswerError(f"a score is {score}")
        return score
    return check_probabilities(value)


def check_probabilities(value: Any) -> tuple[float, float, float]:
    """Return a judge's answer for one pair as floats; refuse anything but three probabilities."""
    try:
        numbers = [] if isinstance(value, str | bytes) else list(value)
    except TypeError:  # not iterable, such as a single number
        numbers = []
    if (
        len(numbers) != len(LABELS)
        or not all(isinstance(n, Real) for n in numbers)
        or not all(0 <= n <= 1 for n in numbers)
        or abs(sum(map(float, numbers)) - 1) > 0.01
    ):
        raise MalformedAnswerError(
            "an answer is None, a score, or three probabilities that sum to 1"
            f" ({', '.join(LABELS)})"
        )
    first, second, third = map(float, numbers)
    return first, second, third
