"""Measure the filter in retrieval: RAMDocs with one trusted correct document, and without any.

python -m benchmarks.product.contradiction_filter [--draws 5]

With a trusted document (a random correct one of each question), it measures the share of
misinformation removed by the filter's vectors and by other judges, each at the threshold that keeps
97 % of the correct documents of the dev part. Without a trusted document, it measures which pairs
the shipped threshold flags.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers import ContradictionFilter, ContradictionScorer, Passage
from logic_retrievers.evaluation import bootstrap, data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import default_relation
from logic_retrievers.judging.relation import pair_sentences

CORRECT_KEPT = 0.97
# Maps pairs of texts to the probability that each pair contradicts.
Judge = Callable[[Sequence[tuple[str, str]]], npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Document:
    """A document of RAMDocs."""

    text: str
    kind: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its documents."""

    text: str
    documents: tuple[Document, ...]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5, help="of the trusted document")
    options = parser.parse_args()
    parts = {part: load_questions(part) for part in ("dev", "test")}
    rows = [judge_row(name, judge, parts, options.draws) for name, judge in judges().items()]
    rows.append(
        judge_row("vectors of the filter", filter_judge(), parts, options.draws, threshold=0.5)
    )
    rows.append(label_row(parts["test"], options.draws))
    publish("RAMDocs test, one trusted correct document", rows)
    publish("RAMDocs test, no trusted document", untrusted_rows(parts["test"]))


def load_questions(part: str) -> list[Question]:
    """Load the questions of a part."""
    folder = data_folder() / "ramdocs" / part
    documents = {
        row.id(): Document(row.text("text"), row.text("type"), row.text("answer"))
        for row in json_rows(folder / "corpus.jsonl.gz")
    }
    return [
        Question(row.text("text"), tuple(documents[name] for name in row.fields["doc_ids"]))
        for row in json_rows(folder / "queries.jsonl")
    ]


def judges() -> Mapping[str, Judge]:
    """Return name -> judge."""
    scorer = ContradictionScorer(cached_encoder())

    def passages(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return np.array([pair.probability or 0.0 for pair in scorer.score(pairs)])

    reader = default_relation()
    assert reader is not None

    def read(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return np.array([sum(row[:3]) for row in reader(list(starmap(pair_sentences, pairs)))])

    return {"whole passages": passages, "what a cross-encoder reads": read}


def filter_judge() -> Judge:
    """Turn the filter into a judge: 1 for a pair whose second text it drops, else 0."""
    contradictions = ContradictionFilter(cached_encoder(), judge=None)

    def dropped(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        given = [Passage(str(n), text) for n, (_, text) in enumerate(pairs)]
        trusted = [Passage("trusted", pairs[0][0])]
        result = contradictions.filter(given, trusted=trusted)
        ids = {hit.passage.id for hit in result.dropped}
        return np.array([float(passage.id in ids) for passage in given])

    return dropped


def judge_row(
    name: str,
    judge: Judge,
    parts: Mapping[str, Sequence[Question]],
    draws: int,
    threshold: float | None = None,
) -> dict[str, Any]:
    """Measure shares on test; without a threshold, choose one on dev."""
    if threshold is None:
        scored = _score_against_trusted(parts["dev"], judge, draws)
        correct = np.concatenate([s[k == "correct"] for s, k in scored])
        threshold = float(np.quantile(correct, CORRECT_KEPT))
    scored = _score_against_trusted(parts["test"], judge, draws)
    over = [(scores > threshold, kinds) for scores, kinds in scored]
    labels = [kind == "misinfo" for _, kinds in scored for kind in kinds if kind != "noise"]
    ranks = np.concatenate([scores[kinds != "noise"] for scores, kinds in scored])
    auc = round(float(roc_auc_score(labels, ranks)), 3)
    return _row(name, over, [n // draws for n in range(len(over))], auc)


def label_row(questions: Sequence[Question], draws: int) -> dict[str, Any]:
    """Measure an oracle that drops documents whose answer differs from the trusted document's."""
    over = []
    for question in questions:
        for trusted, others in _draw_trusted(question, draws):
            differs = [document.answer != trusted.answer for document in others]
            kinds = np.array([document.kind for document in others])
            over.append((np.array(differs, dtype=bool), kinds))
    name = "the labelled answers (no judge: what disagreement alone can do)"
    return _row(name, over, None, "-")


def _row(
    name: str,
    dropped: Sequence[tuple[npt.NDArray[np.bool_], npt.NDArray[np.str_]]],
    groups: Sequence[int] | None,
    auc: float | str,
) -> dict[str, Any]:
    """Measure the shares of misinformation dropped, and of correct documents kept."""
    shares = [
        (_share(over[kinds == "misinfo"]), _share(~over[kinds == "correct"]))
        for over, kinds in dropped
    ]
    removed, kept = bootstrap(shares, groups)
    return {
        "judged by": name,
        "misinformation out": with_interval(removed),
        "correct kept": with_interval(kept),
        "ROC-AUC": auc,
    }


def untrusted_rows(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Measure the shares of pairs that the filter flags under ``annotate``, by kind of pair."""
    contradictions = ContradictionFilter(cached_encoder(), judge=None)
    flagged: dict[str, list[float]] = {}
    for question in questions:
        passages = [Passage(str(n), document.text) for n, document in enumerate(question.documents)]
        conflicts = contradictions.filter(passages).conflicts
        flagged_pairs = {frozenset((conflict.one, conflict.other)) for conflict in conflicts}
        for i, document in enumerate(question.documents):
            for j, other in enumerate(question.documents[:i]):
                kind = _kind(document, other)
                flagged.setdefault(kind, []).append(
                    float(frozenset((str(i), str(j))) in flagged_pairs)
                )
    hits = sum(flagged.get("right against wrong", ()))
    alarms = sum(sum(values) for values in flagged.values())
    rows = [
        {"pairs": kind, "how many": len(values), "flagged": with_interval(bootstrap(values)[0])}
        for kind, values in sorted(flagged.items())
    ]
    precision = hits / alarms if alarms else float("nan")
    return [
        *rows,
        {"pairs": "precision of all flags", "how many": int(alarms), "flagged": precision},
    ]


def _draw_trusted(question: Question, draws: int) -> list[tuple[Document, list[Document]]]:
    correct = [n for n, document in enumerate(question.documents) if document.kind == "correct"]
    random = Random(question.text)
    chosen = [random.choice(correct) for _ in range(draws)] if correct else []
    return [
        (
            question.documents[n],
            [document for i, document in enumerate(question.documents) if i != n],
        )
        for n in chosen
    ]


def _score_against_trusted(
    questions: Sequence[Question], judge: Judge, draws: int
) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]]:
    scored = []
    for question in questions:
        for trusted, others in _draw_trusted(question, draws):
            pairs = [(trusted.text, document.text) for document in others]
            scores = judge(pairs) if pairs else np.zeros(0)
            scored.append((scores, np.array([document.kind for document in others])))
    return scored


def _kind(document: Document, other: Document) -> str:
    kinds = {document.kind, other.kind}
    if "noise" in kinds:
        return "with noise"
    if kinds == {"correct", "misinfo"}:
        return "right against wrong"
    if kinds == {"misinfo"}:
        return "two wrong ones"
    return "two right ones, " + ("one answer" if document.answer == other.answer else "two answers")


def _share(values: npt.NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")


if __name__ == "__main__":
    main()
