"""The pair judge: a user's NLI model or language model that reads two texts at once."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Protocol, TypeAlias

from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_scores import TextPair
from logic_retrievers.effects import Operation
from logic_retrievers.judging.asking import MalformedAnswerError, Reply, ask
from logic_retrievers.types import Passage

PairProbabilities: TypeAlias = Sequence[float | None]
JudgeReply: TypeAlias = Reply[float]
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
    if reply.answers is None:
        return pairs
    judged = list(pairs)
    for numbers, probability in zip(texts.values(), reply.answers, strict=True):
        for number in numbers:
            if probability is not None:
                judged[number] = replace(judged[number], probability=round(probability, 6))
    return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def ask_judge(judge: PairJudge | None, texts: TextsToJudge) -> Operation[JudgeReply]:
    """The judge's reply; a failure of the judge is part of it and not raised."""
    return ask(judge, list(texts), _check_probability)


def _check_probability(value: Any) -> float:
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise MalformedAnswerError("an answer is None or a probability between 0 and 1")
    return float(value)
