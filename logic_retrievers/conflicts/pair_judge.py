"""Pair judges, which read two texts at once: a bundle's cross-encoders, or a user's model."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias

from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.scorer import TextPair
from logic_retrievers.effects import Operation
from logic_retrievers.encoders.bundle import default_bundle_manifest
from logic_retrievers.encoders.manifest import CrossEncoder, Manifest
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    MalformedAnswerError,
    PairJudgeWarning,
)
from logic_retrievers.judging.judge import ask
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.relation import (
    NLI_CONSTANTS,
    RELATION_CONSTANTS,
    ConflictReader,
    conflict_probability,
    pair_texts,
)
from logic_retrievers.tracing import Attributes, own_attributes, traced
from logic_retrievers.types import SCORE_DECIMALS, Passage

# position in a pair -> passage
Passages: TypeAlias = Sequence[Passage] | Mapping[int, Passage]
PairProbabilities: TypeAlias = Sequence[float | None]
# hash of two texts -> probabilities of the labels, so that no pair is read twice
Readings: TypeAlias = dict[bytes, tuple[float, ...]]
# maximum readings kept, some 40 MB; if new ones exceed this, all earlier ones are forgotten
REMEMBERED = 100_000


class PairJudge(Protocol):
    """Any callable with this signature; an ``async def`` works too.

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
            pairs: pairs of different texts, likeliest contradiction first. An expensive judge may
                stop anywhere and return None for the rest.

        Returns:
            One probability in [0, 1] per pair; None for an unjudged pair.
        """


# reads pairs; ``auto`` means the cross-encoders of the default bundle, if it has them
AnyPairJudge: TypeAlias = Literal["auto"] | ConflictReader | ModelJudge | PairJudge | None
# the cross-encoder for two passages ("relation"), or for a statement and a passage ("nli")
ReaderName: TypeAlias = Literal["relation", "nli"]
_CONSTANTS: Mapping[ReaderName, frozenset[str]] = {
    "relation": RELATION_CONSTANTS,
    "nli": NLI_CONSTANTS,
}


def check_pair_judge(judge: Any) -> None:
    """Refuse a value that is not a judge.

    Raises:
        ConfigurationError: the value is not ``"auto"``, None or a callable.
    """
    is_judge = callable(judge) and not isinstance(judge, type)
    if judge is not None and judge != "auto" and not is_judge:
        raise ConfigurationError(
            "judge is 'auto', None or a callable that reads pairs of texts; see PairJudge"
        )
    if isinstance(judge, ModelJudge) and not judge.compares:
        raise ConfigurationError(
            f"{judge!r} reads a query and a passage, and cannot tell if two passages contradict"
            " each other; pass an NLI model, a ChatJudge or a callable"
        )


def _describe_reading(
    read: Sequence[object], reader: Reader, pairs: Sequence[TextPair]
) -> Attributes:
    return own_attributes(judge=reader.name, pairs=len(pairs), answered=len(read))


@dataclass(frozen=True, slots=True)
class Reader:
    """A judge's cross-encoder, loaded at the first reading.

    Args:
        name: kind of pairs that the cross-encoder reads.
        manifest: manifest of the bundle.
        entry: the cross-encoder's entry in the manifest.
        model: the cross-encoder; None for the package's bundle.
    """

    name: ReaderName
    manifest: Manifest
    entry: CrossEncoder
    model: ConflictReader | None = None

    @classmethod
    def of(cls, judge: AnyPairJudge, *names: ReaderName) -> Reader | None:
        """Return the reader of a judge; None if the judge has none.

        ``names``: accepted kinds of pairs; the package's bundle reads the first kind.

        Raises:
            ConfigurationError: the judge reads pairs of a different kind.
            BundleError: the judge's bundle lacks a constant.
        """
        if isinstance(judge, ConflictReader):
            found = [name for name in names if name == judge.entry_name]
            if not found:
                raise ConfigurationError(
                    f"{type(judge).__name__} does not read this; pass judging.OnnxRelation"
                )
            reader = cls(found[0], judge.manifest, judge.entry, judge)
        else:
            manifest = default_bundle_manifest() if judge == "auto" else None
            entry = None if manifest is None else getattr(manifest, names[0])
            if manifest is None or entry is None:
                return None
            reader = cls(names[0], manifest, entry)
        if missing := sorted(_CONSTANTS[reader.name] - reader.entry.constants.keys()):
            raise BundleError(
                f"the bundle's {reader.name} has no constant {missing[0]!r}; export it again"
            )
        return reader

    @property
    def constants(self) -> Mapping[str, float]:
        return self.entry.constants

    @property
    def fingerprint(self) -> str:
        return self.manifest.cross_encoder_fingerprint(self.entry)

    @traced("read_pairs", "CHAIN", _describe_reading)
    def read(self, pairs: Sequence[TextPair]) -> Sequence[tuple[float, ...]]:
        """Return the probabilities of the model's labels, for each pair of texts."""
        from logic_retrievers.judging import default_nli, default_relation  # loads ONNX Runtime

        model = self.model
        if model is None:
            model = default_relation() if self.name == "relation" else default_nli()
        assert model is not None
        return model(pairs)

    def judge(
        self,
        pairs: Sequence[CandidatePair],
        passages: Passages,
        without: Collection[str] = (),
        readings: Readings | None = None,
    ) -> tuple[CandidatePair, ...]:
        """Return the pairs with their readings, the strongest first.

        ``without``: metadata keys hidden from the cross-encoder. ``readings`` holds earlier
        readings, which are reused, and receives new ones.
        """
        readings = {} if readings is None else readings
        texts = [pair_texts(passages[pair.one], passages[pair.other], without) for pair in pairs]
        keys = [sha256(repr(text).encode(errors="surrogatepass")).digest() for text in texts]
        known = {key: read for key in keys if (read := readings.get(key))}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        fresh = self.read(list(new.values())) if new else ()
        for key, shares in zip(new, fresh, strict=True):
            known[key] = tuple(round(share, SCORE_DECIMALS) for share in shares)
        if len(readings) + len(new) > REMEMBERED:
            readings.clear()
        readings |= known
        judged = []
        for pair, key in zip(pairs, keys, strict=True):
            probability = conflict_probability(known[key], pair.own_probability, self.constants)
            judged.append(
                replace(pair, judged=round(probability, SCORE_DECIMALS), reading=known[key])
            )
        return tuple(sorted(judged, key=lambda pair: pair.sort_key))


def judge_pairs(
    judge: AnyPairJudge,
    pairs: Sequence[CandidatePair],
    passages: Passages,
    judge_above: float,
) -> Operation[tuple[tuple[CandidatePair, ...], list[Warning]]]:
    """Return the pairs with the judge's probabilities, the strongest first, and warnings.

    A user's judge reads the pairs with ``own_probability`` >= ``judge_above``. If the judge fails,
    the pairs stay unchanged, and a warning is returned, not issued.
    """
    own_judge = judge if callable(judge) else None
    if isinstance(judge, ModelJudge):
        own_judge = judge.contradictions
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
                judged[number] = replace(judged[number], judged=round(probability, 6))
    judged.sort(key=lambda pair: pair.sort_key)
    return tuple(judged), [PairJudgeWarning(reply.warning)] if reply.warning else []


def _check_probability(value: Any) -> float:
    if not (isinstance(value, Real) and 0 <= float(value) <= 1):
        raise MalformedAnswerError("an answer is None or a probability between 0 and 1")
    return float(value)
