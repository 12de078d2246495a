"""Pair judges, which read two texts at once: a bundle's cross-encoders, or a user's model."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.scorer import TextPair
from logic_retrievers.effects import Operation
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.encoders.manifest import CrossEncoder, Manifest
from logic_retrievers.errors import ConfigurationError, MalformedAnswerError, PairJudgeWarning
from logic_retrievers.judging.conflict import (
    NLI_CONSTANTS,
    RELATION_CONSTANTS,
    ConflictReader,
    check_constants,
    conflict_probability,
)
from logic_retrievers.judging.judge import ask
from logic_retrievers.judging.relation import RELATIONS, pair_texts
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
AnyPairJudge: TypeAlias = Literal["auto"] | ConflictReader | PairJudge | None
# the cross-encoder for two passages, or for a statement and a passage
ReaderName: TypeAlias = Literal["relation", "nli"]


def check_pair_judge(judge: Any) -> None:
    """Refuse a value that is no judge.

    Raises:
        ConfigurationError: it is not ``"auto"``, None or a callable.
    """
    is_judge = callable(judge) and not isinstance(judge, type)
    if judge is not None and judge != "auto" and not is_judge:
        raise ConfigurationError(
            "judge is 'auto', None or a callable that reads pairs of texts; see PairJudge"
        )


def reader_entry(judge: AnyPairJudge, name: ReaderName) -> tuple[Manifest, CrossEncoder] | None:
    """Return the cross-encoder by which a judge reads, with its manifest; None if it has none.

    Raises:
        BundleError: it lacks a constant.
    """
    if isinstance(judge, ConflictReader):
        manifest, entry = judge.manifest, judge.entry
        name = "relation" if judge.labels == RELATIONS else "nli"
    else:
        default = default_bundle_manifest() if judge == "auto" else None
        if default is None or (found := getattr(default, name)) is None:
            return None
        manifest, entry = default, found
    check_constants(name, entry, RELATION_CONSTANTS if name == "relation" else NLI_CONSTANTS)
    return manifest, entry


def read_texts(
    judge: AnyPairJudge, name: ReaderName, pairs: Sequence[TextPair]
) -> Sequence[tuple[float, ...]]:
    """Return what the cross-encoder reads in each pair of texts; loads that of ``auto``."""
    from logic_retrievers.judging import default_nli, default_relation  # loads ONNX Runtime

    if isinstance(judge, ConflictReader):
        return judge(pairs)
    reader = default_relation() if name == "relation" else default_nli()
    assert reader is not None
    return reader(pairs)


def read_conflicts(
    judge: AnyPairJudge,
    name: ReaderName,
    constants: Mapping[str, float],
    pairs: Sequence[CandidatePair],
    passages: Passages,
    without: Collection[str],
) -> tuple[CandidatePair, ...]:
    """Return the pairs with a probability from the cross-encoder, the strongest first."""
    texts = [pair_texts(passages[pair.one], passages[pair.other], without) for pair in pairs]
    judged = []
    for pair, read in zip(pairs, read_texts(judge, name, texts), strict=True):
        probability = conflict_probability(read, pair.own_probability, constants)
        judged.append(replace(pair, probability=round(probability, SCORE_DECIMALS), read=True))
    return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def judge_pairs(
    judge: AnyPairJudge,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    judge_above: float,
) -> Operation[tuple[tuple[CandidatePair, ...], list[Warning]]]:
    """Return the pairs with the judge's probabilities, the strongest first, and warnings.

    A user's judge reads the pairs with an own probability of at least ``judge_above``. If it fails,
    the pairs stay unchanged and a warning is returned, not raised.
    """
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
