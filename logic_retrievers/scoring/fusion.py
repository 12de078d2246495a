"""Joining several scores of one candidate into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


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
    """``(1 - share) * first + share * second``; where one is missing, the other alone.

    So a candidate that lacks a vector, in a collection that is not back-filled yet, keeps a score
    that compares with the others'.

    Args:
        first: shape (candidates,), NaN where a candidate has no such vector.
        second: the same; -1 comes out where a candidate has neither.
        share: of the second, in [0, 1].
    """
    mean = (1 - share) * first + share * second
    mean = np.where(np.isnan(second), first, np.where(np.isnan(first), second, mean))
    return np.nan_to_num(mean, nan=-1.0)


def weighted_sum(
    scores: Sequence[npt.NDArray[np.float64]], weights: Sequence[float]
) -> npt.NDArray[np.float64]:
    """``sum of weight * score`` a candidate (CoDeR, eq. 8 and 11).

    Args:
        scores: arrays of shape (candidates,), one a signal.
        weights: one a signal.
    """
    total = np.zeros(len(scores[0]), dtype=np.float64)
    for weight, column in zip(weights, scores, strict=True):
        total += weight * column
    return total
