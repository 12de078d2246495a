"""The result of an evaluation, its figures by label, and the comparison of results."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.statistics import (
    RESAMPLES,
    Estimate,
    bootstrap,
    holm,
    paired_bootstrap,
)
from logic_retrievers.files import write_text


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The figures of one policy on one data set, both by name.

    Args:
        depth: requested length of the rankings.
        documents: size of the pool.
        short_lists: queries whose list is shorter than the depth although the pool has more. Report
            such lists apart: a short list lowers V@k without being better.
        estimates: metric -> mean and interval; fractions in [0, 1], FVR in ranks.
        per_query: metric -> query id -> value, only for the queries that the metric applies to.
        groups: query id -> group; the queries of a group are resampled together.
        run: query id -> document ids, best first.
    """

    dataset: str
    policy: str
    depth: int
    documents: int
    short_lists: int
    estimates: Mapping[str, Estimate]
    per_query: Mapping[str, Mapping[str, float]]
    groups: Mapping[str, str]
    run: Mapping[str, tuple[str, ...]]

    @property
    def queries(self) -> int:
        """Their number."""
        return len(self.run)

    @property
    def metrics(self) -> dict[str, float]:
        """Metric -> mean over the queries that it applies to."""
        return {name: estimate.mean for name, estimate in self.estimates.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Metric -> ends of its 95 % interval."""
        return {name: (estimate.low, estimate.high) for name, estimate in self.estimates.items()}

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, ready for ``json.dumps``: the figures without the lists."""
        names = ("dataset", "policy", "queries", "documents", "depth", "short_lists", "metrics")
        intervals = {name: list(ends) for name, ends in self.intervals.items()}
        return {**{name: getattr(self, name) for name in names}, "intervals": intervals}

    def write_per_query(self, path: str | os.PathLike[str]) -> None:
        """Writes a CSV file of every metric for every query, empty where it does not apply.

        Raises:
            StorageError: the file cannot be written.
        """
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["query", *self.per_query])
        for query in self.run:
            values = (of_query.get(query, "") for of_query in self.per_query.values())
            writer.writerow([query, *values])
        write_text(path, lines.getvalue())


def estimate_metrics(
    per_query: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Metric -> mean and interval; :func:`bootstrap` draws the same queries for all metrics.

    ``per_query``: metric -> query -> value; ``groups`` names every query.
    """
    table = [[values.get(query, math.nan) for values in per_query.values()] for query in groups]
    estimates = bootstrap(table, list(groups.values()), resamples=resamples, seed=seed)
    return dict(zip(per_query, estimates, strict=True))


def estimates_by_label(
    per_query: Mapping[str, Mapping[str, float]],
    labels: Mapping[str, str],
    groups: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
) -> dict[str, dict[str, Estimate]]:
    """Means and bootstrap intervals of every metric for each label: template, domain, kind, ...

        templates = {query.id: query.template for query in dataset.queries if query.template}
        by_template = estimates_by_label(result.per_query, templates, result.groups)

    Args:
        per_query: metric -> query (or group, or pair) -> value.
        labels: query -> label; queries without one are left out.
        groups: query -> group that is resampled together; each query by itself by default.
        seed: as :func:`bootstrap`.

    Returns:
        label -> metric -> estimate, labels in the order in which they first occur; a metric
        without a value under a label is left out there.
    """
    members: dict[str, list[str]] = {}
    for query, label in labels.items():
        members.setdefault(label, []).append(query)
    estimates: dict[str, dict[str, Estimate]] = {}
    for label, queries in members.items():
        values = {
            metric: {query: of_query[query] for query in queries if query in of_query}
            for metric, of_query in per_query.items()
        }
        values = {metric: of_query for metric, of_query in values.items() if of_query}
        if values:
            own = {query: query if groups is None else groups[query] for query in queries}
            estimates[label] = estimate_metrics(values, own, seed=seed)
    return estimates


class Comparison(NamedTuple):
    """A result against the baseline in one metric: mean of result - baseline per query.

    The interval is paired, ``p`` two-sided of the paired bootstrap, and ``p_corrected`` after Holm
    over all results that were compared together.
    """

    difference: Estimate
    p: float
    p_corrected: float


def compare(
    baseline: EvaluationResult,
    others: Mapping[str, EvaluationResult],
    metrics: Sequence[str] | None = None,
    *,
    queries: Collection[str] | None = None,
    seed: int = 0,
) -> dict[str, dict[str, Comparison]]:
    """Paired comparisons of several results with a baseline over the same queries.

    Args:
        baseline: what the others are compared with.
        others: name -> result; the baseline itself is skipped.
        metrics: which; all of the baseline by default.
        queries: only these queries, say those of one template; all by default.
        seed: as :func:`bootstrap`; all comparisons share the bootstrap samples.

    Returns:
        name -> metric -> comparison; a metric that a result or the baseline lacks is left out.

    Raises:
        ConfigurationError: the results are not over the same queries.
    """
    selected = baseline.groups.keys() if queries is None else set(queries)
    wanted = list(baseline.per_query if metrics is None else metrics)
    groups = {query: group for query, group in baseline.groups.items() if query in selected}
    columns: dict[tuple[str, str], list[float]] = {}
    others = {name: other for name, other in others.items() if other is not baseline}
    for name, other in others.items():
        if (baseline.dataset, baseline.groups) != (other.dataset, other.groups):
            raise ConfigurationError(
                f"cannot compare runs over different queries: {baseline.dataset} and "
                f"{other.dataset}"
            )
        for metric in wanted:
            before = baseline.per_query.get(metric, {})
            after = other.per_query.get(metric, {})
            if after and any(query in before for query in groups):
                columns[metric, name] = [
                    after[query] - before[query] if query in before else math.nan
                    for query in groups
                ]
    compared: dict[str, dict[str, Comparison]] = {name: {} for name in others}
    if not columns:
        return compared
    differences = list(zip(*columns.values(), strict=True))
    tests = paired_bootstrap(differences, list(groups.values()), seed=seed)
    tested = dict(zip(columns, tests, strict=True))
    for metric in dict.fromkeys(metric for metric, _ in columns):
        names = [name for column_metric, name in columns if column_metric == metric]
        corrected = holm([tested[metric, name].p for name in names])
        for name, p_corrected in zip(names, corrected, strict=True):
            test = tested[metric, name]
            compared[name][metric] = Comparison(test.difference, test.p, p_corrected)
    return compared
