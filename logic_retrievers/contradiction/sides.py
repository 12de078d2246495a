"""Several passages about one thing: who stands on which of two sides."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Sides = npt.NDArray[np.int64]

MOST = 10
"""Passages of a group: every way to part them is looked at, and there are 2 ** (MOST - 1)."""
_LEAST = 1e-3


def partings(probabilities: Matrix, leaning: float = 0.0) -> tuple[Sides, Matrix]:
    """Every way to part a group in two sides, and how likely each is.

    A pair is judged badly by itself, and better by what third passages say: whoever contradicts the
    one and agrees with the other speaks for a conflict of the two. A group has one side or two; all
    partings in two are equally likely, and as likely together as there being one side alone; given
    a parting the pairs are taken to be independent.

    Args:
        probabilities: of a contradiction, symmetric, shape (n, n), n from 2 up to :data:`MOST`; the
            diagonal does not count.
        leaning: added to the log-odds of every pair.

    Returns:
        Sides, 0 or 1, shape (2 ** (n - 1), n), one side alone first and the first passage always on
        side 0; and the probability of each parting, shape (2 ** (n - 1),).
    """
    clipped = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds = np.log(clipped) - np.log1p(-clipped) + leaning
    sides, across = _ways(len(probabilities))
    pairs = np.triu_indices(len(probabilities), 1)
    log_across, log_beside = -np.logaddexp(0, -odds[pairs]), -np.logaddexp(0, odds[pairs])
    likely = np.where(across, log_across, log_beside).sum(axis=1)
    likely[1:] -= np.log(len(sides) - 1)
    weights: Matrix = np.exp(likely - likely.max())
    return sides, weights / weights.sum()


def opposite(probabilities: Matrix, leaning: float = 0.0) -> Matrix:
    """How likely each two passages are on opposite sides, summed over all :func:`partings`.

    Args:
        probabilities: as for :func:`partings`; also of a single passage, or of none.
        leaning: as for :func:`partings`.

    Returns:
        Shape (n, n), 0 on the diagonal.
    """
    if len(probabilities) < 2:
        return np.zeros_like(probabilities, dtype=np.float64)
    sides, weights = partings(probabilities, leaning)
    across = sides[:, :, None] != sides[:, None, :]
    found: Matrix = np.einsum("k,kij->ij", weights, across.astype(np.float64))
    return found


@cache
def _ways(count: int) -> tuple[Sides, npt.NDArray[np.bool_]]:
    """The sides of every parting, and which of the pairs lie across."""
    sides = np.array([(0, *rest) for rest in product((0, 1), repeat=count - 1)])
    one, other = np.triu_indices(count, 1)
    return sides, sides[:, one] != sides[:, other]
