"""Whether a row of a table differs from its baseline: paired tests, corrected for being several."""

from __future__ import annotations

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
    table = np.asarray(differences, dtype=np.float64).reshape(-1, 1)
    means = resampled_means(table, groups, resamples=resamples, seed=seed)
    means = means[~np.isnan(means)]
    if not means.size:
        raise ConfigurationError("no differences to test")
    smaller = float(min(np.mean(means <= 0), np.mean(means >= 0)))
    return min(1.0, max(2 * smaller, 1 / (resamples + 1)))


def corrected(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over the rows of one column; None, where nothing is tested, stays."""
    tested = iter(holm([p for p in ps if p is not None]))
    return [None if p is None else next(tested) for p in ps]


def against(
    baseline: Result, others: Mapping[str, Result], metric: str, *, seed: int = 0
) -> dict[str, float | None]:
    """Label -> p of what it gains over the baseline in one metric, corrected over all labels.

    Args:
        baseline: what the others are compared with.
        others: label -> result over the same queries.
        metric: which; a result without it gets None, and so does the baseline itself.
        seed: the same seed gives the same p.

    Raises:
        ConfigurationError: a result over other queries.
    """
    ps: list[float | None] = []
    for other in others.values():
        found = differences(baseline, other).get(metric)
        if found is None or other is baseline:
            ps.append(None)
        else:
            labels = [baseline.groups[query] for query in found]
            ps.append(paired_p(list(found.values()), labels, seed))
    return dict(zip(others, corrected(ps), strict=True))
