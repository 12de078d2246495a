"""The pair judge reads two texts at once: the bundle's cross-encoder, or a model of the user."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias, cast

from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.contradiction.pair_scores import TextPair
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.errors import ConfigurationError, MalformedAnswerError, PairJudgeWarning
from logic_retrievers.judging.asking import ask
from logic_retrievers.judging.conflict import ConflictConstants
from logic_retrievers.judging.pair_kinds import PairKinds, pair_texts
from logic_retrievers.types import SCORE_DECIMALS, Passage

Passages: TypeAlias = Sequence[Passage] | Mapping[int, Passage]
"""By the positions that pairs give."""
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


AnyPairJudge: TypeAlias = Literal["auto"] | PairKinds | PairJudge | None
"""What reads pairs; ``auto``: the cross-encoder of the default bundle, if it has one."""


def check_pair_judge(judge: Any) -> None:
    """Refuses what is no judge.

    Raises:
        ConfigurationError: neither ``"auto"`` nor None, and it cannot be called.
    """
    is_judge = callable(judge) and not isinstance(judge, type)
    if judge is not None and judge != "auto" and not is_judge:
        raise ConfigurationError(
            "judge is 'auto', None or a callable that reads pairs of texts; see PairJudge"
        )


def conflict_constants(judge: AnyPairJudge) -> ConflictConstants | None:
    """Of the cross-encoder that reads the pairs; None where none does."""
    if isinstance(judge, PairKinds):
        return ConflictConstants.of(judge.entry.constants)
    manifest = default_bundle_manifest() if judge == "auto" else None
    entry = None if manifest is None else manifest.conflict_kinds
    return None if entry is None else ConflictConstants.of(entry.constants)


def read_kinds(
    read: PairKinds,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    without: Collection[str] = (),
) -> tuple[CandidatePair, ...]:
    """The pairs with the probabilities of their kinds; takes all cores until it is done.

    ``without``: keys of the metadata that are not read.
    """
    texts = [pair_texts(passages[pair.one], passages[pair.other], without) for pair in pairs]
    return tuple(
        replace(pair, kinds=tuple(round(p, SCORE_DECIMALS) for p in probabilities))
        for pair, probabilities in zip(pairs, read(texts), strict=True)
    )


def judge_pairs(
    judge: AnyPairJudge,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    judge_above: float,
    constants: ConflictConstants | None = None,
    without: Collection[str] = (),
) -> Operation[tuple[tuple[CandidatePair, ...], list[Warning]]]:
    """The pairs with the judge's probabilities in place of our own, the strongest first.

    A failure of a user's judge leaves them unchanged; it is in the warnings and not raised.

    It reads the pairs of at least ``judge_above`` own probability; a cross-encoder, whose
    ``constants`` there are then, reads all, ``without`` these keys of the metadata.
    """
    if constants is not None and pairs:
        return (yield Compute(partial(_read, judge, pairs, passages, constants, without))), []
    if judge == "auto" or isinstance(judge, PairKinds):  # a bundle without pair kinds
        judge = None
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


def _read(
    judge: AnyPairJudge,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    constants: ConflictConstants,
    without: Collection[str],
) -> tuple[CandidatePair, ...]:
    """The pairs with the probability of vectors and cross-encoder as one, the strongest first."""
    from logic_retrievers.judging import default_conflict_kinds  # loads ONNX Runtime

    reader = judge if isinstance(judge, PairKinds) else default_conflict_kinds()
    judged = []
    for pair in read_kinds(cast("PairKinds", reader), pairs, passages, without):
        kinds = cast("Sequence[float]", pair.kinds)
        probability = constants.probability(pair.own_probability, pair.cosine, kinds)
        judged.append(replace(pair, probability=round(probability, SCORE_DECIMALS)))
    return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def _check_probability(value: Any) -> float:
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise MalformedAnswerError("an answer is None or a probability between 0 and 1")
    return float(value)
