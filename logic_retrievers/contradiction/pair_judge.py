"""The pair judge: a user's NLI model or language model that reads two texts at once."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Protocol, TypeAlias

from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_scores import TextPair
from logic_retrievers.effects import Operation
from logic_retrievers.errors import MalformedAnswerError, PairJudgeWarning
from logic_retrievers.judging.asking import ask
from logic_retrievers.types import Passage

PairProbabilities: TypeAlias = Sequence[float | None]


class PairJudge(Protocol):
    """Any callable of this form; an ``async def`` works too.

    Examples:
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


def judge_pairs(
    judge: PairJudge | None,
    pairs: tuple[CandidatePair, ...],
    passages: Sequence[Passage],
    judge_above: float,
) -> Operation[tuple[tuple[CandidatePair, ...], list[Warning]]]:
    """The pairs with the judge's probabilities in place of our own, the strongest first.

    A failure of the judge leaves them unchanged; it is in the warnings and not raised.

    The judge reads the pairs of at least ``judge_above`` own probability.
    """
    numbers_of: dict[TextPair, list[int]] = {}
    for number, pair in enumerate(pairs if judge is not None else ()):
        if pair.own_probability >= judge_above:
            texts = (passages[pair.one].text, passages[pair.other].text)
            numbers_of.setdefault(texts, []).append(number)
    reply = yield from ask(judge, list(numbers_of), _check_probability)
    judged = list(pairs)
    for numbers, probability in zip(numbers_of.values(), reply.answers or (), strict=False):
        for number in numbers:
            if probability is not None:
                judged[number] = replace(judged[number], probability=round(probability, 6))
    judged.sort(key=lambda pair: pair.sort_key)
    return tuple(judged), [PairJudgeWarning(reply.warning)] if reply.warning else []


def _check_probability(value: Any) -> float:
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise MalformedAnswerError("an answer is None or a probability between 0 and 1")
    return float(value)
