"""One passage against others: cosine, sparsity, score and probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.settings import ContradictionSettings
from logic_retrievers.scoring import cosine, sparsity

TOPICAL = "topical"
CONTRADICTION = "contradiction"
VECTORS = (TOPICAL, CONTRADICTION)
"""The named vectors that a contradiction is judged by."""

Rows = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgements:
    """Of one passage against n others; every array has shape (n,).

    Args:
        cosines: of the topical vectors.
        sparsities: Hoyer, of the differences of the contradiction vectors; NaN for a copy.
        scores: F, what pairs are ordered by; NaN for a copy.
        probabilities: of a contradiction; 0 for a copy.
    """

    cosines: Values
    sparsities: Values
    scores: Values
    probabilities: Values


def judge(
    one: Mapping[str, Rows], others: Mapping[str, Rows], settings: ContradictionSettings
) -> Judgements:
    """Judges a passage against others (Xu et al. 2024, F).

    Args:
        one: vector name -> shape (dimension,), for the names in :data:`VECTORS`.
        others: vector name -> shape (n, dimension).
        settings: of the contradiction vector.
    """
    cosines = np.asarray(cosine(one[TOPICAL], others[TOPICAL]), dtype=np.float64)
    sparsities = sparsity(one[CONTRADICTION], others[CONTRADICTION]).astype(np.float64)
    return Judgements(
        cosines,
        sparsities,
        settings.score(cosines, sparsities),
        settings.probability(cosines, sparsities),
    )
