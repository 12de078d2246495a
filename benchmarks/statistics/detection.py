"""How well scores separate positive rows from the others, NaN where undefined.

In numpy: a bootstrap calls these a quarter of a million times, and scikit-learn's functions, which
the tests compare them with, spend a millisecond each on checks.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Values: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.bool_]


class PrecisionRecall(NamedTuple):
    """A point for each threshold, the highest first; arrays of one shape."""

    thresholds: Values
    precision: Values
    recall: Values


def roc_auc(positive: Labels, scores: Values) -> float:
    """Share of pairs of a positive and another row whose positive scores higher; ties count half.

    NaN where all rows are positive or none is.
    """
    count = int(positive.sum())
    if not 0 < count < len(positive):
        return float("nan")
    _, inverse, ties = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[inverse]  # mean rank of each, from 1
    above = ranks[positive].sum() - count * (count + 1) / 2
    return float(above / (count * (len(positive) - count)))


def precision_recall(positive: Labels, scores: Values) -> PrecisionRecall:
    """Precision and recall of flagging every row that scores at least a threshold.

    Rows of one score are flagged together, so the order of ties decides nothing.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, is_positive = scores[order], positive[order]
    last = np.append(np.diff(ranked) != 0, True)  # of each run of equal scores
    flagged = np.flatnonzero(last) + 1
    true_positives = np.cumsum(is_positive)[last]
    total = int(positive.sum())
    recall = true_positives / total if total else np.full(len(true_positives), np.nan)
    return PrecisionRecall(ranked[last], true_positives / flagged, recall)


def average_precision(positive: Labels, scores: Values) -> float:
    """Area under the steps of precision over recall; NaN where nothing is positive."""
    if not positive.any():
        return float("nan")
    _, precision, recall = precision_recall(positive, scores)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def f1(positive: Labels, flagged: Labels) -> float:
    """Harmonic mean of precision and recall; NaN where nothing is positive and nothing flagged."""
    total = int(positive.sum() + flagged.sum())
    return 2 * float((positive & flagged).sum()) / total if total else float("nan")
