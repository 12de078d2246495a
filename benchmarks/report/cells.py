"""Make rows and columns of tables, and bars: means with intervals and corrected p."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

from benchmarks.report.artefacts import Bars, Curve, Measurement, Row, Table
from benchmarks.report.workbench import ROLES
from logic_retrievers.evaluation import Estimate, EvaluationResult, bootstrap, compare
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap

# Digits to keep; later digits depend on the number of threads that sum the values.
DIGITS = 6

# Query -> value; NaN where a measure is undefined.
Values = Mapping[str, float]
Groups = Mapping[str, Hashable]
# Column -> system -> cell.
Columns = Mapping[str, Mapping[str, Measurement | None]]


def estimate_cell(estimate: Estimate | None, p: float | None = None) -> Measurement | None:
    """Make the cell of an estimate; None for None."""
    if estimate is None:
        return None
    mean, low, high = (round(value, DIGITS) for value in estimate)
    return Measurement(value=mean, low=low, high=high, p=p)


def absent_row(name: str, role: str, figures: int) -> Row:
    """Make the row of a system whose model is missing, with a dash per figure."""
    note = f"no model for the role {role!r}; made by {ROLES[role]}"
    return Row(cells=(name, *[None] * figures), origin="absent", note=note)


def published_row(note: str, *cells: str | float | None) -> Row:
    """Make a row of published figures; ``note`` names paper, encoder and differences from ours."""
    return Row(cells=cells, origin="published", note=note)


def system_rows(systems: Sequence[str], columns: Columns) -> list[Row]:
    """Make one row per system, with a cell per column."""
    return [Row(cells=(name, *(cells.get(name) for cells in columns.values()))) for name in systems]


def comparison_table(
    name: str,
    title: str,
    results: Mapping[str, EvaluationResult],
    metrics: Sequence[str],
    *,
    baseline: str,
    published: Mapping[str, tuple[str, Mapping[str, float]]] | None = None,
    absent: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
) -> Table:
    """Make one row per system and one column per metric; p tests the gap to the baseline.

    All results are for the same queries. ``published`` maps systems to note and figures of rows
    after ours; ``absent`` maps systems to the roles of missing models. A note on short lists is
    added.
    """
    comparisons = compare(results[baseline], results, metrics, seed=seed)
    rows = []
    for system, result in results.items():
        compared = comparisons.get(system, {})
        ps = (compared[m].p_corrected if m in compared else None for m in metrics)
        cells = (
            estimate_cell(result.estimates.get(m), p) for m, p in zip(metrics, ps, strict=True)
        )
        rows.append(Row(cells=(system, *cells)))
    rows += [absent_row(system, role, len(metrics)) for system, role in (absent or {}).items()]
    rows += [
        published_row(note, system, *(figures.get(metric) for metric in metrics))
        for system, (note, figures) in (published or {}).items()
    ]
    short = [f"{label} ({r.short_lists} queries)" for label, r in results.items() if r.short_lists]
    if short:
        depth = results[baseline].depth
        shorter = f"Lists shorter than {depth}, which lower V@k for nothing: {', '.join(short)}."
        notes = (*notes, shorter)
    return Table(
        name=name,
        title=title,
        columns=("system", *metrics),
        rows=tuple(rows),
        baseline=baseline,
        notes=tuple(notes),
    )


def estimates_curve(
    x: Sequence[float], estimates: Sequence[Estimate], digits: int | None = None
) -> Curve:
    """Make a line through the means, with its band; ``digits`` rounds the values."""
    columns = zip(*estimates, strict=True)
    mean, low, high = (
        tuple(value if digits is None else round(value, digits) for value in column)
        for column in columns
    )
    return Curve(x=tuple(map(float, x)), y=mean, low=low, high=high)


def column(
    systems: Mapping[str, Values], groups: Groups, baseline: str | None = None, seed: int = 0
) -> dict[str, Measurement | None]:
    """Map systems to the mean of one measure, with p for the difference from the baseline.

    A system without values gets None. Holm's method corrects p over all systems. Without a baseline
    there is no p.
    """
    base = systems.get(baseline, {}) if baseline is not None else {}
    ps = [
        None if name == baseline else _p_value(_difference(values, base), groups, seed)
        for name, values in systems.items()
    ]
    return {
        name: estimate_cell(_estimate(values, groups, seed), p)
        for (name, values), p in zip(systems.items(), holm(ps), strict=True)
    }


def gains(
    pairs: Sequence[tuple[Values, Values]], groups: Groups, seed: int = 0
) -> list[Measurement | None]:
    """Compute the mean gain of each pair's first over its second, on the same queries.

    Returns:
        One cell per pair, with p corrected over all pairs; None if the two share no query.
    """
    differences = [_difference(*pair) for pair in pairs]
    ps = holm([_p_value(values, groups, seed) for values in differences])
    return [
        estimate_cell(_estimate(values, groups, seed), p)
        for values, p in zip(differences, ps, strict=True)
    ]


def bars(
    systems: Mapping[str, Values],
    labels: Mapping[str, str],
    groups: Groups,
    y_label: str,
    *,
    baseline: str | None = None,
    seed: int = 0,
) -> Bars:
    """Make one bar per system and label of queries; :func:`column` computes each label."""
    by_label = {}
    for label in dict.fromkeys(labels.values()):
        under = {
            name: {query: value for query, value in values.items() if labels.get(query) == label}
            for name, values in systems.items()
        }
        if any(under.values()):
            by_label[label] = column(under, groups, baseline, seed)
    return Bars(
        y_label=y_label,
        labels=tuple(by_label),
        systems={name: tuple(cells[name] for cells in by_label.values()) for name in systems},
    )


def _difference(values: Values, others: Values) -> Values:
    return {query: value - others[query] for query, value in values.items() if query in others}


def _p_value(differences: Values, groups: Groups, seed: int) -> float | None:
    defined, labels = _defined(differences, groups)
    return paired_bootstrap(defined, labels, seed=seed)[0].p if defined else None


def _estimate(values: Values, groups: Groups, seed: int) -> Estimate | None:
    defined, labels = _defined(values, groups)
    return bootstrap(defined, labels, seed=seed)[0] if defined else None


def _defined(values: Values, groups: Groups) -> tuple[list[float], list[Hashable]]:
    """Return the values that are not NaN, and their groups."""
    defined = {query: value for query, value in values.items() if not math.isnan(value)}
    return list(defined.values()), [groups[query] for query in defined]
