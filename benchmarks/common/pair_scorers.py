"""Scores of pairs of texts: our probability, recalibrated or not, baselines, a cross-encoder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from logic_export.data.contradictions.conflictqa import groups_of_questions, load_conflictqa
from logic_export.data.contradictions.groups import labelled_pairs
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.common.cross_encoder import find_cross_encoder
from benchmarks.common.labelled_pairs import LabelledPairs
from benchmarks.reproduction.workbench import Workbench
from benchmarks.statistics.calibration import cross_fitted_platt
from logic_retrievers.contradiction import ContradictionScorer

Values = npt.NDArray[np.float64]
Pair = tuple[str, str]

PROBABILITY = "probability (ours)"
COSINE = "cosine"
SPARSITY = "cosine + alpha * Hoyer"
OVERLAP = "lexical overlap"
BAG_OF_WORDS = "bag of words, trained on ConflictQA"
OWN_NULL = "probability, null of the set's own texts"
HALF_CALIBRATED = "probability, calibrated on the other half"
CROSS_ENCODER = "cross-encoder"


@dataclass(frozen=True, slots=True, eq=False)
class PairScores:
    """Scores of the pairs of one set by one scorer.

    Args:
        scores: shape (pairs,).
        threshold: probability from which a pair is flagged; None for scores that are no
            probabilities.
    """

    scores: Values
    threshold: float | None = None


def score_pairs(bench: Workbench, labelled: LabelledPairs) -> dict[str, PairScores]:
    """Scorer -> scores of a set; the cross-encoder only if there is a model."""
    bench.log(f"{labelled.name}: {len(labelled.pairs)} pairs")
    scorer = ContradictionScorer(bench.encoder)
    scored = scorer.score(labelled.pairs)
    threshold = scorer.constants.threshold
    texts = list(dict.fromkeys(text for pair in labelled.pairs for text in pair))
    adapted = scorer.with_null_distribution(texts, seed=bench.seed).score(labelled.pairs)
    probabilities = np.array([pair.probability or 0.0 for pair in scored])
    scores = {
        COSINE: PairScores(np.array([pair.cosine for pair in scored])),
        SPARSITY: PairScores(np.array([pair.score for pair in scored])),
        OVERLAP: PairScores(np.array([lexical_overlap(*pair) for pair in labelled.pairs])),
        BAG_OF_WORDS: PairScores(bag_of_words(labelled.pairs), 0.5),
        PROBABILITY: PairScores(probabilities, threshold),
        OWN_NULL: PairScores(np.array([pair.probability or 0.0 for pair in adapted]), threshold),
        HALF_CALIBRATED: PairScores(
            cross_fitted_platt(labelled.contradicts, probabilities, labelled.groups), threshold
        ),
    }
    cross_encoder = find_cross_encoder(bench)
    if cross_encoder is not None:
        scores[CROSS_ENCODER] = PairScores(cross_encoder.probabilities(labelled.pairs), 0.5)
    return scores


def lexical_overlap(text: str, other: str) -> float:
    """Jaccard similarity of the sets of words."""
    left, right = (set(re.findall(r"\w+", words.lower())) for words in (text, other))
    return len(left & right) / max(1, len(left | right))


def bag_of_words(pairs: Sequence[Pair]) -> Values:
    """Probability by a logistic regression on shared words and words of one text alone."""
    vectorizer, model = _trained_bag_of_words()
    probabilities: Values = model.predict_proba(_word_features(vectorizer, pairs))[:, 1]
    return probabilities


@cache
def _trained_bag_of_words() -> tuple[CountVectorizer, LogisticRegression]:
    train = labelled_pairs(groups_of_questions(load_conflictqa("train")))
    texts = [text for left, right, _ in train for text in (left, right)]
    vectorizer = CountVectorizer(binary=True, min_df=5).fit(texts)
    features = _word_features(vectorizer, [(left, right) for left, right, _ in train])
    labels = [contradicts for _, _, contradicts in train]
    return vectorizer, LogisticRegression(C=0.1, max_iter=1000).fit(features, labels)


def _word_features(vectorizer: CountVectorizer, pairs: Sequence[Pair]) -> Any:
    left, right = (vectorizer.transform([pair[side] for pair in pairs]) for side in (0, 1))
    return sparse.hstack([left.multiply(right), abs(left - right)])
