"""Several passages about one thing, parted into two stances: probabilities of each partition."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Stances = npt.NDArray[np.int64]

MAX_GROUP = 10
"""Passages of a group: all its 2 ** (MAX_GROUP - 1) partitions are weighed."""
_MIN_PROBABILITY = 1e-3


def stance_partitions(probabilities: Matrix, bias: float = 0.0) -> tuple[Stances, Matrix]:
    """Every partition of a group into two stances, and its probability.

    One pair alone is judged poorly; third passages help. A passage that contradicts the one and
    agrees with the other speaks for a conflict of the two. A group has one stance or two: all
    partitions into two are equally likely a priori, and together as likely as one stance alone.
    Given a partition, the pairs are taken to be independent.

    Args:
        probabilities: of a contradiction, symmetric, shape (n, n), n from 2 up to
            :data:`MAX_GROUP`; the diagonal is ignored.
        bias: added to the log-odds of every pair.

    Returns:
        Stances, 0 or 1, shape (2 ** (n - 1), n), with one stance alone first and the first passage
        always of stance 0; and the probability of each partition, shape (2 ** (n - 1),).
    """
    clipped = np.clip(probabilities, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    odds = np.log(clipped) - np.log1p(-clipped) + bias
    stances, opposed = _partitions(len(probabilities))
    pairs = np.triu_indices(len(probabilities), 1)
    log_opposed, log_agreeing = -np.logaddexp(0, -odds[pairs]), -np.logaddexp(0, odds[pairs])
    log_likelihood = np.where(opposed, log_opposed, log_agreeing).sum(axis=1)
    log_likelihood[1:] -= np.log(len(stances) - 1)
    weights: Matrix = np.exp(log_likelihood - log_likelihood.max())
    return stances, weights / weights.sum()


def opposition_probabilities(probabilities: Matrix, bias: float = 0.0) -> Matrix:
    """Probability that each two passages are of opposite stances, over all partitions.

    Arguments are those of :func:`stance_partitions`; a single passage or none will do, too.

    Returns:
        Shape (n, n), 0 on the diagonal.
    """
    if len(probabilities) < 2:
        return np.zeros_like(probabilities, dtype=np.float64)
    stances, weights = stance_partitions(probabilities, bias)
    opposed = stances[:, :, None] != stances[:, None, :]
    opposition: Matrix = np.einsum("k,kij->ij", weights, opposed.astype(np.float64))
    return opposition


@cache
def _partitions(count: int) -> tuple[Stances, npt.NDArray[np.bool_]]:
    """The stances of every partition, and which of the pairs are opposed."""
    stances = np.array([(0, *rest) for rest in product((0, 1), repeat=count - 1)])
    one, other = np.triu_indices(count, 1)
    return stances, stances[:, one] != stances[:, other]
