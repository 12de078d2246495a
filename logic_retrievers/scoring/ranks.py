"""From scores to an order. Ties fall by position, so sort the candidates by id beforehand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def ranking(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Indices of the candidates, best score first; ties by position, NaN last.

    Args:
        scores: shape (candidates,).
    """
    return np.argsort(-scores, kind="stable")


def ordinal_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """1-based rank of every candidate, no two alike; 0 where the score is NaN (no rank).

    Args:
        scores: shape (candidates,).
    """
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[ranking(scores)] = np.arange(1, len(scores) + 1)
    ranks[np.isnan(scores)] = 0
    return ranks
