"""Matplotlib figures of an evaluation; matplotlib is in the ``dev`` extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def label_figure(
    systems: Mapping[str, Mapping[str, Mapping[str, Estimate]]], metric: str
) -> Figure:
    """Bars of one metric for each label, the systems side by side, with their intervals.

    Args:
        systems: system -> label -> metric -> estimate, as ``estimates_by_label`` gives them. A
            label without the metric has no bar.
        metric: which.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    labels = list(
        dict.fromkeys(
            label
            for estimates in systems.values()
            for label, metrics in estimates.items()
            if metric in metrics
        )
    )
    figure = empty_figure(3.5 + 1.1 * len(labels), 4.0)
    axes = figure.add_subplot()
    width = 0.8 / max(len(systems), 1)
    for number, (system, values) in enumerate(systems.items()):
        bars = {
            at: values[label][metric]
            for at, label in enumerate(labels)
            if metric in values.get(label, ())
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
    """An empty figure, sizes in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "dev") from error
    # Figure itself, not pyplot: no window, no global list of open figures.
    return Figure(figsize=(width, height), layout="constrained")
