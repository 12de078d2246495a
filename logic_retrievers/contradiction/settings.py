"""The constants by which cosine and sparsity become a score and a probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import VectorSpec

TOPICAL = "topical"
CONTRADICTION = "contradiction"
VECTORS = (TOPICAL, CONTRADICTION)
"""The named vectors that a contradiction is judged by."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionSettings:
    """Constants of one contradiction vector, found on development data and kept in its bundle.

    Args:
        alpha: weight of the sparsity in the score (Xu et al. 2024: F = cosine + alpha * Hoyer).
        null_mean, null_deviation: of the Hoyer sparsity of pairs that have nothing to do with each
            other; sparsity enters the probability as deviations from there, so that these two alone
            have to be found anew for a corpus of another kind.
        intercept, cosine_weight, sparsity_weight: of the logistic regression that gives the
            probability.
        threshold: least probability of a conflict.

    Raises:
        ConfigurationError: a value out of its range.
    """

    alpha: float
    null_mean: float
    null_deviation: float
    intercept: float
    cosine_weight: float
    sparsity_weight: float
    threshold: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ConfigurationError(f"{field.name} must be a number, not {value!r}")
            if not math.isfinite(value):
                raise ConfigurationError(f"{field.name} must be finite, not {value!r}")
        if self.alpha < 0:
            raise ConfigurationError(f"alpha must be at least 0, not {self.alpha}")
        if self.null_deviation <= 0:
            raise ConfigurationError(f"null_deviation must be over 0, not {self.null_deviation}")
        if not 0 < self.threshold < 1:
            raise ConfigurationError(f"threshold must lie between 0 and 1, not {self.threshold}")

    @classmethod
    def from_constants(cls, constants: Mapping[str, float]) -> Self:
        """From the mapping in a bundle.

        Raises:
            ConfigurationError: a constant is missing, unknown or out of its range.
        """
        names = {field.name for field in fields(cls)}
        if wrong := sorted(names ^ constants.keys()):
            raise ConfigurationError(
                f"the constants of the contradiction vector lack or do not know {', '.join(wrong)}"
            )
        return cls(**constants)

    def with_threshold(self, threshold: float) -> Self:
        """The same with another least probability."""
        return replace(self, threshold=threshold)

    def score(self, cosines: Values, sparsities: Values) -> Values:
        """F: what pairs are ordered by. NaN where the sparsity is.

        Args:
            cosines: of the topical vectors, any shape.
            sparsities: Hoyer sparsities of the differences of the contradiction vectors.
        """
        return cosines + self.alpha * sparsities

    def probability(self, cosines: Values, sparsities: Values) -> Values:
        """How likely each pair is to contradict, in [0, 1]; 0 where the sparsity is NaN.

        Two copies of one text do not contradict each other.
        """
        deviations = (sparsities - self.null_mean) / self.null_deviation
        logits = self.intercept + self.cosine_weight * cosines + self.sparsity_weight * deviations
        return np.where(np.isnan(logits), 0.0, (1 + np.tanh(np.nan_to_num(logits) / 2)) / 2)


def check_probability(name: str, value: Any) -> None:
    """Refuses what is no number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigurationError(f"{name} must lie between 0 and 1, not {value!r}")


def settings_for(
    specs: Mapping[str, VectorSpec],
    settings: ContradictionSettings | None = None,
    *,
    alpha: float | None = None,
    threshold: float | None = None,
) -> ContradictionSettings:
    """The constants to judge an encoder's vectors by.

    Args:
        specs: of the encoder.
        settings: of the user's own; by default those that the encoder brings.
        alpha: instead of theirs.
        threshold: instead of theirs.

    Raises:
        ConfigurationError: the encoder lacks a vector that is needed, or brings no constants; or a
            value is out of its range.
    """
    if missing := [name for name in VECTORS if name not in specs]:
        raise ConfigurationError(
            f"Contradictions are judged by the vectors {' and '.join(VECTORS)}, and this encoder "
            f"makes no {missing[0]!r} (only {', '.join(specs)}). Use a bundle with a contradiction "
            "head, or put an encoder that has one beside yours with CombinedEncoder."
        )
    if settings is None:
        constants = specs[CONTRADICTION].contradiction
        if constants is None:
            raise ConfigurationError(
                f"This encoder brings no constants for its {CONTRADICTION!r} vector. Find them on "
                "labelled pairs of your own and pass settings=ContradictionSettings(...), or use a "
                "bundle that has them."
            )
        settings = ContradictionSettings.from_constants(constants)
    if not isinstance(settings, ContradictionSettings):
        raise ConfigurationError(f"settings must be ContradictionSettings, not {settings!r}")
    changed = {"alpha": alpha, "threshold": threshold}
    return replace(settings, **{k: value for k, value in changed.items() if value is not None})
