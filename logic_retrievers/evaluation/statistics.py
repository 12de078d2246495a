"""Paired bootstrap: how far a figure would move with other queries of the same kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

Values: TypeAlias = npt.NDArray[np.float64]

RESAMPLES = 10_000
_CHUNK = 500  # resamples at a time: 500 x 2,000 queries are 8 MB


class Estimate(NamedTuple):
    """A mean and the ends of its confidence interval."""

    mean: float
    low: float
    high: float


def bootstrap(
    values: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Estimate]:
    """Means with percentile intervals.

    The rows are drawn with replacement, the same rows for every column. For the difference of two
    runs over the same queries pass the differences: that is the paired bootstrap.

    Args:
        values: shape (queries,) or (queries, metrics); NaN where a metric says nothing of a query.
        groups: one label a query; queries with the same label are drawn together (the two of a
            NevIR pair share their documents and are no independent evidence).
        resamples: how many times the queries are drawn.
        confidence: share of the resampled means inside the interval.
        seed: the same seed gives the same intervals.

    Returns:
        One estimate a column; NaN for a column without a value.

    Raises:
        ConfigurationError: no queries, or a setting out of range.
    """
    if not 0 < confidence < 1:
        raise ConfigurationError(f"confidence must lie between 0 and 1, not {confidence}")
    table = _table(values)
    drawn = resampled_means(table, groups, resamples=resamples, seed=seed)
    sums, counts = _by_group(table, groups)
    means = _ratio(sums.sum(axis=0), counts.sum(axis=0))
    tail = (1 - confidence) / 2
    estimates = []
    for mean, column in zip(means, drawn.T, strict=True):
        valid = column[~np.isnan(column)]  # a rare metric may be absent from a whole resample
        low, high = np.quantile(valid, [tail, 1 - tail]) if len(valid) else (np.nan, np.nan)
        estimates.append(Estimate(float(mean), float(low), float(high)))
    return estimates


def resampled_means(
    values: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Values:
    """Means over the drawn queries, shape (resamples, metrics); what :func:`bootstrap` looks at.

    Args:
        values: as there.
        groups: as there.
        resamples: as there.
        seed: as there.

    Returns:
        NaN where no drawn query has a value.

    Raises:
        ConfigurationError: no queries, or a setting out of range.
    """
    table = _table(values)
    if resamples < 1:
        raise ConfigurationError(f"resamples must be at least 1, not {resamples}")
    if groups is not None and len(groups) != len(table):
        raise ConfigurationError(f"{len(table)} rows of values but {len(groups)} groups")
    sums, counts = _by_group(table, groups)
    draws = _resample(len(sums), resamples, np.random.default_rng(seed))
    return np.vstack([_ratio(weights @ sums, weights @ counts) for weights in draws])


def holm(ps: Sequence[float]) -> list[float]:
    """Corrects p-values for being several (Holm 1979); in their order.

    The smallest of m is multiplied by m, the next by m - 1, and so on, and none may be smaller than
    one before it.
    """
    corrected = [0.0] * len(ps)
    least = 0.0
    for place, index in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = max(least, min(1.0, (len(ps) - place) * ps[index]))
        corrected[index] = least
    return corrected


def _table(values: npt.ArrayLike) -> Values:
    """Shape (queries, metrics)."""
    table = np.asarray(values, dtype=np.float64)
    if not table.size:
        raise ConfigurationError("no values to resample")
    return table.reshape(len(table), -1)


def _by_group(table: Values, groups: Sequence[Hashable] | None) -> tuple[Values, Values]:
    """Sums and numbers of the defined values, shape (groups, metrics) each."""
    labels = range(len(table)) if groups is None else groups
    numbers: dict[Hashable, int] = {}
    rows = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    defined = ~np.isnan(table)
    sums = np.zeros((len(numbers), table.shape[1]))
    counts = np.zeros_like(sums)
    np.add.at(sums, rows, np.where(defined, table, 0.0))
    np.add.at(counts, rows, defined.astype(np.float64))
    return sums, counts


def _resample(n: int, resamples: int, random: np.random.Generator) -> Iterator[Values]:
    """How often each of n groups is drawn, in chunks of shape (resamples, n)."""
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        drawn = random.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _ratio(sums: Values, counts: Values) -> Values:
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
