"""Kaplan-Meier survival: how far down a list a reader meets no violating passage."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.reproduction.artefacts import Curve
from benchmarks.reproduction.violation_ranks import labelled_lists
from logic_retrievers.evaluation import Dataset, Estimate, EvaluationResult
from logic_retrievers.evaluation.metrics import FVR_DEPTH, first_violating_rank
from logic_retrievers.evaluation.statistics import bootstrap_means, bootstrap_p

Values: TypeAlias = npt.NDArray[np.float64]


class Lifetimes:
    """Ranks of first violations, right-censored at the end of the list or at ``depth``.

    A list that ends at rank m without a violation says nothing of rank m + 1: after Kaplan and
    Meier it leaves the queries at risk there, and counts neither for nor against.

    Args:
        dataset: with violating labels.
        result: over it.
        depth: last rank.
    """

    def __init__(self, dataset: Dataset, result: EvaluationResult, depth: int = FVR_DEPTH) -> None:
        self.depth = depth
        self.groups: list[Hashable] = []
        rows = []
        for query, ids in labelled_lists(dataset, result):
            first = first_violating_rank(ids, query.violating, depth)
            rows.append(self._row(first, min(len(ids), depth)))
            self.groups.append(result.groups[query.id])
        self._table = np.array(rows, dtype=np.float64)

    def curve(self, seed: int = 0) -> Curve:
        """Survival after every rank from 0 on, with a bootstrap band over groups of queries."""
        low, high = np.quantile(self._resampled(seed), [0.025, 0.975], axis=0)
        return Curve(
            x=tuple(map(float, range(self.depth + 1))),
            y=_floats(_product_limit(self._table.mean(axis=0))),
            low=_floats(low),
            high=_floats(high),
        )

    def restricted_mean(self, seed: int = 0) -> Estimate:
        """Mean rank of the first violation, at most ``depth`` + 1.

        It is the area under the survival curve and 1, for a violation is at rank 1 at best: with
        lists that are long enough it equals the mean FVR.
        """
        low, high = np.quantile(_area(self._resampled(seed)), [0.025, 0.975])
        return Estimate(
            float(_area(_product_limit(self._table.mean(axis=0)))), float(low), float(high)
        )

    def p_value(self, other: Lifetimes, seed: int = 0) -> float:
        """Two-sided p of the difference of the restricted means, with paired resampling."""
        differences = _area(self._resampled(seed)) - _area(other._resampled(seed))
        return bootstrap_p(differences)

    def _row(self, first: int, length: int) -> Sequence[float]:
        """Whether the violation falls on each rank; whether the query is at risk there."""
        ranks = np.arange(1, self.depth + 1)
        return [*(ranks == first), *(ranks <= min(first, length))]

    def _resampled(self, seed: int) -> Values:
        return _product_limit(bootstrap_means(self._table, self.groups, seed=seed))


def _product_limit(means: Values) -> Values:
    """S(r) = prod over i <= r of (1 - events_i / at risk_i), shape (..., depth + 1)."""
    events, at_risk = np.split(means, 2, axis=-1)
    hazard = np.divide(events, at_risk, out=np.zeros_like(events), where=at_risk > 0)
    start = np.ones((*means.shape[:-1], 1))
    return np.concatenate([start, np.cumprod(1 - hazard, axis=-1)], axis=-1)


def _area(curves: Values) -> Values:
    return np.asarray(curves.sum(axis=-1))


def _floats(values: Values) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
