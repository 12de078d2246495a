"""Bootstrap intervals and paired significance tests."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

Values: TypeAlias = npt.NDArray[np.float64]

RESAMPLES = 10_000
_TAIL = (1 - 0.95) / 2
_CHUNK = 500  # resamples at a time: 500 x 2,000 queries are 8 MB


class Estimate(NamedTuple):
    """A mean and the ends of its confidence interval."""

    mean: float
    low: float
    high: float


class PairedTest(NamedTuple):
    """A mean difference with its interval, and the two-sided p-value for zero difference."""

    difference: Estimate
    p: float


def bootstrap(
    values: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Estimate]:
    """Compute means with 95 % percentile intervals, from rows drawn with replacement.

    All columns share the drawn rows. ``values`` has shape (queries,) or (queries, metrics); NaN
    means that a metric does not apply. A column without a value gives NaN. ``groups`` has one label
    per query. Queries with the same label are drawn together, because they are not independent (a
    NevIR pair shares its documents). The same seed gives the same intervals.

    Raises:
        ConfigurationError: there are no queries, or a setting is out of range.
    """
    return resample(values, groups, resamples=resamples, seed=seed)[0]


def paired_bootstrap(
    differences: npt.ArrayLike, groups: Sequence[Hashable] | None = None, *, seed: int = 0
) -> list[PairedTest]:
    """Compute mean differences of paired values, with 95 % intervals and :func:`bootstrap_p`.

    ``differences`` has shape (queries,) or (queries, columns); NaN marks a missing value.

    Raises:
        ConfigurationError: a column holds only NaN, or ``groups`` lacks one label per query.
    """
    estimates, means = resample(differences, groups, seed=seed)
    return [
        PairedTest(estimate, bootstrap_p(column))
        for estimate, column in zip(estimates, means.T, strict=True)
    ]


def bootstrap_p(resampled: npt.ArrayLike) -> float:
    """Compute the two-sided p-value for a zero difference from resampled means.

    It is twice the smaller share of samples on one side of zero. Exactly zero counts for both
    sides, so equal runs get 1. The least p is 1 / (samples + 1). NaN marks a sample without a
    value.

    Raises:
        ConfigurationError: all samples are NaN.
    """
    values = np.asarray(resampled, dtype=np.float64)
    defined = values[~np.isnan(values)]
    if not defined.size:
        raise ConfigurationError("no differences to test")
    smaller = float(min(np.mean(defined <= 0), np.mean(defined >= 0)))
    return min(1.0, max(2 * smaller, 1 / (len(values) + 1)))


def mcnemar(gained: int, lost: int) -> float:
    """Compute the two-sided p-value of McNemar's exact test (McNemar 1947, binomial form).

    If two systems are equally good, a coin decides which is right on each question where they
    differ: p = min(1, 2 P[X <= min(gained, lost)]), X ~ Binomial(gained + lost, 1/2).
    """
    tosses = gained + lost
    ways = as_few = 1  # ways to lose `few` tosses, and at most `few` tosses
    for few in range(1, min(gained, lost) + 1):
        ways = ways * (tosses - few + 1) // few
        as_few += ways
    p: float = 2 * as_few / 2**tosses
    return min(1.0, p)


def holm(ps: Sequence[float | None]) -> list[Any]:
    """Correct p-values for multiple testing (Holm 1979), and return them in the given order.

    The smallest of m is multiplied by m, the next by m - 1, and so on; no result is smaller than an
    earlier one. ``None`` (nothing was tested) stays and does not count in m.
    """
    corrected: list[float | None] = [None] * len(ps)
    tested = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    largest = 0.0
    for position, (p, index) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - position) * p))
        corrected[index] = largest
    return corrected


def resample(
    values: npt.ArrayLike,
    groups: Sequence[Hashable] | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[list[Estimate], Values]:
    """Return :func:`bootstrap` and the means of its samples, of shape (resamples, metrics).

    A mean is NaN if no query of the sample has a value.
    """
    table = np.asarray(values, dtype=np.float64)
    if not table.size:
        raise ConfigurationError("no values to resample")
    if resamples < 1:
        raise ConfigurationError(f"resamples must be at least 1, not {resamples}")
    if groups is not None and len(groups) != len(table):
        raise ConfigurationError(f"{len(table)} rows of values but {len(groups)} groups")
    sums, counts = _group_sums(table.reshape(len(table), -1), groups)
    draws = _draw_groups(len(sums), resamples, np.random.default_rng(seed))
    sample_means = np.vstack([_divide(weights @ sums, weights @ counts) for weights in draws])
    means = _divide(sums.sum(axis=0), counts.sum(axis=0))
    estimates = []
    for mean, column in zip(means, sample_means.T, strict=True):
        defined = column[~np.isnan(column)]  # a sample may lack any value of a rare metric
        low, high = np.quantile(defined, [_TAIL, 1 - _TAIL]) if len(defined) else (np.nan, np.nan)
        estimates.append(Estimate(float(mean), float(low), float(high)))
    return estimates, sample_means


def _group_sums(table: Values, groups: Sequence[Hashable] | None) -> tuple[Values, Values]:
    """Return sum and count of the defined values, both of shape (groups, columns)."""
    labels = range(len(table)) if groups is None else groups
    numbers: dict[Hashable, int] = {}
    rows = np.array([numbers.setdefault(label, len(numbers)) for label in labels])
    defined = ~np.isnan(table)
    sums = np.zeros((len(numbers), table.shape[1]))
    counts = np.zeros_like(sums)
    np.add.at(sums, rows, np.where(defined, table, 0.0))
    np.add.at(counts, rows, defined.astype(np.float64))
    return sums, counts


def _draw_groups(n: int, resamples: int, random: np.random.Generator) -> Iterator[Values]:
    """Yield how often each of n groups is drawn, in chunks of shape (resamples, n)."""
    for start in range(0, resamples, _CHUNK):
        size = min(_CHUNK, resamples - start)
        drawn = random.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def _divide(sums: Values, counts: Values) -> Values:
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
