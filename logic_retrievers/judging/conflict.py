"""From what a cross-encoder reads in two texts to the probability that they contradict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from logic_retrievers.encoders.manifest import CrossEncoder, Manifest
from logic_retrievers.judging.relation import RELATIONS, conflict_share

# constants of a bundle's cross-encoders for two passages, and for a statement and a passage
RELATION_CONSTANTS = frozenset({"threshold", "hide_above"})
NLI_CONSTANTS = frozenset({"threshold", "intercept", "own", "margin"})


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
        """Return the probabilities of the labels, for each pair."""


def conflict_probability(
    read: Sequence[float], own: float, constants: Mapping[str, float]
) -> float:
    """Return the probability that two texts contradict each other, in [0, 1].

    Two passages are in conflict if they contradict each other or are two states of one thing: the
    first three :data:`RELATIONS`. Of a statement and a passage a logistic regression makes it from
    what NLI says and from the vectors' probability.

    Args:
        read: probabilities of the reader's labels.
        own: probability from the vectors alone.
        constants: those of the reader's entry in the manifest.
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
