"""One probability of a contradiction, from the vectors and from what cross-encoders read.

python -m benchmarks.product.conflict_probability [--bundle DIR] [--fit] [--most 700]

Measures the vectors, each cross-encoder (relation and NLI), and all combined, on labelled pairs
of several kinds: ROC-AUC, calibration error, and conflicts at the threshold. Then it counts alarms
among neighbours in corpora without contradictions: 30 lists of six passages each, and sentences
with their nearest passages. ``--fit`` fits the weights again, on development parts alone (each set
counts the same), measures with them, and prints them as constants for ``logic-export add-judge``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
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
    evaluation_sets,
    fit_sets,
    neighbour_lists,
    statement_lists,
)
from logic_retrievers import ContradictionScorer
from logic_retrievers.judging import RELATIONS, OnnxNLI, OnnxRelation
from logic_retrievers.judging.conflict import WEIGHTS, ConflictConstants, Use, conflict_features
from logic_retrievers.judging.relation import pair_texts

Values: TypeAlias = npt.NDArray[np.float64]

# Thresholds of a conflict, and of dropping a passage for it; chosen on development parts.
THRESHOLDS: dict[Use, tuple[float, ...]] = {"passages": (0.7, 0.8), "statements": (0.7,)}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", help="in place of the shipped one")
    parser.add_argument("--fit", action="store_true", help="find the weights again")
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
            np.hstack([relation(texts), nli(texts)]),
        )

    constants = fit_constants(read, options.most) if options.fit else nli.constants
    for use, sets in evaluation_sets(options.most).items():
        known = ConflictConstants.of(constants, use)
        rows = [measure(name, read(pairs), known, use) for name, pairs in sets.items()]
        publish(f"conflict probability, {use}", rows, threshold=known.threshold)
    lists: dict[Use, Callable[[str], Pairs]] = {
        "passages": neighbour_lists,
        "statements": statement_lists,
    }
    for use, pairs_of in lists.items():
        known = ConflictConstants.of(constants, use)
        alarms = [count_alarms(n, read(pairs_of(n)), known, scorer, use) for n in CORPORA]
        publish(f"conflict probability, {use} without contradictions", alarms)


@dataclass(frozen=True, slots=True)
class Readings:
    """Labelled pairs as the vectors and the cross-encoders see them.

    Args:
        labels: whether each pair contradicts.
        own: probabilities by the vectors, shape (pairs,).
        read: probabilities of the relation, then of the NLI labels, shape (pairs, 9).
    """

    labels: npt.NDArray[np.bool_]
    own: Values
    read: Values

    def rows(self, use: Use) -> Iterator[tuple[float, list[float]]]:
        """Iterate over the inputs of each combined probability."""
        relation, inference = np.split(self.read, [len(RELATIONS)], axis=1)
        read = relation if use == "passages" else inference
        return zip(self.own.tolist(), read.tolist(), strict=True)

    def as_one(self, constants: ConflictConstants, use: Use) -> Values:
        """Combine the inputs of each pair into one probability."""
        return np.array([constants.probability(*row) for row in self.rows(use)])


def fit_constants(read: Callable[[Pairs], Readings], most: int) -> dict[str, float]:
    """Fit the constants of both uses, and print them."""
    found: dict[str, float] = {}
    for use, sets in fit_sets(most).items():
        weights = fit([read(pairs) for pairs in sets], use)
        thresholds = ("threshold", "drop_above")[: len(THRESHOLDS[use])]
        found |= {
            f"{use}_{name}": round(value, 4)
            for name, value in zip(
                (*thresholds, *WEIGHTS[use]), (*THRESHOLDS[use], *weights), strict=True
            )
        }
    for name, value in found.items():
        print(f"--constant {name}={value}")
    return found


def fit(sets: Sequence[Readings], use: Use) -> list[float]:
    """Fit a logistic regression in which each set counts the same; return its weights."""
    features = np.array([conflict_features(use, *row)[1:] for s in sets for row in s.rows(use)])
    weights = np.concatenate([np.full(len(s.labels), 1 / len(s.labels)) for s in sets])
    model = LogisticRegression(max_iter=2000).fit(
        features,
        np.concatenate([s.labels for s in sets]),
        sample_weight=weights * len(weights) / weights.sum(),
    )
    return [*model.intercept_.tolist(), *model.coef_[0].tolist()]


def measure(
    name: str, readings: Readings, constants: ConflictConstants, use: Use
) -> dict[str, Any]:
    """Measure ROC-AUC, calibration error and the conflicts found in one set."""
    both = readings.as_one(constants, use)
    flagged = both >= constants.threshold
    labels = readings.labels
    precision = labels[flagged].mean() if flagged.any() else float("nan")
    return {
        "pairs": name,
        "contradictions": f"{labels.sum()} of {len(labels)}",
        "ROC-AUC: vectors": round(float(roc_auc_score(labels, readings.own)), 3),
        "relation": round(float(roc_auc_score(labels, readings.read[:, 0])), 3),
        "nli": round(float(roc_auc_score(labels, readings.read[:, -1])), 3),
        "both": round(float(roc_auc_score(labels, both)), 3),
        "calibration error: vectors": round(calibration_error(labels, readings.own), 3),
        "both ": round(calibration_error(labels, both), 3),
        "found / precision": f"{flagged[labels].mean():.2f} / {precision:.2f}",
    }


def count_alarms(
    name: str,
    readings: Readings,
    constants: ConflictConstants,
    scorer: ContradictionScorer,
    use: Use,
) -> dict[str, Any]:
    """Count the conflicts found where there are none."""
    both = readings.as_one(constants, use) >= constants.threshold
    return {
        "corpus": name,
        "pairs": len(readings.labels),
        "vectors": int((readings.own >= scorer.constants.threshold).sum()),
        "both": int(both.sum()),
        "lists of six with one": (
            int(both.reshape(LISTS, -1).any(axis=1).sum()) if use == "passages" else "-"
        ),
    }


if __name__ == "__main__":
    main()
