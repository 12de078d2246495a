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
