"""Columns of a table, and groups of bars: means with intervals, and what tells them apart."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

from logic_retrievers.evaluation.statistics import Estimate, bootstrap
from logic_retrievers.report.artefacts import Bars, Measured
from logic_retrievers.report.significance import corrected, paired_p

DIGITS = 6
"""Beyond these a figure says nothing, and depends on how many threads added it up."""

Values = Mapping[str, float]
"""Query -> value; NaN where a measure says nothing of it."""


def shown(estimate: Estimate | None, p: float | None = None) -> Measured | None:
    """A cell; None where there is no figure."""
    if estimate is None:
        return None
    mean, low, high = (round(value, DIGITS) for value in estimate)
    return Measured(value=mean, low=low, high=high, p=p)


def column(
    systems: Mapping[str, Values],
    groups: Mapping[str, Hashable],
    baseline: str | None = None,
    seed: int = 0,
) -> dict[str, Measured | None]:
    """Means of one measure, each with the p of its difference from the baseline's.

    Args:
        systems: system -> its values; those of a pair of systems are over the same queries.
        groups: query -> what is drawn together.
        baseline: the system that the others are compared with; no p without one.
        seed: of the resampling.

    Returns:
        system -> cell; None where it has no value. The p are corrected over all systems (Holm).
    """
    found = {name: _estimate(values, groups, seed) for name, values in systems.items()}
    of_base = systems.get(baseline, {}) if baseline is not None else {}
    ps = [
        None if name == baseline else _p(_less(values, of_base), groups, seed)
        for name, values in systems.items()
    ]
    return {
        name: shown(estimate, p)
        for (name, estimate), p in zip(found.items(), corrected(ps), strict=True)
    }


def gains(
    pairs: Sequence[tuple[Values, Values]], groups: Mapping[str, Hashable], seed: int = 0
) -> list[Measured | None]:
    """What the first of each pair has more than the second, in the mean over the same queries.

    Args:
        pairs: values of two systems.
        groups: query -> what is drawn together.
        seed: of the resampling.

    Returns:
        A cell a pair, its p corrected over all pairs; None where the two share no value.
    """
    less = [_less(*pair) for pair in pairs]
    ps = corrected([_p(values, groups, seed) for values in less])
    found = [_estimate(values, groups, seed) for values in less]
    return [shown(estimate, p) for estimate, p in zip(found, ps, strict=True)]


def bars(
    systems: Mapping[str, Values],
    labels: Mapping[str, str],
    groups: Mapping[str, Hashable],
    y_label: str,
    *,
    baseline: str | None = None,
    seed: int = 0,
) -> Bars:
    """A bar for each system under each label of the queries; :func:`column` under each."""
    shown = [label for label in dict.fromkeys(labels.values()) if _any(systems, labels, label)]
    by_label = [
        column(
            {name: _under(values, labels, label) for name, values in systems.items()},
            groups,
            baseline,
            seed,
        )
        for label in shown
    ]
    return Bars(
        y_label=y_label,
        labels=tuple(shown),
        systems={name: tuple(found[name] for found in by_label) for name in systems},
    )


def _under(values: Values, labels: Mapping[str, str], label: str) -> dict[str, float]:
    return {query: value for query, value in values.items() if labels.get(query) == label}


def _any(systems: Mapping[str, Values], labels: Mapping[str, str], label: str) -> bool:
    return any(_under(values, labels, label) for values in systems.values())


def _less(values: Values, others: Values) -> Values:
    return {query: value - others[query] for query, value in values.items() if query in others}


def _p(differences: Values, groups: Mapping[str, Hashable], seed: int) -> float | None:
    said = {query: value for query, value in differences.items() if not math.isnan(value)}
    labels = [groups[query] for query in said]
    return paired_p(list(said.values()), labels, seed) if said else None


def _estimate(values: Values, groups: Mapping[str, Hashable], seed: int) -> Estimate | None:
    said = {query: value for query, value in values.items() if not math.isnan(value)}
    drawn = [groups[query] for query in said]
    return bootstrap(list(said.values()), drawn, seed=seed)[0] if said else None
