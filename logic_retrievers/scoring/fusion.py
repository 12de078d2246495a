"""Ranks from scores, and one score from several. Ties fall by position: sort candidates by id."""

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
    """1-based rank of every candidate, all different; 0 where the score is NaN (no rank).

    Args:
        scores: shape (candidates,).
    """
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[ranking(scores)] = np.arange(1, len(scores) + 1)
    ranks[np.isnan(scores)] = 0
    return ranks


def reciprocal_ranks(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """``1 / rank`` (CoDeR, eq. 10); 0 for a candidate without a rank (rank 0).

    Args:
        ranks: 1-based, shape (candidates,).
    """
    result = np.zeros(len(ranks), dtype=np.float64)
    np.divide(1.0, ranks, out=result, where=ranks > 0)
    return result


def mixed_cosines(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], share: float
) -> npt.NDArray[np.float64]:
    """``(1 - share) * first + share * second``, or one of them if the other is missing.

    In a collection that is not back-filled yet, a candidate without a vector then has a score that
    compares with the others'.

    Args:
        first: shape (candidates,), NaN where a candidate has no such vector.
        second: the same; -1 comes out where a candidate has neither.
        share: of the second, in [0, 1].
    """
    mean = (1 - share) * first + share * second
    mean = np.where(np.isnan(second), first, np.where(np.isnan(first), second, mean))
    return np.nan_to_num(mean, nan=-1.0)
