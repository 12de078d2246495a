"""Several passages about one thing: who stands on which of two sides."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

MOST = 10
"""Passages of a group: every way to part them is looked at, and there are 2 ** (MOST - 1)."""
LEANING = 1.0
"""Added to the log-odds of every pair; found on ConflictQA's dev part, with the threshold."""
OPPOSED = 0.8
"""Probability from which a passage counts as being on the other side of a trusted one."""
_LEAST = 1e-3


def opposite(probabilities: Matrix) -> Matrix:
    """How likely each two passages are on opposite sides, given how all of them stand.

    A pair is judged badly by itself, and better by what third passages say: whoever contradicts the
    one and agrees with the other speaks for a conflict of the two. A group has one side or two; all
    partings in two are equally likely, and as likely together as there being one side alone; given
    a parting the pairs are taken to be independent. The posterior is summed over all partings.

    Args:
        probabilities: of a contradiction, symmetric, shape (n, n), n up to :data:`MOST`; the
            diagonal does not count.

    Returns:
        Shape (n, n), 0 on the diagonal.
    """
    count = len(probabilities)
    if count < 2:
        return np.zeros((count, count))
    clipped = np.clip(probabilities, _LEAST, 1 - _LEAST)
    odds = np.log(clipped) - np.log1p(-clipped) + LEANING
    sides = np.array([(0, *rest) for rest in product((0, 1), repeat=count - 1)])
    across = sides[:, :, None] != sides[:, None, :]
    pairs = np.triu_indices(count, 1)
    log_across, log_beside = -np.logaddexp(0, -odds[pairs]), -np.logaddexp(0, odds[pairs])
    likely = np.where(across[:, pairs[0], pairs[1]], log_across, log_beside).sum(axis=1)
    likely[1:] -= np.log(len(sides) - 1)  # the first is one side alone
    weights = np.exp(likely - likely.max())
    found: Matrix = np.einsum("k,kij->ij", weights / weights.sum(), across.astype(np.float64))
    return found
