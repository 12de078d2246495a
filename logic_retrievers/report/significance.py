"""Whether a row of a table differs from its baseline: paired tests, corrected for being several."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.result import Result, differences
from logic_retrievers.evaluation.statistics import RESAMPLES, holm, resampled_means


def paired_p(
    differences: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
    *,
    resamples: int = RESAMPLES,
) -> float:
    """Two-sided p of a mean difference, from the paired bootstrap.

    Twice the smaller share of resampled means on one side of zero. A mean of exactly zero counts
    for both sides, so that runs that are alike get 1; and no p is less than that of one resample.

    Args:
        differences: one a query, shape (queries,); NaN where the metric says nothing of it.
        groups: one label a query; queries with the same label are drawn together.
        seed: the same seed gives the same p.
        resamples: how many times the queries are drawn.

    Raises:
        ConfigurationError: no difference, or not one group a difference.
    """
    found = paired_ps(np.reshape(differences, (-1, 1)), groups, seed, resamples=resamples)[0]
    if found is None:
        raise ConfigurationError("no differences to test")
    return found


def paired_ps(
    differences: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
    *,
    resamples: int = RESAMPLES,
) -> list[float | None]:
    """:func:`paired_p` of several columns over the same queries, drawn once.

    Args:
        differences: shape (queries, columns).
        groups: as there.
        seed: as there.
        resamples: as there.

    Returns:
        One p a column; None for one that says nothing of any query.
    """
    found: list[float | None] = []
    for column in resampled_means(differences, groups, resamples=resamples, seed=seed).T:
        means = column[~np.isnan(column)]
        smaller = float(min(np.mean(means <= 0), np.mean(means >= 0))) if means.size else math.nan
        p = min(1.0, max(2 * smaller, 1 / (resamples + 1)))
        found.append(p if means.size else None)
    return found


def corrected(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over the rows of one column; None, where nothing is tested, stays."""
    tested = iter(holm([p for p in ps if p is not None]))
    return [None if p is None else next(tested) for p in ps]


def against(
    baseline: Result, others: Mapping[str, Result], metric: str, *, seed: int = 0
) -> dict[str, float | None]:
    """Label -> p of what it gains over the baseline in one metric; see :func:`against_in_all`."""
    return against_in_all(baseline, others, [metric], seed=seed)[metric]


def against_in_all(
    baseline: Result, others: Mapping[str, Result], metrics: Sequence[str], *, seed: int = 0
) -> dict[str, dict[str, float | None]]:
    """Metric -> label -> p of what it gains over the baseline, corrected over all labels.

    Args:
        baseline: what the others are compared with.
        others: label -> result over the same queries.
        metrics: which; a result without one of them gets None there, and so does the baseline
            itself in all.
        seed: the same seed gives the same p.

    Raises:
        ConfigurationError: a result over other queries.
    """
    queries = list(baseline.groups)
    columns = [(metric, label) for metric in metrics for label in others]
    table = np.full((len(queries), len(columns)), math.nan)
    for label, other in others.items():
        gains = {} if other is baseline else differences(baseline, other)
        for metric in metrics:
            of_query = gains.get(metric, {})
            table[:, columns.index((metric, label))] = [of_query.get(q, math.nan) for q in queries]
    tested = dict(zip(columns, paired_ps(table, list(baseline.groups.values()), seed), strict=True))
    found: dict[str, dict[str, float | None]] = {}
    for metric in metrics:
        ps = corrected([tested[metric, label] for label in others])
        found[metric] = dict(zip(others, ps, strict=True))
    return found
