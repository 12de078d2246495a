"""Whether two configurations differ over the same questions, and by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import RESAMPLES, Estimate, bootstrap, holm


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a configuration changes against another one.

    Args:
        difference: of the shares of right answers, with a paired bootstrap interval.
        gained: questions that it alone has right.
        lost: questions that the other one alone has right.
        p: of McNemar's exact test, two-sided.
        p_corrected: after Holm, over all that were compared together.
        questions: how many both have answered.
        left_out: how many one of them has not.
    """

    difference: Estimate
    gained: int
    lost: int
    p: float
    p_corrected: float
    questions: int
    left_out: int

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {**asdict(self), "difference": self.difference._asdict()}


def mcnemar(gained: int, lost: int) -> float:
    """The two-sided p of McNemar's exact test (McNemar 1947, in its binomial form).

    Were the two alike, each question that they differ on would be gained or lost like a coin:
    p = min(1, 2 P[X <= min(gained, lost)]) with X ~ Binomial(gained + lost, 1/2).

    Raises:
        ConfigurationError: a count under 0.
    """
    if min(gained, lost) < 0:
        raise ConfigurationError(f"counts are 0 or more, not {gained} and {lost}")
    total = gained + lost
    tail = sum(math.comb(total, count) for count in range(min(gained, lost) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**total)))


def compare_all(
    first: Mapping[str, bool],
    others: Mapping[str, Mapping[str, bool]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Comparison]:
    """Each of several configurations against the first, corrected for their number.

    Args:
        first: question -> right, for the questions that were answered.
        others: configuration -> question -> right.
        resamples: how many times the questions are drawn.
        seed: the same seed gives the same intervals.

    Returns:
        One comparison for each that shares an answered question with the first.
    """
    shared = {name: [one for one in first if one in other] for name, other in others.items()}
    found = {
        name: _compare(first, other, shared[name], resamples, seed)
        for name, other in others.items()
        if shared[name]
    }
    corrected = holm([one.p for one in found.values()])
    return {
        name: replace(one, p_corrected=p)
        for (name, one), p in zip(found.items(), corrected, strict=True)
    }


def _compare(
    first: Mapping[str, bool],
    other: Mapping[str, bool],
    shared: Sequence[str],
    resamples: int,
    seed: int,
) -> Comparison:
    steps = [int(other[one]) - int(first[one]) for one in shared]
    gained, lost = steps.count(1), steps.count(-1)
    p = mcnemar(gained, lost)
    return Comparison(
        difference=bootstrap(steps, resamples=resamples, seed=seed)[0],
        gained=gained,
        lost=lost,
        p=p,
        p_corrected=p,
        questions=len(shared),
        left_out=len(first.keys() | other.keys()) - len(shared),
    )
