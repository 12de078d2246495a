"""Curves of violation and recall, survival, and ranks of violating passages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.report.artefacts import Curve, Curves, Figure, Histograms, Row, Table
from benchmarks.report.cells import estimate_cell, estimates_curve
from logic_retrievers.evaluation import Dataset, Estimate, EvaluationResult, Query, bootstrap
from logic_retrievers.evaluation.metrics import (
    FVR_DEPTH,
    first_violating_rank,
    recall_at_k,
    violation_at_k,
)
from logic_retrievers.evaluation.result import estimate_metrics
from logic_retrievers.evaluation.statistics import bootstrap_p, holm, resample

Arrays: TypeAlias = npt.NDArray[np.float64]
Measurements: TypeAlias = list[tuple[Dataset, Mapping[str, EvaluationResult]]]

BASE = "base encoder"
AUTO = "auto"
# The systems in figures; more lines would be unreadable.
MAIN = (
    "BM25",
    BASE,
    "plain contrastive training",
    "CoDeR-Seq, back-filled",
    "CoDeR-Union, back-filled",
    "CoDeR's union, shipped head, back-filled",
    "decompose-then-ensemble",
    AUTO,
)
DEPTHS = range(1, FVR_DEPTH + 1)
_EDGES = (0.5, 1.5, 2.5, 3.5, 5.5, 10.5, 20.5, 50.5, 101.5)


def labelled_lists(dataset: Dataset, result: EvaluationResult) -> Iterator[tuple[Query, list[str]]]:
    """Yield each query with violating documents, and its list."""
    for query in dataset.queries:
        if query.violating and query.id in result.run:
            yield query, list(result.run[query.id])


def curves_figure(
    name: str, dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int
) -> Figure:
    """Draw V@k and R@k against k, for queries with violating documents."""

    def violation(query: Query, ids: Sequence[str], k: int) -> float:
        return violation_at_k(ids, query.violating, k)

    def recall(query: Query, ids: Sequence[str], k: int) -> float:
        return recall_at_k(ids, query.grades, k)

    panels = {
        title: {
            label: depth_curve(dataset, result, value, seed)
            for label, result in _main(results).items()
        }
        for title, value in (("V@k", violation), ("R@k", recall))
    }
    return Figure(
        name=f"exclusion-{name.replace('_', '-')}-curves",
        title=f"Violations and recall by depth, {dataset.name}",
        caption=(
            "Share of queries with a violating passage among the first k (lower is better), and "
            "recall of the satisfying passages (higher is better); bands are 95 % intervals."
        ),
        plot=Curves(
            x_label="k", y_label="share", panels=panels, x_limits=(1, FVR_DEPTH), y_limits=(0, 1)
        ),
    )


def depth_curve(
    dataset: Dataset,
    result: EvaluationResult,
    value: Callable[[Query, Sequence[str], int], float],
    seed: int = 0,
) -> Curve:
    """Compute the mean of ``value(query, list, k)`` at each k, with its band."""
    table, groups = [], []
    for query, ids in labelled_lists(dataset, result):
        table.append([value(query, ids, k) for k in DEPTHS])
        groups.append(result.groups[query.id])
    return estimates_curve(DEPTHS, bootstrap(table, groups, seed=seed))


def survival_artefacts(measurements: Measurements, seed: int) -> tuple[Figure, Table]:
    """Draw Kaplan-Meier curves per set, and tabulate the mean rank of the first violation."""
    panels, rows = {}, []
    for dataset, results in measurements:
        times = {label: Lifetimes(dataset, result) for label, result in results.items()}
        panels[dataset.name] = {label: times[label].curve(seed) for label in _main(results)}
        others = [label for label in times if label != BASE]
        ps = dict(
            zip(
                others,
                holm([times[label].p_value(times[BASE], seed) for label in others]),
                strict=True,
            )
        )
        for label, lifetimes in times.items():
            cell = estimate_cell(lifetimes.restricted_mean(seed), ps.get(label))
            rows.append(Row(cells=(f"{dataset.name}: {label}", cell)))
    figure = Figure(
        name="exclusion-survival",
        title="Queries without a violation so far (Kaplan-Meier)",
        caption=(
            "Product-limit estimate of the share of queries that have met no violating passage "
            "down to a rank; a list that ends earlier leaves the queries at risk there. Bands: "
            "95 % of a bootstrap over queries (NevIR: over pairs)."
        ),
        plot=Curves(
            x_label="rank",
            y_label="queries without a violation",
            panels=panels,
            style="step",
            x_limits=(0, FVR_DEPTH),
            y_limits=(0, 1),
        ),
    )
    table = Table(
        name="exclusion-survival-means",
        title="Mean rank of the first violation",
        columns=("data set and system", "rank, at most 11"),
        rows=tuple(rows),
        notes=(
            "Restricted mean of the Kaplan-Meier curve; for lists of ten and more it is the mean "
            f"FVR. p: paired bootstrap of the difference from the {BASE} of the same set, "
            "corrected after Holm over the systems of a set.",
        ),
    )
    return figure, table


def ranks_figure(measurements: Measurements) -> Figure:
    """Draw histograms of violating passages' ranks, under plain search and auto."""
    panels = {
        dataset.name: {
            label: tuple(
                int(count)
                for count in np.histogram(violating_ranks(dataset, results[label]), _EDGES)[0]
            )
            for label in (BASE, AUTO)
        }
        for dataset, results in measurements
    }
    bins = ", ".join(f"{int(low + 0.5)} to {int(high - 0.5)}" for low, high in pairwise(_EDGES))
    return Figure(
        name="exclusion-ranks",
        title="Where the violating passages stand",
        caption=(
            f"Violating passages by rank (bins {bins}; 101 is behind the first hundred). {AUTO} "
            "moves them down and takes none out."
        ),
        plot=Histograms(x_label="rank of a violating passage", edges=_EDGES, panels=panels),
    )


def violating_ranks(dataset: Dataset, result: EvaluationResult) -> list[int]:
    """Rank every violating document; a missing one gets the list's length + 1."""
    return [
        ids.index(document) + 1 if document in ids else len(ids) + 1
        for query, ids in labelled_lists(dataset, result)
        for document in sorted(query.violating)
    ]


def add_pair_measures(
    dataset: Dataset, result: EvaluationResult, seed: int = 0
) -> EvaluationResult:
    """Add ExcluIR's measures to a result.

    ``dR@1`` and ``dMRR@10`` are the value for satisfying documents minus the value for violating
    ones. ``right_rank`` is the share of queries whose first satisfying document ranks above the
    first violating one; a list with neither counts as 0.
    """
    measures: dict[str, dict[str, float]] = {"dR@1": {}, "dMRR@10": {}, "right_rank": {}}
    for query, ids in labelled_lists(dataset, result):
        if not query.grades:
            continue
        right, wrong = (_first(ids, labels) for labels in (query.satisfying, query.violating))
        recall, violation = (recall_at_k(ids, of, 1) for of in (query.grades, query.violating))
        measures["dR@1"][query.id] = recall - violation
        measures["dMRR@10"][query.id] = _reciprocal(right) - _reciprocal(wrong)
        measures["right_rank"][query.id] = float(right < wrong)
    measures = {name: values for name, values in measures.items() if values}
    more = estimate_metrics(measures, result.groups, seed=seed)
    return replace(
        result,
        estimates={**result.estimates, **more},
        per_query={**result.per_query, **measures},
    )


class Lifetimes:
    """Ranks of first violations, right-censored at the end of the list or at ``depth``.

    A list that ends at rank m without a violation says nothing about rank m + 1. Following Kaplan
    and Meier, its query then leaves the set at risk, and counts neither for nor against.

    Args:
        dataset: data set with violating labels.
        result: result on the data set.
        depth: last rank.
    """

    def __init__(self, dataset: Dataset, result: EvaluationResult, depth: int = FVR_DEPTH) -> None:
        self.depth = depth
        self.groups: list[Hashable] = []
        ranks, rows = np.arange(1, depth + 1), []
        for query, ids in labelled_lists(dataset, result):
            first = first_violating_rank(ids, query.violating, depth)
            # For each rank: whether the violation is there; whether the query is still at risk.
            at_risk = ranks <= min(first, len(ids), depth)
            rows.append([*(ranks == first), *at_risk])
            self.groups.append(result.groups[query.id])
        self._table = np.array(rows, dtype=np.float64)

    def curve(self, seed: int = 0) -> Curve:
        """Compute survival after each rank from 0, with a bootstrap band over query groups."""
        low, high = np.quantile(self._resampled(seed), [0.025, 0.975], axis=0)
        survival = _product_limit(self._table.mean(axis=0))
        x = tuple(map(float, range(self.depth + 1)))
        return Curve(x=x, y=survival.tolist(), low=low.tolist(), high=high.tolist())

    def restricted_mean(self, seed: int = 0) -> Estimate:
        """Compute the first violation's mean rank, at most ``depth`` + 1, as area under the curve.

        If all lists are long enough, this is the mean FVR.
        """
        low, high = np.quantile(self._resampled(seed).sum(axis=-1), [0.025, 0.975])
        mean = _product_limit(self._table.mean(axis=0)).sum()
        return Estimate(float(mean), float(low), float(high))

    def p_value(self, other: Lifetimes, seed: int = 0) -> float:
        """Test the difference of the restricted means by paired resampling (two-sided p)."""
        return bootstrap_p(self._resampled(seed).sum(axis=-1) - other._resampled(seed).sum(axis=-1))

    def _resampled(self, seed: int) -> Arrays:
        return _product_limit(resample(self._table, self.groups, seed=seed)[1])


def _product_limit(means: Arrays) -> Arrays:
    """Compute S(r) = product over i <= r of 1 - events_i / at_risk_i; shape (..., depth + 1)."""
    events, at_risk = np.split(means, 2, axis=-1)
    hazard = np.divide(events, at_risk, out=np.zeros_like(events), where=at_risk > 0)
    start = np.ones((*means.shape[:-1], 1))
    return np.concatenate([start, np.cumprod(1 - hazard, axis=-1)], axis=-1)


def _first(ids: Sequence[str], labels: frozenset[str]) -> float:
    return next((rank for rank, name in enumerate(ids, start=1) if name in labels), np.inf)


def _reciprocal(rank: float) -> float:
    return 1 / rank if rank <= FVR_DEPTH else 0.0


def _main(results: Mapping[str, EvaluationResult]) -> dict[str, EvaluationResult]:
    return {label: results[label] for label in MAIN if label in results}
