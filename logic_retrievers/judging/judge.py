"""What a pair judge is: two texts in, three probabilities out."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import MalformedAnswerError

LABELS = ("entailment", "neutral", "contradiction")
"""Of a passage and a query: it satisfies, it says neither, it violates."""

_VERDICTS = ("satisfies", "neutral", "violates")

TextPair: TypeAlias = tuple[str, str]
"""A passage (or sentences of it) and a query."""


@runtime_checkable  # pydantic asks for that
class QueryJudge(Protocol):
    """Any callable of this form; an ``async def`` works too. A user's own NLI model, say.

    Examples:
        >>> def judge(pairs):                                      # doctest: +SKIP
        ...     return nli_model.predict(pairs, apply_softmax=True)[:, [1, 2, 0]].tolist()
    """

    def __call__(
        self, pairs: Sequence[TextPair], /
    ) -> Sequence[Sequence[float] | None] | Awaitable[Sequence[Sequence[float] | None]]:
        """How likely each passage satisfies its query, says neither, or violates it.

        Args:
            pairs: (passage, query), the best candidate first, so that an expensive judge may stop
                anywhere and return None for the rest.

        Returns:
            Probabilities of the three :data:`LABELS` per pair; None for no judgement.
        """


class BundledJudge:
    """Base of a judge that brings weights of its own (see :class:`OnnxPairJudge`)."""

    @property
    def constants(self) -> Mapping[str, float]:
        """Its weights, by the names of :class:`JudgeSettings`."""
        return {}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of one passage.

    Args:
        satisfies, neutral, violates: probabilities.
        text: what it read: the passage, or the sentences of it that are nearest to the query.
    """

    satisfies: float
    neutral: float
    violates: float
    text: str

    @property
    def margin(self) -> float:
        """Satisfies less violates, in [-1, 1]."""
        return self.satisfies - self.violates

    @property
    def verdict(self) -> str:
        """The likeliest of ``satisfies``, ``neutral`` and ``violates``."""
        return max(_VERDICTS, key=lambda name: float(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        probabilities = {name: round(getattr(self, name), 6) for name in _VERDICTS}
        return {"verdict": self.verdict, **probabilities, "text": self.text}


def check_probabilities(value: Any) -> tuple[float, float, float]:
    """The three probabilities of one pair.

    Raises:
        MalformedAnswerError: no three numbers in [0, 1] that sum to 1.
    """
    try:
        numbers = [] if isinstance(value, str | bytes) else list(value)
    except TypeError:  # a single number, or no sequence at all
        numbers = []
    if (
        len(numbers) != len(LABELS)
        or not all(isinstance(n, Real) for n in numbers)
        or not all(0 <= n <= 1 for n in numbers)
        or abs(sum(map(float, numbers)) - 1) > 0.01
    ):
        raise MalformedAnswerError(
            f"an answer is None or three probabilities that sum to 1 ({', '.join(LABELS)})"
        )
    first, second, third = map(float, numbers)
    return first, second, third
