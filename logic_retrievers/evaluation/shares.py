"""Shares with intervals that stay inside [0, 1]."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from logic_retrievers.evaluation.statistics import Estimate

NORMAL = 1.959964
"""Of a standard normal distribution, 95 % lie within this of 0."""


def wilson(right: Sequence[bool]) -> Estimate | None:
    """A share with Wilson's 95 % interval (Wilson 1927); None of nothing."""
    count = len(right)
    if not count:
        return None
    share, square = sum(right) / count, NORMAL**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    spread = sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    half = NORMAL * spread
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))
