"""Measure the probability of a contradiction, by the vectors and by cross-encoders.

python -m benchmarks.product.conflict_probability [--bundle DIR] [--fit] [--most 700]

Compares the vectors, each cross-encoder (relation and NLI), and the combined probability of filter
and search on labelled pairs of several kinds: ROC-AUC, calibration error, and conflicts at the
threshold. Then it counts alarms among neighbours in corpora without contradictions: 30 lists of six
passages each, and sentences with their nearest passages. ``--fit`` refits the weights of NLI on
development parts alone (each set counts the same), measures with these weights, and prints them as
constants for ``logic-export add-judge``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.common.output import cached_encoder, publish
from benchmarks.common.statistics import calibration_error
from benchmarks.product.cleaning_alarms import CORPORA
from benchmarks.product.conflict_pairs import (
    LISTS,
    Pairs,
    Use,
    evaluation_sets,
    fit_sets,
    neighbour_lists,
    statement_lists,
)
from logic_retrievers import ContradictionScorer
from logic_retrievers.judging import OnnxNLI, OnnxRelation
from logic_retrievers.judging.relation import conflict_probability, pair_texts

Values: TypeAlias = npt.NDArray[np.float64]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", help="in place of the shipped one")
    parser.add_argument("--fit", action="store_true", help="find the weights of NLI again")
    parser.add_argument("--most", type=int, default=700, help="pairs of a set")
    options = parser.parse_args()
    relation = OnnxRelation(options.bundle)
    nli = OnnxNLI(shares=relation)
    scorer = ContradictionScorer(cached_encoder())

    def read(pairs: Pairs) -> Readings:
        texts = [pair_texts(one, other, ("date", "source")) for one, other, _ in pairs]
        scores = scorer.score([(one.text, other.text) for one, other, _ in pairs])
        return Readings(
            np.array([label for _, _, label in pairs], dtype=bool),
            np.array([score.probability or 0.0 for score in scores]),
            np.array(relation(texts)),
            np.array(nli(texts)),
        )

    constants: dict[Use, dict[str, float]] = {
        "passages": relation.constants,
        "statements": nli.constants,
    }
    if options.fit:
        constants["statements"] |= fit([read(pairs) for pairs in fit_sets(options.most)])
    for use, sets in evaluation_sets(options.most).items():
        rows = [measure(name, read(pairs), constants[use], use) for name, pairs in sets.items()]
        publish(f"conflict probability, {use}", rows, threshold=constants[use]["threshold"])
    lists: dict[Use, Callable[[str], Pairs]] = {
        "passages": neighbour_lists,
        "statements": statement_lists,
    }
    for use, pairs_of in lists.items():
        alarms = [count_alarms(n, read(pairs_of(n)), constants[use], scorer, use) for n in CORPORA]
        publish(f"conflict probability, {use} without contradictions", alarms)


@dataclass(frozen=True, slots=True)
class Readings:
    """Labelled pairs with the probabilities of vectors and cross-encoders.

    Args:
        labels: whether each pair contradicts.
        own: probabilities by the vectors, shape (pairs,).
        relation: probabilities of ``RELATIONS``, shape (pairs, 6).
        nli: probabilities of ``LABELS``, shape (pairs, 3).
    """

    labels: npt.NDArray[np.bool_]
    own: Values
    relation: Values
    nli: Values

    def conflicts(self, constants: dict[str, float], use: Use) -> Values:
        """Compute each pair's probability of a conflict, as filter and search do."""
        read = self.relation if use == "passages" else self.nli
        rows = zip(read.tolist(), self.own.tolist(), strict=True)
        return np.array([conflict_probability(row, own, constants) for row, own in rows])


def fit(sets: Sequence[Readings]) -> dict[str, float]:
    """Fit a logistic regression in which each set counts the same; print its weights."""
    own = np.concatenate([readings.own for readings in sets]).clip(1e-4, 1 - 1e-4)
    inference = np.concatenate([readings.nli for readings in sets])
    features = np.stack([np.log(own / (1 - own)), inference[:, 2] - inference[:, 0]], axis=1)
    weights = np.concatenate([np.full(len(s.labels), 1 / len(s.labels)) for s in sets])
    model = LogisticRegression(max_iter=2000).fit(
        features,
        np.concatenate([s.labels for s in sets]),
        sample_weight=weights * len(weights) / weights.sum(),
    )
    values = [*model.intercept_.tolist(), *model.coef_[0].tolist()]
    found = dict(zip(("intercept", "own", "margin"), map(float, values), strict=True))
    for name, value in found.items():
        print(f"--constant {name}={value:.4f}")
    return found


def measure(name: str, readings: Readings, constants: dict[str, float], use: Use) -> dict[str, Any]:
    """Measure ROC-AUC, calibration error and the conflicts found in one set."""
    conflicts = readings.conflicts(constants, use)
    flagged = conflicts >= constants["threshold"]
    labels = readings.labels
    precision = labels[flagged].mean() if flagged.any() else float("nan")
    scores = {
        "vectors": readings.own,
        "relation": readings.relation[:, :3].sum(axis=1),
        "nli": readings.nli[:, 2],
        "as used": conflicts,
    }
    return {
        "pairs": name,
        "conflicts": f"{labels.sum()} of {len(labels)}",
        **{f"ROC-AUC: {n}": round(float(roc_auc_score(labels, s)), 3) for n, s in scores.items()},
        "calibration error: vectors": round(calibration_error(labels, readings.own), 3),
        "as used": round(calibration_error(labels, conflicts), 3),
        "found / precision": f"{flagged[labels].mean():.2f} / {precision:.2f}",
    }


def count_alarms(
    name: str,
    readings: Readings,
    constants: dict[str, float],
    scorer: ContradictionScorer,
    use: Use,
) -> dict[str, Any]:
    """Count the conflicts found in pairs without a conflict."""
    conflicts = readings.conflicts(constants, use) >= constants["threshold"]
    return {
        "corpus": name,
        "pairs": len(readings.labels),
        "vectors": int((readings.own >= scorer.constants.threshold).sum()),
        "as used": int(conflicts.sum()),
        "lists of six with one": (
            int(conflicts.reshape(LISTS, -1).any(axis=1).sum()) if use == "passages" else "-"
        ),
    }


if __name__ == "__main__":
    main()
