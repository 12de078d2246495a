"""Constants that map cosine and sparsity to a score and a probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import Field

from logic_retrievers.checks import check_type
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.overrides import NonNegative, Overrides

TOPICAL = "topical"
CONTRADICTION = "contradiction"
# names of the vectors by which a contradiction is judged
VECTORS = (TOPICAL, CONTRADICTION)

Values = npt.NDArray[np.float64]


class ContradictionSettings(Overrides):
    """Overrides of :class:`ContradictionConstants`; a field set to None keeps the bundle's value.

    ``ContradictionSettings(threshold=0.5)`` changes only the threshold. ``alpha`` changes the order
    of pairs, but not which pairs are conflicts: the probability uses ``sparsity_weight``.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    alpha: NonNegative | None = None
    null_mean: float | None = None
    null_deviation: Annotated[float, Field(gt=0)] | None = None
    intercept: float | None = None
    cosine_weight: float | None = None
    sparsity_weight: float | None = None
    threshold: Annotated[float, Field(gt=0, lt=1)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionConstants:
    """Constants of a contradiction vector, fitted on development data, from a bundle's manifest.

    Args:
        alpha: weight of the sparsity in the score (Xu et al. 2024: F = cosine + alpha * Hoyer).
        null_mean, null_deviation: mean and deviation of the Hoyer sparsity of unrelated pairs. The
            probability uses how many deviations a sparsity is above this mean.
        intercept, cosine_weight, sparsity_weight: weights of the logistic regression for the
            probability.
        threshold: least probability of a conflict.
    """

    alpha: float
    null_mean: float
    null_deviation: float
    intercept: float
    cosine_weight: float
    sparsity_weight: float
    threshold: float

    def score(self, cosines: Values, sparsities: Values) -> Values:
        """Return F, which orders pairs; NaN where the sparsity is NaN.

        Args:
            cosines: cosines of the topical vectors, any shape.
            sparsities: Hoyer sparsities of the differences of the contradiction vectors.
        """
        return cosines + self.alpha * sparsities

    def probability(self, cosines: Values, sparsities: Values) -> Values:
        """Return the probability that each pair contradicts, in [0, 1].

        It is 0 where the sparsity is NaN, because copies of one text do not contradict each other.
        """
        deviations = (sparsities - self.null_mean) / self.null_deviation
        logits = self.intercept + self.cosine_weight * cosines + self.sparsity_weight * deviations
        return np.where(np.isnan(logits), 0.0, (1 + np.tanh(np.nan_to_num(logits) / 2)) / 2)


def merge_constants(
    specs: Mapping[str, VectorSpec],
    settings: ContradictionSettings | None = None,
    *,
    alpha: float | None = None,
    threshold: float | None = None,
) -> ContradictionConstants:
    """Merge the user's settings with the constants of an encoder's bundle.

    ``alpha`` and ``threshold`` take precedence over ``settings``.

    Raises:
        ConfigurationError: the encoder lacks a vector, constants are missing or unknown, or a value
            is out of its range.
    """
    if missing := [name for name in VECTORS if name not in specs]:
        raise ConfigurationError(
            f"Contradictions are judged by the vectors {' and '.join(VECTORS)}, and this encoder "
            f"makes no {missing[0]!r} (only {', '.join(specs)}). Use a bundle with a contradiction "
            "head, or combine your encoder with one that has it in a CombinedEncoder."
        )
    if settings is None:
        settings = ContradictionSettings()
    check_type("settings", settings, ContradictionSettings)
    changes = {"alpha": alpha, "threshold": threshold}
    given = {name: value for name, value in changes.items() if value is not None}
    settings = ContradictionSettings(**{**settings.overrides(), **given})
    constants = specs[CONTRADICTION].contradiction
    names = ContradictionSettings.model_fields.keys()
    if constants is None and settings.model_fields_set != names:
        raise ConfigurationError(
            f"This encoder brings no constants for its {CONTRADICTION!r} vector. Find them on "
            "labelled pairs of your own and pass all of them in "
            "settings=ContradictionSettings(...), or use a bundle that has them."
        )
    merged = settings.over(constants).overrides()
    if missing := [name for name in names if name not in merged]:
        raise ConfigurationError(
            f"the encoder's bundle has no constant {', '.join(missing)}; set it in the settings"
        )
    return ContradictionConstants(**merged)
