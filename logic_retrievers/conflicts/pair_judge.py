"""Pair judges, which read two texts at once: a bundle's cross-encoders, or a user's model."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.scorer import TextPair
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.errors import ConfigurationError, MalformedAnswerError, PairJudgeWarning
from logic_retrievers.judging.conflict import ConflictConstants, ConflictJudge, ConflictReader, Use
from logic_retrievers.judging.judge import ask
from logic_retrievers.judging.relation import RelationReader, pair_texts
from logic_retrievers.types import SCORE_DECIMALS, Passage

# position in a pair -> passage
Passages: TypeAlias = Sequence[Passage] | Mapping[int, Passage]
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
        """Return the probability that the two texts of each pair contradict each other.

        Args:
            pairs: pairs of different texts, the likeliest contradiction first. An expensive judge
                may stop anywhere and return None for the rest.

        Returns:
            One probability in [0, 1] per pair; None for no judgement.
        """


# reads pairs; ``auto`` means the cross-encoders of the default bundle, if it has them
AnyPairJudge: TypeAlias = Literal["auto"] | ConflictJudge | RelationReader | PairJudge | None


def check_pair_judge(judge: Any) -> None:
    """Refuse a value that is no judge.

    Raises:
        ConfigurationError: it is not ``"auto"``, None, a ``ConflictJudge`` or a callable.
    """
    can_read = callable(judge) or isinstance(judge, ConflictJudge)
    is_judge = can_read and not isinstance(judge, type)
    if judge is not None and judge != "auto" and not is_judge:
        raise ConfigurationError(
            "judge is 'auto', None or a callable that reads pairs of texts; see PairJudge"
        )


@dataclass(frozen=True, slots=True)
class PairReading:
    """Cross-encoders that read pairs for one use, with their constants; ``read`` loads them."""

    constants: ConflictConstants
    use: Use
    judge: ConflictJudge | None = None

    @classmethod
    def of(cls, judge: AnyPairJudge, use: Use) -> PairReading | None:
        """Return the reading by a judge's cross-encoders; None if the judge has none.

        Raises:
            ConfigurationError: the judge reads kinds of pairs, which only a cleaner uses.
        """
        if isinstance(judge, ConflictJudge):
            reader: ConflictReader = getattr(judge, use)
            return cls(reader.constants, use, judge)
        if isinstance(judge, RelationReader):
            raise ConfigurationError(
                f"{type(judge).__name__} is for a cleaner; pass judging.OnnxConflictJudge"
            )
        manifest = default_bundle_manifest() if judge == "auto" else None
        if manifest is None or manifest.nli is None or manifest.relation is None:
            return None
        return cls(ConflictConstants.of(manifest.nli.constants, use), use)

    def read(
        self, pairs: Sequence[CandidatePair], passages: Passages, without: Collection[str]
    ) -> tuple[CandidatePair, ...]:
        """Return pairs with a probability from vectors and cross-encoders, strongest first."""
        from logic_retrievers.judging import default_conflict_judge  # loads ONNX Runtime

        reader: ConflictReader = getattr(self.judge or default_conflict_judge(), self.use)
        texts = [pair_texts(passages[pair.one], passages[pair.other], without) for pair in pairs]
        judged = []
        for pair, row in zip(pairs, reader.read(texts), strict=True):
            probability = self.constants.probability(pair.own_probability, row)
            rounded = round(probability, SCORE_DECIMALS)
            judged.append(replace(pair, probability=rounded, read=True))
        return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def judge_pairs(
    judge: AnyPairJudge,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    judge_above: float,
    reading: PairReading | None = None,
    without: Collection[str] = (),
) -> Operation[tuple[tuple[CandidatePair, ...], list[Warning]]]:
    """Return the pairs with the judge's probabilities, the strongest first, and warnings.

    A user's judge reads the pairs with an own probability of at least ``judge_above``. If it fails,
    the pairs stay unchanged and a warning is returned, not raised.

    With ``reading``, cross-encoders read all pairs, but no metadata keys in ``without``.
    """
    if reading is not None and pairs:
        return (yield Compute(partial(reading.read, pairs, passages, without))), []
    own_judge = judge if callable(judge) else None
    numbers_of: dict[TextPair, list[int]] = {}
    for number, pair in enumerate(pairs if own_judge is not None else ()):
        if pair.own_probability >= judge_above:
            texts = (passages[pair.one].text, passages[pair.other].text)
            numbers_of.setdefault(texts, []).append(number)
    reply = yield from ask(own_judge, list(numbers_of), _check_probability)
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
