"""Describe which passages contradict each other, and weigh the stances within a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from logic_retrievers.types import Passage

Matrix = npt.NDArray[np.float64]
Stances = npt.NDArray[np.int64]

# maximum passages of a group; all its 2 ** (MAX_GROUP - 1) partitions are weighed
MAX_GROUP = 10
_MIN_PROBABILITY = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Passages about one thing, and the probability that each two of them contradict each other.

    Args:
        members: positions of the passages; the two in conflict come first.
        probabilities: symmetric, shape (members, members).
    """

    members: tuple[int, ...]
    probabilities: Matrix


@dataclass(frozen=True, slots=True)
class ConflictGraph:
    """Passages, and which of them contradict each other.

    Args:
        passages: the passages, by position.
        rivals: per passage, the positions of passages that conflict with it. A passage dropped for
            contradicting a trusted one is not a rival, so it has no vote.
        copies: per passage, the positions of passages with the same words.
        groups: positions of a pair in conflict -> the two and their neighbours; empty if the
            neighbours are unknown.
    """

    passages: Sequence[Passage]
    rivals: Sequence[frozenset[int]]
    copies: Sequence[frozenset[int]]
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


def stance_partitions(probabilities: Matrix, bias: float = 0.0) -> tuple[Stances, Matrix]:
    """Return every partition of a group into two stances, and its probability.

    Other passages help to judge a pair. A passage that contradicts the first and agrees with the
    second is evidence for a conflict of the two. A priori, all partitions into two stances are
    equally likely, and together they are as likely as a single stance of all passages. Given a
    partition, the pairs are taken to be independent.

    Args:
        probabilities: probabilities of a contradiction, symmetric, shape (n, n), n from 2 up to
            :data:`MAX_GROUP`; the diagonal is ignored.
        bias: added to the log-odds of every pair.

    Returns:
        The stances, 0 or 1, of shape (2 ** (n - 1), n), and the probability of each partition, of
        shape (2 ** (n - 1),). In the first row all passages share one stance. The first passage
        always has stance 0.
    """
    clipped = np.clip(probabilities, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    odds = np.log(clipped) - np.log1p(-clipped) + bias
    places = np.arange(len(probabilities) - 1, -1, -1)
    stances = np.arange(2 ** (len(probabilities) - 1))[:, None] >> places & 1  # row number's bits
    pairs = np.triu_indices(len(probabilities), 1)
    opposed = stances[:, pairs[0]] != stances[:, pairs[1]]
    log_opposed, log_agreeing = -np.logaddexp(0, -odds[pairs]), -np.logaddexp(0, odds[pairs])
    log_likelihood = np.where(opposed, log_opposed, log_agreeing).sum(axis=1)
    log_likelihood[1:] -= np.log(len(stances) - 1)
    weights: Matrix = np.exp(log_likelihood - log_likelihood.max())
    return stances, weights / weights.sum()


def minority_probabilities(group: Group, voters: Sequence[int]) -> tuple[float, float]:
    """Return, for each of the first two, the probability that it is outvoted by the other.

    ``voters``: number of each member's vote; members with the same number share one vote.
    """
    stances, weights = stance_partitions(group.probabilities)
    is_voter = np.equal.outer(voters, np.unique(voters)).astype(np.int64)
    first, second = (((stances == stance) @ is_voter > 0).sum(axis=1) for stance in (0, 1))
    opposed = stances[:, 1] == 1  # the first passage always has stance 0
    of_first = float(weights[opposed & (first < second)].sum())
    return of_first, float(weights[opposed & (second < first)].sum())
