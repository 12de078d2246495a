"""Reliability of the probability of a contradiction, and precision and recall of conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import Estimate, bootstrap
from logic_retrievers.evaluation.calibration import Bin, reliability
from logic_retrievers.evaluation.detection import precision_recall
from logic_retrievers.evaluation.shares import wilson
from logic_retrievers.report.artefacts import Curve, Curves, Figure
from logic_retrievers.report.judging import COSINE, CROSS, PROBABILITY, Judge
from logic_retrievers.report.labelled_pairs import LabelledPairs

Values = npt.NDArray[np.float64]

POINTS = 150
"""Of a line of precision and recall, at most."""

DIGITS = 5


def reliability_figure(
    sets: Sequence[LabelledPairs], judged: Mapping[str, Mapping[str, Judge]], seed: int
) -> Figure:
    """A panel a set: what was said against what came, a row of marks for each probability."""
    return Figure(
        name="reliability",
        title="Reliability of the probability of a contradiction",
        caption=(
            "Ten bins of equal numbers of pairs: what was said against how many contradict, with "
            "95 % intervals. Under the diagonal contradictions are promised that are none."
        ),
        plot=Curves(
            x_label="probability said",
            y_label="share that contradicts",
            panels={
                one.name: {
                    label: _bins(one, judge.scores, seed)
                    for label, judge in judged[one.name].items()
                    if judge.threshold is not None
                }
                for one in sets
            },
            style="marks",
            diagonal=True,
            x_limits=(0, 1),
            y_limits=(0, 1),
        ),
    )


def _bins(one: LabelledPairs, scores: Values, seed: int) -> Curve:
    bins = reliability(one.contradicts, scores)
    ends = [_interval(one, some, seed) for some in bins]
    return Curve(
        x=tuple(round(some.predicted, DIGITS) for some in bins),
        y=tuple(round(some.observed, DIGITS) for some in bins),
        low=tuple(round(end.low, DIGITS) for end in ends),
        high=tuple(round(end.high, DIGITS) for end in ends),
        labels=tuple(f"{len(some.places)} pairs" for some in bins),
    )


def _interval(one: LabelledPairs, some: Bin, seed: int) -> Estimate:
    """Of the share of a bin, by groups; where all are alike no draw differs, and Wilson's is."""
    said = one.contradicts[some.places]
    if said.all() or not said.any():
        return wilson(said.tolist()) or Estimate(some.observed, 0.0, 1.0)
    groups = [one.groups[place] for place in some.places]
    return bootstrap(said.astype(np.float64), groups, seed=seed)[0]


def precision_figure(
    sets: Sequence[LabelledPairs], judged: Mapping[str, Mapping[str, Judge]]
) -> Figure:
    """A panel a set: a line a judge, and the threshold in use."""
    return Figure(
        name="conflict-precision-recall",
        title="Precision and recall of conflicts",
        caption=(
            "An upright line stands at the recall that the threshold in use reaches. Precision at "
            "a recall of 1 is the share of contradictions in the set, what chance has."
        ),
        plot=Curves(
            x_label="recall",
            y_label="precision",
            panels={one.name: _lines(one, judged[one.name]) for one in sets},
            style="step",
            x_limits=(0, 1),
            y_limits=(0, 1),
        ),
    )


def _lines(one: LabelledPairs, judges: Mapping[str, Judge]) -> dict[str, Curve]:
    lines = {}
    for label in (PROBABILITY, COSINE, CROSS):
        if label not in judges:
            continue
        found = precision_recall(one.contradicts, judges[label].scores)
        kept = np.unique(np.linspace(0, len(found.recall) - 1, POINTS).astype(int))
        lines[label] = Curve(
            x=tuple(np.round(found.recall[kept], DIGITS).tolist()),
            y=tuple(np.round(found.precision[kept], DIGITS).tolist()),
        )
    ours = judges[PROBABILITY]
    flagged = ours.scores >= (ours.threshold or 1.0)
    right = int((flagged & one.contradicts).sum())
    if right:
        at, height = right / int(one.contradicts.sum()), right / int(flagged.sum())
        ends = (round(at, DIGITS),) * 2
        lines[f"threshold {ours.threshold:g}"] = Curve(x=ends, y=(0.0, round(height, DIGITS)))
    return lines
