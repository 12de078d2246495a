"""The protocol of a query judge (two texts in, three probabilities out) and its verdict."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import MalformedAnswerError

# a passage satisfies a query, says neither, or violates it
LABELS = ("entailment", "neutral", "contradiction")

_VERDICTS = ("satisfies", "neutral", "violates")

# a passage (or sentences of it) and a query
TextPair: TypeAlias = tuple[str, str]


@runtime_checkable  # pydantic asks for that
class QueryJudge(Protocol):
    """Any callable of this form, such as an NLI model; an ``async def`` works too.

    Examples:
        >>> def judge(pairs):                                      # doctest: +SKIP
        ...     return nli_model.predict(pairs, apply_softmax=True)[:, [1, 2, 0]].tolist()
    """

    def __call__(
        self, pairs: Sequence[TextPair], /
    ) -> Sequence[Sequence[float] | None] | Awaitable[Sequence[Sequence[float] | None]]:
        """Return how likely each passage satisfies its query, says neither, or violates it.

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
        """Weights, by the names of :class:`JudgeSettings`."""
        return {}


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdict of a judge on one passage.

    Args:
        satisfies, neutral, violates: probabilities.
        text: text that the judge read: the passage, or its sentences nearest to the query.
    """

    satisfies: float
    neutral: float
    violates: float
    text: str

    @property
    def margin(self) -> float:
        """Probability of satisfies less that of violates."""
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
    """Check a judge's answer for one pair.

    Raises:
        MalformedAnswerError: not three numbers in [0, 1] that sum to 1.
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
