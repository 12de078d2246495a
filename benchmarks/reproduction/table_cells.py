"""Columns of a table, and groups of bars: means with intervals and significance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

from benchmarks.reproduction.artefacts import Bars, Curve, Measurement, Row
from benchmarks.reproduction.workbench import ROLES
from logic_retrievers.evaluation import Comparison
from logic_retrievers.evaluation.statistics import Estimate, bootstrap, holm, paired_bootstrap

DIGITS = 6
"""Later digits depend on the number of threads that summed the values."""

Values = Mapping[str, float]
"""Query -> value; NaN where a measure is undefined."""


def estimate_cell(estimate: Estimate | None, p: float | None = None) -> Measurement | None:
    """The cell of an estimate; None for None."""
    if estimate is None:
        return None
    mean, low, high = (round(value, DIGITS) for value in estimate)
    return Measurement(value=mean, low=low, high=high, p=p)


def absent_row(name: str, role: str, figures: int) -> Row:
    """The row of a system whose model is missing, with a dash for each figure."""
    note = f"no model for the role {role!r}; made by {ROLES[role]}"
    return Row(cells=(name, *[None] * figures), origin="absent", note=note)


def estimates_curve(
    x: Sequence[float], estimates: Sequence[Estimate], digits: int | None = None
) -> Curve:
    """A line through the means, with its band; rounded if ``digits`` are given."""
    columns = zip(*estimates, strict=True)
    if digits is not None:
        columns = ([round(value, digits) for value in column] for column in columns)  # type: ignore[assignment]
    mean, low, high = map(tuple, columns)
    return Curve(x=tuple(map(float, x)), y=mean, low=low, high=high)


def corrected_p(
    comparisons: Mapping[str, Mapping[str, Comparison]], system: str, metric: str
) -> float | None:
    """Corrected p of a system's difference in a metric; None if it was not compared."""
    comparison = comparisons.get(system, {}).get(metric)
    return None if comparison is None else comparison.p_corrected


def column(
    systems: Mapping[str, Values],
    groups: Mapping[str, Hashable],
    baseline: str | None = None,
    seed: int = 0,
) -> dict[str, Measurement | None]:
    """Means of one measure, each with the p of its difference from the baseline's.

    Args:
        systems: system -> its values; those of a pair of systems are over the same queries.
        groups: query -> resampling group.
        baseline: the system that the others are compared with; no p without one.
        seed: of the resampling.

    Returns:
        system -> cell; None where it has no value. The p are corrected over all systems (Holm).
    """
    estimates = {name: _estimate(values, groups, seed) for name, values in systems.items()}
    of_base = systems.get(baseline, {}) if baseline is not None else {}
    ps = [
        None if name == baseline else _p_value(_difference(values, of_base), groups, seed)
        for name, values in systems.items()
    ]
    return {
        name: estimate_cell(estimate, p)
        for (name, estimate), p in zip(estimates.items(), holm(ps), strict=True)
    }


def gains(
    pairs: Sequence[tuple[Values, Values]], groups: Mapping[str, Hashable], seed: int = 0
) -> list[Measurement | None]:
    """Mean gain of the first of each pair over the second, over the same queries.

    Args:
        pairs: values of two systems.
        groups: query -> resampling group.
        seed: of the resampling.

    Returns:
        A cell per pair, its p corrected over all pairs; None if the two share no value.
    """
    less = [_difference(*pair) for pair in pairs]
    ps = holm([_p_value(values, groups, seed) for values in less])
    estimates = [_estimate(values, groups, seed) for values in less]
    return [estimate_cell(estimate, p) for estimate, p in zip(estimates, ps, strict=True)]


def bars(
    systems: Mapping[str, Values],
    labels: Mapping[str, str],
    groups: Mapping[str, Hashable],
    y_label: str,
    *,
    baseline: str | None = None,
    seed: int = 0,
) -> Bars:
    """A bar per system under each label of the queries; :func:`column` for each label."""
    shown_labels = [
        label for label in dict.fromkeys(labels.values()) if _has_values(systems, labels, label)
    ]
    by_label = [
        column(
            {name: _values_under(values, labels, label) for name, values in systems.items()},
            groups,
            baseline,
            seed,
        )
        for label in shown_labels
    ]
    return Bars(
        y_label=y_label,
        labels=tuple(shown_labels),
        systems={name: tuple(cells[name] for cells in by_label) for name in systems},
    )


def _values_under(values: Values, labels: Mapping[str, str], label: str) -> dict[str, float]:
    return {query: value for query, value in values.items() if labels.get(query) == label}


def _has_values(systems: Mapping[str, Values], labels: Mapping[str, str], label: str) -> bool:
    return any(_values_under(values, labels, label) for values in systems.values())


def _difference(values: Values, others: Values) -> Values:
    return {query: value - others[query] for query, value in values.items() if query in others}


def _p_value(differences: Values, groups: Mapping[str, Hashable], seed: int) -> float | None:
    defined = {query: value for query, value in differences.items() if not math.isnan(value)}
    labels = [groups[query] for query in defined]
    return paired_bootstrap(list(defined.values()), labels, seed=seed)[0].p if defined else None


def _estimate(values: Values, groups: Mapping[str, Hashable], seed: int) -> Estimate | None:
    defined = {query: value for query, value in values.items() if not math.isnan(value)}
    defined_groups = [groups[query] for query in defined]
    return bootstrap(list(defined.values()), defined_groups, seed=seed)[0] if defined else None
