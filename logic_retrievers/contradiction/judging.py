"""One passage against others, or pair by pair: cosine, sparsity, score and probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.settings import (
    CONTRADICTION,
    TOPICAL,
    VECTORS,
    ContradictionSettings,
)
from logic_retrievers.scoring import Sparsity, cosine, normalised, sparsity

__all__ = [
    "CONTRADICTION",
    "TOPICAL",
    "VECTORS",
    "Judgements",
    "judge",
    "judge_pairs",
]

Rows = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Of n pairs; every array has shape (n,).

    Args:
        cosines: of the topical vectors.
        sparsities: of the differences of the contradiction vectors; NaN for a copy.
        scores: F, what pairs are ordered by; NaN for a copy.
        probabilities: of a contradiction; 0 for a copy.
    """

    cosines: Values
    sparsities: Values
    scores: Values
    probabilities: Values


def judge(
    one: Mapping[str, Rows],
    others: Mapping[str, Rows],
    settings: ContradictionSettings,
    measure: Sparsity = "hoyer",
) -> Judgements:
    """Judges a passage against others (Xu et al. 2024, F).

    Args:
        one: vector name -> shape (dimension,), for the names in :data:`VECTORS`.
        others: vector name -> shape (n, dimension).
        settings: of the contradiction vector.
        measure: of the sparsity in the score; the probability is that of Hoyer in any case, which
            its constants were found for.
    """
    return _judged(
        cosine(one[TOPICAL], others[TOPICAL]),
        one[CONTRADICTION],
        others[CONTRADICTION],
        settings,
        measure,
    )


def judge_pairs(
    left: Mapping[str, Rows],
    right: Mapping[str, Rows],
    settings: ContradictionSettings,
    measure: Sparsity = "hoyer",
) -> Judgements:
    """Judges the passages of each row, one on the left against one on the right.

    Args:
        left: vector name -> shape (n, dimension), for the names in :data:`VECTORS`.
        right: likewise.
        settings: of the contradiction vector.
        measure: as for :func:`judge`.
    """
    here, there = (normalised(side[TOPICAL].astype(np.float64)) for side in (left, right))
    cosines = np.einsum("ij,ij->i", here, there)
    differences = left[CONTRADICTION] - right[CONTRADICTION]
    centre = np.zeros(differences.shape[1], dtype=differences.dtype)
    return _judged(cosines, centre, differences, settings, measure)


def _judged(
    cosines: Rows,
    one: Rows,
    others: Rows,
    settings: ContradictionSettings,
    measure: Sparsity,
) -> Judgements:
    topical = cosines.astype(np.float64)
    hoyer = sparsity(one, others).astype(np.float64)
    used = hoyer if measure == "hoyer" else sparsity(one, others, measure).astype(np.float64)
    return Judgements(
        topical, used, settings.score(topical, used), settings.probability(topical, hoyer)
    )
