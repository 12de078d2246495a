"""Figures of an evaluation; returned, never shown. They need matplotlib (the ``eval`` extra)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation.metrics import FVR_DEPTH, survival_curve
from logic_retrievers.evaluation.result import Result
from logic_retrievers.evaluation.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def survival_figure(results: Mapping[str, Result]) -> Figure:
    """Survival curves: the share of queries with no violating document down to each rank.

    Args:
        results: label -> result on a data set with violating labels.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = empty_figure(6.0, 4.0)
    axes = figure.add_subplot()
    ranks = range(1, FVR_DEPTH + 1)
    for label, result in results.items():
        axes.plot(ranks, survival_curve(result.per_query["FVR"].values()), marker="o", label=label)
    axes.set(xlabel="rank", ylabel="queries without a violation so far", ylim=(0, 1), xticks=ranks)
    axes.legend()
    return figure


def trade_off_figure(
    fvr: npt.ArrayLike,
    recall: npt.ArrayLike,
    *,
    rows: Sequence[object],
    columns: Sequence[object],
    row_name: str,
    column_name: str,
) -> Figure:
    """Two heat maps over a grid of settings, FVR/11 and R@10 (CoDeR): brighter is better in both.

    Args:
        fvr: mean FVR of each setting, shape (rows, columns).
        recall: R@10 of each setting, the same shape.
        rows: the values of one setting.
        columns: the values of the other.
        row_name: what the first is called.
        column_name: what the second is called.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = empty_figure(9.0, 4.0)
    panels = {"FVR / 11": np.asarray(fvr) / (FVR_DEPTH + 1), "R@10": np.asarray(recall)}
    for place, (title, grid) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, 2, place)
        image = axes.imshow(grid, vmin=0, vmax=1, aspect="auto", origin="lower")
        axes.set(title=title, xlabel=column_name, ylabel=row_name)
        axes.set_xticks(range(len(columns)), [str(value) for value in columns])
        axes.set_yticks(range(len(rows)), [str(value) for value in rows])
        figure.colorbar(image, ax=axes)
    return figure


def sparsity_figure(panels: Mapping[str, Mapping[str, npt.ArrayLike]]) -> Figure:
    """Histograms of the sparsity of differences, one panel beside the other (SparseCL).

    Args:
        panels: title -> kind of pair -> sparsities, shape (pairs,).

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = empty_figure(4.5 * len(panels), 3.5)
    every = [np.asarray(values) for kinds in panels.values() for values in kinds.values()]
    edges = np.linspace(min(v.min() for v in every), max(v.max() for v in every), 61).tolist()
    for place, (title, kinds) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, len(panels), place)
        for label, values in kinds.items():
            median = float(np.median(np.asarray(values)))
            axes.hist(values, edges, density=True, alpha=0.5, label=f"{label}, median {median:.3f}")
        axes.set(title=title, xlabel="Hoyer sparsity of the difference", ylabel="density")
        axes.legend()
    return figure


def label_figure(
    systems: Mapping[str, Mapping[str, Mapping[str, Estimate]]], metric: str
) -> Figure:
    """Bars of one metric for each label, the systems side by side, with their intervals.

    Args:
        systems: what ranked -> what :func:`~logic_retrievers.evaluation.estimates_by` found. A
            label without the metric has no bar.
        metric: which.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    labels = list(
        dict.fromkeys(
            label for found in systems.values() for label, of in found.items() if metric in of
        )
    )
    figure = empty_figure(3.5 + 1.1 * len(labels), 4.0)
    axes = figure.add_subplot()
    width = 0.8 / max(len(systems), 1)
    for number, (system, found) in enumerate(systems.items()):
        bars = {
            at: found[label][metric]
            for at, label in enumerate(labels)
            if metric in found.get(label, ())
        }
        mean, low, high = np.array(list(bars.values())).reshape(-1, 3).T
        places = [at + (number - (len(systems) - 1) / 2) * width for at in bars]
        axes.bar(places, mean, width, yerr=[mean - low, high - mean], label=system, capsize=2)
    axes.set(ylabel=metric)
    axes.set_xticks(range(len(labels)), labels)
    figure.legend(loc="outside right upper")  # inside it would hide bars
    return figure


def score_figure(panels: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]]) -> Figure:
    """Scores of A AND B against those of A AND NOT B, a point a document (LogiCoL).

    Args:
        panels: title -> scores of the two queries over the same documents.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure = empty_figure(4.0 * max(len(panels), 1), 4.0)
    for place, (title, (both, without)) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, len(panels), place)
        axes.scatter(np.asarray(both), np.asarray(without), s=8, alpha=0.5)
        axes.set(title=title, xlabel="A and B", ylabel="A and not B")
    return figure


def empty_figure(width: float, height: float) -> Figure:
    """A figure of that size in inches that no window shows.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "eval") from error
    # Figure itself, not pyplot: no window, no global list of open figures.
    return Figure(figsize=(width, height), layout="constrained")
