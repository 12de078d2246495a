"""The probability of a contradiction: what two vectors say and what was read together, as one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from logic_retrievers.errors import BundleError
from logic_retrievers.judging.pair_kinds import PAIR_KINDS

WEIGHTS = ("intercept", "own", "cosine", *PAIR_KINDS)
"""Of the regression, by name; a bundle has them as constants, with the prefix ``conflict_``."""

_PREFIX = "conflict_"
_THRESHOLD = 0.5
_LEAST_READ = 1e-3
_LEAST_OWN = 1e-4


@dataclass(frozen=True, slots=True)
class ConflictConstants:
    """A logistic regression over what the vectors say and what was read, and its threshold.

    Args:
        threshold: least probability of a conflict.
        weights: of :data:`WEIGHTS`: the intercept; the log-odds of what the vectors alone say; the
            cosine of the topical vectors; the logarithms of the probabilities of
            :data:`PAIR_KINDS`. Where there are none, the probability of a contradiction among the
            kinds counts alone.
    """

    threshold: float
    weights: tuple[float, ...] | None = None

    @classmethod
    def of(cls, constants: Mapping[str, float]) -> ConflictConstants:
        """Those among a bundle's constants of its pair kinds.

        Raises:
            BundleError: some of the weights are missing.
        """
        threshold = constants.get("threshold", _THRESHOLD)
        threshold = constants.get(f"{_PREFIX}threshold", threshold)
        missing = [name for name in WEIGHTS if f"{_PREFIX}{name}" not in constants]
        if len(missing) == len(WEIGHTS):
            return cls(threshold)
        if missing:
            raise BundleError(
                f"pair kinds with weights lack {_PREFIX}{missing[0]}; export them again"
            )
        return cls(threshold, tuple(constants[f"{_PREFIX}{name}"] for name in WEIGHTS))

    def probability(self, own: float, cosine: float, kinds: Sequence[float]) -> float:
        """Probability that two passages contradict each other, in [0, 1].

        Args:
            own: what the vectors alone say.
            cosine: of the topical vectors.
            kinds: probabilities of :data:`PAIR_KINDS`.
        """
        if self.weights is None:
            return kinds[0]
        features = conflict_features(own, cosine, kinds)
        logit = sum(w * x for w, x in zip(self.weights, features, strict=True))
        return (1 + math.tanh(logit / 2)) / 2


def conflict_features(own: float, cosine: float, kinds: Sequence[float]) -> tuple[float, ...]:
    """What each of :data:`WEIGHTS` weighs: arguments as of ``ConflictConstants.probability``."""
    own = min(max(own, _LEAST_OWN), 1 - _LEAST_OWN)
    logs = (math.log(max(probability, _LEAST_READ)) for probability in kinds)
    return (1.0, math.log(own / (1 - own)), cosine, *logs)
