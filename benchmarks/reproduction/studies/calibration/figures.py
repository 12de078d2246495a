"""Figures of calibration: reliability, and precision against recall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.common.labelled_pairs import LabelledPairs
from benchmarks.common.pair_scorers import COSINE, CROSS_ENCODER, PROBABILITY, PairScores
from benchmarks.reproduction.artefacts import Curve, Curves, Figure
from benchmarks.statistics.calibration import Bin, reliability
from benchmarks.statistics.detection import precision_recall
from benchmarks.statistics.shares import wilson_interval
from logic_retrievers.evaluation import Estimate, bootstrap

Values = npt.NDArray[np.float64]

POINTS = 150
"""Of a line of precision and recall, at most."""

DIGITS = 5


def reliability_figure(
    sets: Sequence[LabelledPairs], scores: Mapping[str, Mapping[str, PairScores]], seed: int
) -> Figure:
    """A panel per set: predicted against observed shares, marks for each probability."""
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
                labelled.name: {
                    label: _bins(labelled, judge.scores, seed)
                    for label, judge in scores[labelled.name].items()
                    if judge.threshold is not None
                }
                for labelled in sets
            },
            style="marks",
            diagonal=True,
            x_limits=(0, 1),
            y_limits=(0, 1),
        ),
    )


def _bins(labelled: LabelledPairs, scores: Values, seed: int) -> Curve:
    bins = reliability(labelled.contradicts, scores)
    ends = [_interval(labelled, bin_, seed) for bin_ in bins]
    return Curve(
        x=tuple(round(bin_.predicted, DIGITS) for bin_ in bins),
        y=tuple(round(bin_.observed, DIGITS) for bin_ in bins),
        low=tuple(round(end.low, DIGITS) for end in ends),
        high=tuple(round(end.high, DIGITS) for end in ends),
        labels=tuple(f"{len(bin_.places)} pairs" for bin_ in bins),
    )


def _interval(labelled: LabelledPairs, bin_: Bin, seed: int) -> Estimate:
    """Interval of the share of a bin; by groups, or Wilson's if all labels are equal."""
    positive = labelled.contradicts[bin_.places]
    if positive.all() or not positive.any():
        return wilson_interval(int(positive.sum()), len(positive))
    groups = [labelled.groups[place] for place in bin_.places]
    return bootstrap(positive.astype(np.float64), groups, seed=seed)[0]


def precision_figure(
    sets: Sequence[LabelledPairs], scores: Mapping[str, Mapping[str, PairScores]]
) -> Figure:
    """A panel per set: a line per judge, and the threshold in use."""
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
            panels={labelled.name: _lines(labelled, scores[labelled.name]) for labelled in sets},
            style="step",
            x_limits=(0, 1),
            y_limits=(0, 1),
        ),
    )


def _lines(labelled: LabelledPairs, judges: Mapping[str, PairScores]) -> dict[str, Curve]:
    lines = {}
    for label in (PROBABILITY, COSINE, CROSS_ENCODER):
        if label not in judges:
            continue
        curve = precision_recall(labelled.contradicts, judges[label].scores)
        points = np.unique(np.linspace(0, len(curve.recall) - 1, POINTS).astype(int))
        lines[label] = Curve(
            x=tuple(np.round(curve.recall[points], DIGITS).tolist()),
            y=tuple(np.round(curve.precision[points], DIGITS).tolist()),
        )
    probability = judges[PROBABILITY]
    flagged = probability.scores >= (probability.threshold or 1.0)
    right = int((flagged & labelled.contradicts).sum())
    if right:
        at, height = right / int(labelled.contradicts.sum()), right / int(flagged.sum())
        ends = (round(at, DIGITS),) * 2
        lines[f"threshold {probability.threshold:g}"] = Curve(
            x=ends, y=(0.0, round(height, DIGITS))
        )
    return lines
