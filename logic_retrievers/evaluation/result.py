"""Evaluate a search function on a data set, and compare results."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.datasets import Dataset, Query
from logic_retrievers.evaluation.metrics import Ranking, compute_metrics, import_ir_measures
from logic_retrievers.evaluation.statistics import (
    RESAMPLES,
    Estimate,
    bootstrap,
    holm,
    paired_bootstrap,
)
from logic_retrievers.files import write_text

# (texts, k) -> a ranking of at most k (document id, score) for each text
Search: TypeAlias = Callable[[Sequence[str], int], Sequence[Ranking]]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The figures of one policy on one data set, named by ``policy`` and ``dataset``.

    Args:
        depth: requested length of the rankings.
        documents: number of documents in the pool.
        short_lists: number of lists that are shorter than the depth although the pool has more
            documents. Report this number, because a short list lowers V@k without being better.
        estimates: metric -> mean and interval; fractions in [0, 1], FVR in ranks.
        per_query: metric -> query id -> value, only where the metric applies.
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
        return len(self.run)

    @property
    def metrics(self) -> dict[str, float]:
        """Metric -> mean over the queries where it applies."""
        return {name: estimate.mean for name, estimate in self.estimates.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Metric -> lower and upper end of the 95 % interval."""
        return {name: (estimate.low, estimate.high) for name, estimate in self.estimates.items()}

    def to_json(self) -> dict[str, Any]:
        """Return a plain dictionary for ``json.dumps``: the figures, not the ranked lists."""
        names = ("dataset", "policy", "queries", "documents", "depth", "short_lists", "metrics")
        intervals = {name: list(ends) for name, ends in self.intervals.items()}
        return {**{name: getattr(self, name) for name in names}, "intervals": intervals}

    def write_per_query(self, path: str | os.PathLike[str]) -> None:
        """Write every metric of every query to a CSV file; cells without a value are empty.

        Raises:
            StorageError: the file cannot be written.
        """
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["query", *self.per_query])
        for query in self.run:
            writer.writerow([query, *(values.get(query, "") for values in self.per_query.values())])
        write_text(path, lines.getvalue())


def evaluate(
    dataset: Dataset,
    search: Search,
    depth: int = 100,
    *,
    policy: str = "",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> EvaluationResult:
    """Search for every query of a data set and measure the rankings.

    The labels decide which metrics are computed. nDCG, MRR, MAP, P and R need satisfying documents.
    V@k, FVR and NegRecall@10 need violating ones. violation_rate needs both, and a negation.
    constraint_nDCG@10 needs neutral documents, and paired_accuracy needs queries in pairs. A metric
    deeper than ``depth`` is left out.

    ``search`` is called once with all query texts. ``depth`` is the length of the rankings. Paired
    accuracy is exact if both documents of a query rank within the depth; a pair below the depth
    counts as a failure. ``policy`` names the result in a report. The other arguments are those of
    :func:`bootstrap`.

    Raises:
        ConfigurationError: the depth is below 1, or ``search`` did not return rankings of the data
            set's documents.
        MissingExtraError: ir-measures is not installed.
    """
    if depth < 1:
        raise ConfigurationError(f"depth is {depth}; it must be at least 1")
    import_ir_measures()
    queries = dataset.queries
    most_excluded = max((len(query.exclude) for query in queries), default=0)
    found = list(search([query.text for query in queries], depth + most_excluded))
    if len(found) != len(queries):
        raise ConfigurationError(f"search returned {len(found)} lists for {len(queries)} queries")
    rankings: dict[str, Ranking] = {}
    short_lists = 0
    for query, ranking in zip(queries, found, strict=True):
        allowed = _allowed_ranking(query, list(ranking), dataset.documents)
        rankings[query.id] = allowed[:depth]
        short_lists += len(allowed) < min(depth, len(dataset.documents) - len(query.exclude))
    per_query = compute_metrics(queries, rankings, depth)
    groups = {query.id: bootstrap_group(query) for query in queries}
    return EvaluationResult(
        dataset=dataset.name,
        policy=policy,
        depth=depth,
        documents=len(dataset.documents),
        short_lists=short_lists,
        estimates=estimate_metrics(per_query, groups, resamples=resamples, seed=seed),
        per_query=per_query,
        groups=groups,
        run={query: tuple(name for name, _ in ranking) for query, ranking in rankings.items()},
    )


def estimate_metrics(
    per_query: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Return metric -> mean and interval. :func:`bootstrap` draws the same queries for all metrics.

    ``per_query`` maps metric -> query -> value; ``groups`` maps every query to its group.
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
    """Compute means and intervals of every metric for each label (template, domain, kind, ...).

        templates = {query.id: query.template for query in dataset.queries if query.template}
        by_template = estimates_by_label(result.per_query, templates, result.groups)

    A query without a label is left out, and so is a metric without a value under a label.
    ``groups`` maps queries to groups that are resampled together; by default each query is alone.
    """
    estimates: dict[str, dict[str, Estimate]] = {}
    for label in dict.fromkeys(labels.values()):
        own = {q: q if groups is None else groups[q] for q in labels if labels[q] == label}
        values = {
            metric: of_query
            for metric, of_query in per_query.items()
            if not own.keys().isdisjoint(of_query)
        }
        if values:
            estimates[label] = estimate_metrics(values, own, seed=seed)
    return estimates


class Comparison(NamedTuple):
    """The mean of result minus baseline per query, in one metric.

    The paired bootstrap gives the interval and the two-sided ``p``. ``p_corrected`` is ``p`` after
    Holm's correction over all results that were compared together.
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
    """Compare several results with a baseline over the same queries, in pairs.

    The answer is name -> metric -> comparison. It lacks the baseline, and metrics that a result or
    the baseline lacks. ``queries`` selects queries, such as those of one template. All comparisons
    share the bootstrap samples.

    Raises:
        ConfigurationError: the results are for different queries.
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
            if after and not before.keys().isdisjoint(groups):
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
            compared[name][metric] = Comparison(*tested[metric, name], p_corrected)
    return compared


def bootstrap_group(query: Query) -> str:
    """Name a query's group; queries that share documents or atoms are not independent."""
    if query.pair is not None:
        return f"pair {query.pair}"
    return query.id if query.group is None else f"group {query.group}"


def _allowed_ranking(query: Query, ranking: Ranking, documents: Mapping[str, str]) -> Ranking:
    """Check a ranking, and drop the document that is the query itself."""
    ids = [document for document, _ in ranking]
    unknown = next((document for document in ids if document not in documents), None)
    if unknown is not None:
        raise ConfigurationError(
            f"search returned {unknown!r} for query {query.id!r}; the data set has no such document"
        )
    if len(set(ids)) < len(ids):
        raise ConfigurationError(f"search returned a document twice for query {query.id!r}")
    return [(document, score) for document, score in ranking if document not in query.exclude]
