"""Prepare two texts for a cross-encoder, and compute the probability that they conflict."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.encoders.manifest import CrossEncoder, Manifest
from logic_retrievers.judging.judge import nearest_sentences
from logic_retrievers.types import Passage

# How the first of two passages relates to the second: both cannot be true; older state of the same
# thing; newer state; both true, of different things or cases; same in other words; unrelated.
RELATIONS = ("contradiction", "superseded", "supersedes", "scope", "paraphrase", "unrelated")
# those of two passages in conflict
ConflictRelation: TypeAlias = Literal["contradiction", "superseded", "supersedes"]

# constants of a bundle's relation model (two passages) and NLI model (statement and passage)
RELATION_CONSTANTS = frozenset({"threshold", "hide_above"})
NLI_CONSTANTS = frozenset({"threshold", "intercept", "own", "margin"})

# words read per passage, from its sentences nearest to the other passage
MAX_WORDS = 45
# metadata values with more characters count as texts, not labels
_MAX_VALUE = 40
_MAX_KEYS = 6


def turned(relation: Sequence[float]) -> tuple[float, ...]:
    """Return the probabilities for the same two passages in reverse order."""
    conflict, superseded, supersedes, *rest = relation
    return (conflict, supersedes, superseded, *rest)


def conflict_share(relation: Sequence[float]) -> float:
    """Return the probability of a contradiction or of two states of the same thing."""
    contradiction, superseded, supersedes = relation[:3]
    # these parentheses make the rounded sum equal for both orders of the passages
    return min(1.0, contradiction + (superseded + supersedes))


def conflict_relation(relation: Sequence[float]) -> ConflictRelation:
    """Return how two passages in conflict relate: the likelier of a contradiction and two states.

    Two states count together, since they differ only in which one is older.
    """
    contradiction, superseded, supersedes = relation[:3]
    if contradiction >= superseded + supersedes:
        return "contradiction"
    return "superseded" if superseded >= supersedes else "supersedes"


def with_metadata(text: str, metadata: Mapping[str, Any]) -> str:
    """Append metadata in brackets, because two passages may differ only in metadata."""
    words = "; ".join(f"{key}: {value}" for key, value in metadata.items())
    return f"{text} ({words})" if words else text


def pair_texts(one: Passage, other: Passage, without: Collection[str] = ()) -> tuple[str, str]:
    """Return excerpts of two passages with short metadata, except keys in ``without``."""
    first, second = pair_sentences(one.text, other.text)
    return (
        with_metadata(first, _labels(one.metadata, without)),
        with_metadata(second, _labels(other.metadata, without)),
    )


def pair_sentences(one: str, other: str) -> tuple[str, str]:
    """Return each text's sentences nearest to the other text."""
    return nearest_sentences(one, other, MAX_WORDS), nearest_sentences(other, one, MAX_WORDS)


def _labels(metadata: Mapping[str, Any], without: Collection[str]) -> dict[str, Any]:
    short = [
        (key, value)
        for key, value in metadata.items()
        if key not in without
        and isinstance(value, str | int | float)
        and len(str(value)) <= _MAX_VALUE
    ]
    return dict(short[:_MAX_KEYS])


@runtime_checkable
class ConflictReader(Protocol):
    """A bundle's cross-encoder that reads two texts: ``OnnxRelation`` or ``OnnxNLI``."""

    @property
    def entry_name(self) -> str:
        """Name of the cross-encoder in a manifest: ``relation`` or ``nli``."""

    @property
    def manifest(self) -> Manifest:
        """Manifest of the bundle."""

    @property
    def entry(self) -> CrossEncoder:
        """Entry of the cross-encoder in the manifest."""

    def __call__(self, pairs: Sequence[tuple[str, str]], /) -> Sequence[tuple[float, ...]]:
        """Return the probabilities of the labels for each pair."""


def conflict_probability(
    read: Sequence[float], own: float, constants: Mapping[str, float]
) -> float:
    """Return the probability that two texts contradict each other, in [0, 1].

    For two passages it is the sum of the first three :data:`RELATIONS`: a contradiction, or two
    states of the same thing. For a statement and a passage, a logistic regression combines NLI's
    probabilities with the vectors' probability.

    Args:
        read: probabilities of the reader's labels.
        own: probability from the vectors alone.
        constants: constants of the reader's entry in the manifest.
    """
    if len(read) == len(RELATIONS):
        return conflict_share(read)
    entailment, _, contradiction = read
    own = min(max(own, 1e-4), 1 - 1e-4)
    logit = (
        constants["intercept"]
        + constants["own"] * math.log(own / (1 - own))
        + constants["margin"] * (contradiction - entailment)
    )
    return (1 + math.tanh(logit / 2)) / 2
