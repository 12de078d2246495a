"""Compute the probability of a contradiction from two vectors and the output of a judge."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import BundleError

# kind of pair: two passages of a list, or a statement and a passage
Use: TypeAlias = Literal["passages", "statements"]

# names of the weights of the two regressions
WEIGHTS: Mapping[Use, tuple[str, ...]] = {
    "passages": ("intercept", "own", "relation"),
    "statements": ("intercept", "own", "nli_margin"),
}

# calibration constants of a bundle's NLI, which combine its output with the vectors' score
CONSTANTS = frozenset(
    {"passages_drop_above", *(f"{use}_{name}" for use in WEIGHTS for name in WEIGHTS[use])}
    | {f"{use}_threshold" for use in WEIGHTS}
)

_LEAST = 1e-4


@dataclass(frozen=True, slots=True)
class ConflictConstants:
    """A logistic regression over the vectors' score and the judge's output, with its thresholds.

    Args:
        use: kind of pair.
        threshold: least probability of a conflict.
        drop_above: least probability of a conflict at which a passage may be dropped.
        weights: weights named in :data:`WEIGHTS`; see :func:`conflict_features`.
    """

    use: Use
    threshold: float
    drop_above: float
    weights: tuple[float, ...]

    @classmethod
    def of(cls, constants: Mapping[str, float], use: Use) -> ConflictConstants:
        """Pick the constants of one use from those of a bundle's NLI."""
        names = [f"{use}_{name}" for name in ("threshold", *WEIGHTS[use])]
        if missing := [name for name in names if name not in constants]:
            raise BundleError(f"the bundle's NLI has no constant {missing[0]!r}; export it again")
        threshold, *weights = (constants[name] for name in names)
        return cls(use, threshold, constants.get(f"{use}_drop_above", threshold), tuple(weights))

    def probability(self, own: float, read: Sequence[float]) -> float:
        """Return the probability that two texts contradict each other, in [0, 1].

        Args:
            own: probability from the vectors alone.
            read: probabilities that the :class:`ConflictReader` for this use returned.
        """
        features = conflict_features(self.use, own, read)
        logit = sum(w * x for w, x in zip(self.weights, features, strict=True))
        return (1 + math.tanh(logit / 2)) / 2


@dataclass(frozen=True, slots=True)
class ConflictReader:
    """A function that reads pairs of texts of one use, and its constants."""

    constants: ConflictConstants
    read: Callable[[Sequence[tuple[str, str]]], Sequence[tuple[float, ...]]]


@runtime_checkable
class ConflictJudge(Protocol):
    """Reads two texts with a model of its own, as :class:`OnnxConflictJudge` does."""

    @property
    def passages(self) -> ConflictReader:
        """Reads two passages: probabilities of :data:`RELATIONS`."""

    @property
    def statements(self) -> ConflictReader:
        """Reads a statement and a passage: probabilities of :data:`LABELS`."""


def conflict_features(use: Use, own: float, read: Sequence[float]) -> tuple[float, ...]:
    """Return the feature of each weight; for arguments see ``ConflictConstants.probability``.

    Passages have the log-odds of a contradiction or another state of the same thing. Statements
    have the probability of contradiction minus that of entailment.
    """
    if use == "statements":
        entailment, _, contradiction = read
        return (1.0, _log_odds(own), contradiction - entailment)
    return (1.0, _log_odds(own), _log_odds(sum(read[:3])))


def _log_odds(probability: float) -> float:
    clipped = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(clipped / (1 - clipped))
