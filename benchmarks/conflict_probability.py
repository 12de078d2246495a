"""One probability of a contradiction from the vectors and from what a cross-encoder reads.

python -m benchmarks.conflict_probability [--bundle DIR] [--fit] [--most 700]

Measures the vectors alone, what was read alone, and both as one, on labelled pairs of several
kinds: ROC-AUC, calibration error, and conflicts at the shipped threshold. Beside them, alarms among
neighbours of corpora that contradict themselves nowhere: 30 lists of six passages each. ``--fit``
finds the weights anew, on development parts alone (each set counts the same), and prints them as
constants for ``logic-export add-judge``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.cleaning_alarms import CORPORA
from benchmarks.common.labelled_pairs import (
    Labelled,
    conflictqa_pairs,
    load_labelled_sets,
    sample_rows,
)
from benchmarks.common.output import cached_encoder, document_vectors, publish
from benchmarks.contradiction_filter import load_questions
from benchmarks.pair_kinds import load_pairs
from benchmarks.statistics.calibration import calibration_error
from logic_retrievers import ContradictionScorer
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import OnnxConflictKinds, OnnxPairKinds
from logic_retrievers.judging.conflict import WEIGHTS, ConflictConstants, conflict_features
from logic_retrievers.judging.pair_kinds import pair_texts
from logic_retrievers.types import Passage

Pairs: TypeAlias = Sequence[tuple[Passage, Passage, bool]]
Values: TypeAlias = npt.NDArray[np.float64]

LISTS, LIST_SIZE = 30, 6
MOST_PASSAGES = 1500
THRESHOLD = 0.6


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", help="in place of the shipped one")
    parser.add_argument("--fit", action="store_true", help="find the weights anew")
    parser.add_argument("--most", type=int, default=700, help="pairs of a set")
    options = parser.parse_args()
    reader = OnnxConflictKinds(options.bundle)
    scorer = ContradictionScorer(cached_encoder())
    constants = ConflictConstants.of(reader.constants)
    if options.fit:
        constants = fit([read(pairs, scorer, reader) for pairs in fit_sets(options.most)])
        names = ("threshold", *WEIGHTS)
        values = (constants.threshold, *(constants.weights or ()))
        for name, value in zip(names, values, strict=True):
            print(f"--constant conflict_{name}={value:.4f}")
    rows = [
        measure(name, read(pairs, scorer, reader), constants)
        for name, pairs in evaluation_sets(options.most).items()
    ]
    publish("conflict probability", rows, threshold=constants.threshold)
    alarms = [
        count_alarms(name, read(neighbour_lists(name), scorer, reader), constants, scorer)
        for name in CORPORA
    ]
    publish("conflict probability, lists without contradictions", alarms)


class Readings:
    """Labelled pairs as the vectors and the cross-encoder see them.

    Attributes:
        labels: whether each pair contradicts.
        own, cosines: what the vectors say, of shape (pairs,).
        kinds: what was read, of shape (pairs, kinds).
    """

    def __init__(self, labels: Sequence[bool], own: Values, cosines: Values, kinds: Values) -> None:
        self.labels = np.array(labels, dtype=bool)
        self.own, self.cosines, self.kinds = own, cosines, kinds

    def as_one(self, constants: ConflictConstants) -> Values:
        """The probabilities of both as one."""
        return np.array([constants.probability(*row) for row in self._rows()])

    def features(self) -> Values:
        """Those of the regression, of shape (pairs, weights without the intercept)."""
        return np.array([conflict_features(*row)[1:] for row in self._rows()])

    def _rows(self) -> Iterator[tuple[float, float, list[float]]]:
        return zip(self.own.tolist(), self.cosines.tolist(), self.kinds.tolist(), strict=True)


def read(pairs: Pairs, scorer: ContradictionScorer, reader: OnnxPairKinds) -> Readings:
    """Scores and reads the pairs."""
    scores = scorer.score([(one.text, other.text) for one, other, _ in pairs])
    kinds = reader([pair_texts(one, other, ("date", "source")) for one, other, _ in pairs])
    return Readings(
        [label for _, _, label in pairs],
        np.array([score.probability or 0.0 for score in scores]),
        np.array([score.cosine for score in scores]),
        np.array(kinds),
    )


def fit(sets: Sequence[Readings]) -> ConflictConstants:
    """Weights of least cross entropy, where each set counts the same."""
    weights = np.concatenate([np.full(len(s.labels), 1 / len(s.labels)) for s in sets])
    model = LogisticRegression(max_iter=2000).fit(
        np.vstack([s.features() for s in sets]),
        np.concatenate([s.labels for s in sets]),
        sample_weight=weights * len(weights) / weights.sum(),
    )
    found = (*model.intercept_.tolist(), *model.coef_[0].tolist())
    return ConflictConstants(THRESHOLD, tuple(round(value, 4) for value in found))


def measure(name: str, readings: Readings, constants: ConflictConstants) -> dict[str, Any]:
    """Order, calibration and conflicts of one set."""
    both = readings.as_one(constants)
    flagged = both >= constants.threshold
    labels = readings.labels
    precision = labels[flagged].mean() if flagged.any() else float("nan")
    return {
        "pairs": name,
        "contradictions": f"{labels.sum()} of {len(labels)}",
        "ROC-AUC: vectors": round(float(roc_auc_score(labels, readings.own)), 3),
        "read": round(float(roc_auc_score(labels, readings.kinds[:, 0])), 3),
        "both": round(float(roc_auc_score(labels, both)), 3),
        "calibration error: vectors": round(calibration_error(labels, readings.own), 3),
        "both ": round(calibration_error(labels, both), 3),
        "found / precision": f"{flagged[labels].mean():.2f} / {precision:.2f}",
    }


def count_alarms(
    name: str, readings: Readings, constants: ConflictConstants, scorer: ContradictionScorer
) -> dict[str, Any]:
    """Conflicts in lists that have none."""
    both = readings.as_one(constants) >= constants.threshold
    return {
        "corpus": name,
        "lists": LISTS,
        "pairs": len(readings.labels),
        "vectors": int((readings.own >= scorer.constants.threshold).sum()),
        "both": int(both.sum()),
        "lists with one": int(both.reshape(LISTS, -1).any(axis=1).sum()),
    }


def fit_sets(most: int) -> list[Pairs]:
    """Development parts: argued passages, inference, short passages of a corpus, web documents."""
    everything, one_question = conflictqa_pairs("dev")
    return [
        *(_plain(sample_rows(rows, most)) for rows in (everything, one_question)),
        _inference("mnli_small/dev", most),
        _inference("cad_nli/dev", most),
        _natural("natural_dev"),
        _documents("dev", most),
    ]


def evaluation_sets(most: int) -> dict[str, Pairs]:
    """Held-out pairs; of ``natural_dev`` and RAMDocs the weights were found on these."""
    labelled = {
        s.name: _plain(
            [(*pair, bool(c), "") for pair, c in zip(s.pairs, s.contradicts, strict=True)]
        )
        for s in load_labelled_sets(most)
    }
    return {
        **labelled,
        "fever_symmetric dev, two ways": _inference("fever_symmetric/dev", most, two_ways=True),
        "fm2 dev, two ways": _inference("fm2/dev", most, two_ways=True),
        "natural_dev (in the fit)": _natural("natural_dev"),
        "versions dev3": _natural("dev3"),
        "RAMDocs dev (in the fit)": _documents("dev", most),
    }


def neighbour_lists(name: str, seed: int = 5) -> Pairs:
    """All pairs of :data:`LISTS` passages, each with its nearest."""
    rows = json_rows(data_folder() / CORPORA[name])
    texts = list(dict.fromkeys(text for row in rows if (text := row.text("text")).strip()))
    random = Random(seed)
    random.shuffle(texts)
    texts = texts[:MOST_PASSAGES]
    vectors = document_vectors("topical", texts)
    drawn = random.sample(range(len(texts)), LISTS)
    nearest = np.argsort(-(vectors[drawn] @ vectors.T), axis=1)[:, :LIST_SIZE]
    return [
        (Passage("one", texts[one]), Passage("other", texts[other]), False)
        for numbers in nearest.tolist()
        for one, other in combinations(numbers, 2)
    ]


def _plain(rows: Sequence[Labelled]) -> Pairs:
    return [(Passage("one", one), Passage("other", other), label) for one, other, label, _ in rows]


def _inference(name: str, most: int, *, two_ways: bool = False) -> Pairs:
    rows = [
        (row.text("premise"), row.text("hypothesis"), row.text("label") == "contradiction", "")
        for row in json_rows(data_folder() / "nli" / f"{name}.jsonl.gz")
        if not two_ways or row.text("label") != "neutral"
    ]
    return _plain(sample_rows(rows, most))


def _natural(part: str) -> Pairs:
    return [
        (
            Passage("one", row["one"]["text"], row["one"]["metadata"]),
            Passage("other", row["other"]["text"], row["other"]["metadata"]),
            row["label"] == "contradiction",
        )
        for row in load_pairs(part)
    ]


def _documents(part: str, most: int) -> Pairs:
    """Documents of one question: a right and a wrong one contradict each other."""
    rows = [
        (one.text, other.text, {one.kind, other.kind} == {"correct", "misinfo"}, "")
        for question in load_questions(part)
        for one, other in combinations(question.documents, 2)
    ]
    return _plain(sample_rows(rows, most))


if __name__ == "__main__":
    main()
