"""One probability of a contradiction from the vectors and from what a cross-encoder reads.

python -m benchmarks.conflict_probability [--bundle DIR] [--fit] [--most 700]

Measures the vectors alone, what was read alone, and both as one, on labelled pairs of several
kinds: ROC-AUC, calibration error, and conflicts at the shipped threshold. Beside them, alarms among
neighbours of corpora that contradict themselves nowhere: 30 lists of six passages each, and
sentences beside their nearest passages. ``--fit`` finds the weights anew, on development parts
alone (each set counts the same), and prints them as constants for ``logic-export add-judge``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
from logic_retrievers.judging import PAIR_KINDS, OnnxNLI, OnnxPairKinds
from logic_retrievers.judging.conflict import WEIGHTS, ConflictConstants, Use, conflict_features
from logic_retrievers.judging.pair_kinds import pair_texts
from logic_retrievers.types import Passage

Pairs: TypeAlias = Sequence[tuple[Passage, Passage, bool]]
Values: TypeAlias = npt.NDArray[np.float64]

LISTS, LIST_SIZE = 30, 6
STATEMENTS, NEAREST = 70, 8
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
MOST_PASSAGES = 1500
THRESHOLDS: dict[Use, tuple[float, ...]] = {"passages": (0.7, 0.8), "statements": (0.7,)}
"""Of a conflict, and of one for which a passage is dropped; chosen on development parts."""


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bundle", help="in place of the shipped one")
    parser.add_argument("--fit", action="store_true", help="find the weights anew")
    parser.add_argument("--most", type=int, default=700, help="pairs of a set")
    options = parser.parse_args()
    kinds = OnnxPairKinds(options.bundle)
    nli = OnnxNLI(shares=kinds)
    scorer = ContradictionScorer(cached_encoder())

    def read(pairs: Pairs) -> Readings:
        texts = [pair_texts(one, other, ("date", "source")) for one, other, _ in pairs]
        scores = scorer.score([(one.text, other.text) for one, other, _ in pairs])
        return Readings(
            np.array([label for _, _, label in pairs], dtype=bool),
            np.array([score.probability or 0.0 for score in scores]),
            np.array([score.cosine for score in scores]),
            np.hstack([kinds(texts), nli(texts)]),
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
        own, cosines: what the vectors say, of shape (pairs,).
        read: probabilities of the kinds and of the labels of inference, of shape (pairs, 8).
    """

    labels: npt.NDArray[np.bool_]
    own: Values
    cosines: Values
    read: Values

    def rows(self, use: Use) -> Iterator[tuple[float, float, list[float]]]:
        """What one probability is made of."""
        read = self.read if use == "passages" else self.read[:, len(PAIR_KINDS) :]
        return zip(self.own.tolist(), self.cosines.tolist(), read.tolist(), strict=True)

    def as_one(self, constants: ConflictConstants, use: Use) -> Values:
        """The probabilities of all as one."""
        return np.array([constants.probability(*row) for row in self.rows(use)])


def fit_constants(read: Callable[[Pairs], Readings], most: int) -> dict[str, float]:
    """Constants of both uses; prints them."""
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
    """Weights of least cross entropy, where each set counts the same."""
    features = np.vstack([[conflict_features(use, *row)[1:] for row in s.rows(use)] for s in sets])
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
    """Order, calibration and conflicts of one set."""
    both = readings.as_one(constants, use)
    flagged = both >= constants.threshold
    labels = readings.labels
    precision = labels[flagged].mean() if flagged.any() else float("nan")
    return {
        "pairs": name,
        "contradictions": f"{labels.sum()} of {len(labels)}",
        "ROC-AUC: vectors": round(float(roc_auc_score(labels, readings.own)), 3),
        "kinds": round(float(roc_auc_score(labels, readings.read[:, 0])), 3),
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
    """Conflicts where there are none."""
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


def fit_sets(most: int) -> dict[Use, list[Pairs]]:
    """Development parts: argued and short passages; inference, also without neutral pairs."""
    everything, one_question = conflictqa_pairs("dev")
    inference = ("mnli_small/dev", "cad_nli/dev")
    return {
        "passages": [
            *(_plain(sample_rows(rows, most)) for rows in (everything, one_question)),
            _natural("natural_dev"),
        ],
        "statements": [
            *(_inference(n, most, two_ways=ways) for ways in (False, True) for n in inference),
            *(statement_lists(name) for name in ("films", "users")),
        ],
    }


def evaluation_sets(most: int) -> dict[Use, dict[str, Pairs]]:
    """Held-out pairs; of ``natural_dev`` the weights were found on these."""
    labelled = {
        s.name: _plain(
            [(*pair, bool(c), "") for pair, c in zip(s.pairs, s.contradicts, strict=True)]
        )
        for s in load_labelled_sets(most)
    }
    argued = {name: pairs for name, pairs in labelled.items() if name.startswith("ConflictQA")}
    return {
        "statements": {
            **{name: pairs for name, pairs in labelled.items() if name not in argued},
            "fever_symmetric dev, two ways": _inference("fever_symmetric/dev", most, two_ways=True),
            "fm2 dev, two ways": _inference("fm2/dev", most, two_ways=True),
        },
        "passages": {
            **argued,
            "natural_dev (in the fit)": _natural("natural_dev"),
            "versions dev3": _natural("dev3"),
            "RAMDocs dev": _documents("dev", most),
        },
    }


def neighbour_lists(name: str, seed: int = 5) -> Pairs:
    """All pairs of :data:`LISTS` passages, each with its nearest."""
    random = Random(seed)
    texts = _texts(name, random)
    vectors = document_vectors("topical", texts)
    drawn = random.sample(range(len(texts)), LISTS)
    nearest = np.argsort(-(vectors[drawn] @ vectors.T), axis=1)[:, :LIST_SIZE]
    return [
        (Passage("one", texts[one]), Passage("other", texts[other]), False)
        for numbers in nearest.tolist()
        for one, other in combinations(numbers, 2)
    ]


def statement_lists(name: str, seed: int = 7) -> Pairs:
    """Sentences of :data:`STATEMENTS` passages, each beside the nearest other passages."""
    random = Random(seed)
    texts = _texts(name, random)
    vectors = document_vectors("topical", texts)
    pairs = []
    for number in random.sample(range(len(texts)), STATEMENTS):
        sentences = [text for text in _SENTENCE_END.split(texts[number]) if _is_statement(text)]
        if not sentences:
            continue
        statement = random.choice(sentences)
        cosines = vectors @ document_vectors("topical", [statement])[0]
        others = [other for other in np.argsort(-cosines).tolist() if other != number]
        pairs += [
            (Passage("statement", statement), Passage("passage", texts[other]), False)
            for other in others[:NEAREST]
        ]
    return pairs


def _texts(name: str, random: Random) -> list[str]:
    rows = json_rows(data_folder() / CORPORA[name])
    texts = list(dict.fromkeys(text for row in rows if (text := row.text("text")).strip()))
    random.shuffle(texts)
    return texts[:MOST_PASSAGES]


def _is_statement(text: str) -> bool:
    return 4 <= len(text.split()) <= 30


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
