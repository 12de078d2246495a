"""The constants by which cosine and sparsity become a score and a probability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

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
        return np.where(np.isnan(logits), 0.0, 1 / (1 + np.exp(-np.nan_to_num(logits))))
