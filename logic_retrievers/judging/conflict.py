"""The probability of a contradiction: what two vectors say and what a judge read, as one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from logic_retrievers.errors import BundleError
from logic_retrievers.judging.judge import LABELS
from logic_retrievers.judging.pair_kinds import PAIR_KINDS

Use: TypeAlias = Literal["passages", "statements"]
"""Of a judge: two passages of a list, or a statement beside a passage."""

_NLI = tuple(f"nli_{label}" for label in LABELS)
WEIGHTS: Mapping[Use, tuple[str, ...]] = {
    "passages": ("intercept", "own", "cosine", *PAIR_KINDS, *_NLI),
    "statements": ("intercept", "own", "nli_margin"),
}
"""Of the regressions, by name."""

CONSTANTS = frozenset(
    {"passages_drop_above", *(f"{use}_{name}" for use in WEIGHTS for name in WEIGHTS[use])}
    | {f"{use}_threshold" for use in WEIGHTS}
)
"""Those of a bundle's NLI, which make one probability of what is read and what vectors say."""

_LEAST_READ = 1e-3
_LEAST_OWN = 1e-4


@dataclass(frozen=True, slots=True)
class ConflictConstants:
    """A logistic regression over what the vectors say and what was read, and its thresholds.

    Args:
        use: what is judged.
        threshold: least probability of a conflict.
        drop_above: least probability of one for which a passage may be dropped; by default the
            threshold.
        weights: of :data:`WEIGHTS`: the intercept; the log-odds of what the vectors alone say; of
            passages the cosine of the topical vectors and the logarithms of the probabilities that
            were read; of statements the probability of contradiction less that of entailment.
    """

    use: Use
    threshold: float
    drop_above: float
    weights: tuple[float, ...]

    @classmethod
    def of(cls, constants: Mapping[str, float], use: Use) -> ConflictConstants:
        """Those among a bundle's constants of its NLI.

        Raises:
            BundleError: some of them are missing.
        """
        names = [f"{use}_{name}" for name in ("threshold", *WEIGHTS[use])]
        if missing := [name for name in names if name not in constants]:
            raise BundleError(f"the bundle's NLI has no constant {missing[0]!r}; export it again")
        threshold, *weights = (constants[name] for name in names)
        return cls(use, threshold, constants.get(f"{use}_drop_above", threshold), tuple(weights))

    def probability(self, own: float, cosine: float, read: Sequence[float]) -> float:
        """Probability that two passages contradict each other, in [0, 1].

        Args:
            own: what the vectors alone say.
            cosine: of the topical vectors.
            read: as the :class:`ConflictReader` of the use returns it.
        """
        features = conflict_features(self.use, own, cosine, read)
        logit = sum(w * x for w, x in zip(self.weights, features, strict=True))
        return (1 + math.tanh(logit / 2)) / 2


@dataclass(frozen=True, slots=True)
class ConflictReader:
    """What reads pairs of texts for one use, and its constants."""

    constants: ConflictConstants
    read: Callable[[Sequence[tuple[str, str]]], Sequence[tuple[float, ...]]]


@runtime_checkable
class ConflictJudge(Protocol):
    """What reads two texts, with weights of its own: :class:`OnnxConflictJudge`."""

    @property
    def passages(self) -> ConflictReader:
        """Reads two passages: probabilities of :data:`PAIR_KINDS`, then of :data:`LABELS`."""

    @property
    def statements(self) -> ConflictReader:
        """Reads a statement and a passage: probabilities of :data:`LABELS`."""


def conflict_features(
    use: Use, own: float, cosine: float, read: Sequence[float]
) -> tuple[float, ...]:
    """What each weight weighs: arguments as of ``ConflictConstants.probability``.

    How near a passage is to a statement does not say whether it is right. Where inference says
    neither, the logarithms of the two small probabilities left are noise, and their difference is
    not.
    """
    own = min(max(own, _LEAST_OWN), 1 - _LEAST_OWN)
    log_odds = math.log(own / (1 - own))
    if use == "statements":
        entailment, _, contradiction = read
        return (1.0, log_odds, contradiction - entailment)
    logs = (math.log(max(probability, _LEAST_READ)) for probability in read)
    return (1.0, log_odds, cosine, *logs)
