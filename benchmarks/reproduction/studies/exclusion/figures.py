"""Curves of violation and recall, survival, and ranks of violating passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.reproduction.artefacts import Curves, Figure, Histograms, Row, Table
from benchmarks.reproduction.studies.exclusion.systems import AUTO, BASE
from benchmarks.reproduction.survival_curves import Lifetimes
from benchmarks.reproduction.table_cells import estimate_cell
from benchmarks.reproduction.violation_ranks import recall_curve, violating_ranks, violation_curve
from logic_retrievers.evaluation import Dataset, EvaluationResult
from logic_retrievers.evaluation.metrics import FVR_DEPTH
from logic_retrievers.evaluation.statistics import holm

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
"""The systems in figures; more lines would be unreadable."""

_EDGES = (0.5, 1.5, 2.5, 3.5, 5.5, 10.5, 20.5, 50.5, 101.5)

Measurements = Sequence[tuple[Dataset, Mapping[str, EvaluationResult]]]


def curves_figure(
    name: str, dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int
) -> Figure:
    """V@k beside R@k over k."""
    shown_here = _main_results(results)
    panels = {
        "V@k": {
            label: violation_curve(dataset, result, seed) for label, result in shown_here.items()
        },
        "R@k": {label: recall_curve(dataset, result, seed) for label, result in shown_here.items()},
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


def survival_artefacts(measurements: Measurements, seed: int) -> list[Figure | Table]:
    """Kaplan-Meier curves of every set, and a table of the mean rank of the first violation."""
    panels, rows = {}, []
    for dataset, results in measurements:
        times = {label: Lifetimes(dataset, result) for label, result in results.items()}
        panels[dataset.name] = {label: times[label].curve(seed) for label in _main_results(results)}
        rows += _rows(dataset.name, times, seed)
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
    return [figure, table]


def _rows(name: str, times: Mapping[str, Lifetimes], seed: int) -> list[Row]:
    others = {label: lifetimes for label, lifetimes in times.items() if label != BASE}
    ps = holm([lifetimes.p_value(times[BASE], seed) for lifetimes in others.values()])
    p_of = dict(zip(others, ps, strict=True))
    return [
        Row(
            cells=(
                f"{name}: {label}",
                estimate_cell(lifetimes.restricted_mean(seed), p_of.get(label)),
            )
        )
        for label, lifetimes in times.items()
    ]


def ranks_figure(measurements: Measurements) -> Figure:
    """Histograms of the ranks of violating passages, under plain search and auto."""
    panels = {}
    for dataset, results in measurements:
        panels[dataset.name] = {
            label: tuple(
                int(count)
                for count in np.histogram(violating_ranks(dataset, results[label]), _EDGES)[0]
            )
            for label in (BASE, AUTO)
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


def _main_results(results: Mapping[str, EvaluationResult]) -> dict[str, EvaluationResult]:
    return {label: results[label] for label in MAIN if label in results}
