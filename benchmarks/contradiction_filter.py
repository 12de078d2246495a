"""The filter inside retrieval: RAMDocs with one trusted correct document, and without any.

python -m benchmarks.contradiction_filter [--draws 5]

With a trusted document (drawn among a question's correct ones): the share of misinformation that
leaves the context, where the threshold keeps 97 % of the correct documents of the dev part. Ways
of judging are compared: whole passages; the two sentences nearest to the question; near-copies of
each other, of which the trusted document tells the edited one; and a cross-encoder as the second
opinion. Without: which pairs the shipped threshold flags.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from benchmarks.contradiction_pairs import cross_encoder
from benchmarks.contradiction_retrieval import CACHE, vectors
from benchmarks.edited_copies import edited
from benchmarks.report import publish, with_interval
from logic_retrievers import CachedEncoder, ContradictionFilter, ContradictionScorer, Passage
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.evaluation.sentences import sentences

KEPT = 0.97
Judge = Callable[[str, Sequence[tuple[str, str]]], npt.NDArray[np.float64]]
"""(question, pairs of texts) -> how likely each pair contradicts."""


@dataclass(frozen=True, slots=True)
class Document:
    """One of RAMDocs."""

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
    parts = {part: questions(part) for part in ("dev", "test")}
    rows = [row(name, judge, parts, options.draws) for name, judge in judges().items()]
    rows.append(by_answers(parts["test"], options.draws))
    publish("RAMDocs test, one trusted correct document", rows)
    publish("RAMDocs test, no trusted document", untrusted(parts["test"]))


def questions(part: str) -> list[Question]:
    """The questions of a part."""
    folder = data_folder() / "ramdocs" / part
    documents = {
        row.id(): Document(row.text("text"), row.text("type"), row.text("answer"))
        for row in json_rows(folder / "corpus.jsonl.gz")
    }
    return [
        Question(row.text("text"), tuple(documents[one] for one in row.fields["doc_ids"]))
        for row in json_rows(folder / "queries.jsonl")
    ]


def judges() -> Mapping[str, Judge]:
    """The ways of judging."""
    scorer = ContradictionScorer(CachedEncoder(default_encoder(), CACHE))

    def passages(_: str, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return np.array([one.probability or 0.0 for one in scorer.score(pairs)])

    def focus(question: str, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        return passages("", [(nearest(a, question), nearest(b, question)) for a, b in pairs])

    def copies(_: str, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float64]:
        given = [text for _, text in pairs]
        return np.array([edited(text, trusted, given) for trusted, text in pairs])

    found: dict[str, Judge] = {
        "whole passages": passages,
        "the two sentences nearest to the question": focus,
        "near-copies, edited": copies,
    }
    peer = cross_encoder()
    if peer is not None:
        once = cache(lambda one, other: float(peer([(one, other)])[0]))
        found["cross-encoder (peer), nearest sentences"] = lambda question, pairs: np.array(
            [once(nearest(a, question), nearest(b, question)) for a, b in pairs]
        )
    return found


def row(
    name: str, judge: Judge, parts: Mapping[str, Sequence[Question]], draws: int
) -> dict[str, Any]:
    """Threshold on dev, shares on test."""
    scored = {part: _against_trusted(parts[part], judge, draws) for part in parts}
    correct = np.concatenate([s[k == "correct"] for s, k in scored["dev"]])
    threshold = float(np.quantile(correct, KEPT))
    removed, kept, ranks, labels = [], [], [], []
    for scores, kinds in scored["test"]:
        over = scores > threshold
        removed.append(_share(over[kinds == "misinfo"]))
        kept.append(_share(~over[kinds == "correct"]))
        labels += [kind == "misinfo" for kind in kinds if kind != "noise"]
        ranks += scores[kinds != "noise"].tolist()
    shares = bootstrap(np.column_stack([removed, kept]), [n // draws for n in range(len(removed))])
    return {
        "judged by": name,
        "misinformation out": with_interval(shares[0]),
        "correct kept": with_interval(shares[1]),
        "ROC-AUC": round(float(roc_auc_score(labels, ranks)), 3),
    }


def by_answers(asked: Sequence[Question], draws: int) -> dict[str, Any]:
    """Who knew each document's answer, and dropped those with another than the trusted one's."""

    def other(documents: Sequence[Document], trusted: Document) -> npt.NDArray[np.float64]:
        return np.array([float(one.answer != trusted.answer) for one in documents])

    removed, kept = [], []
    for question in asked:
        for trusted, others in _draws(question, draws):
            over = other(others, trusted) > 0
            kinds = np.array([one.kind for one in others])
            removed.append(_share(over[kinds == "misinfo"]))
            kept.append(_share(~over[kinds == "correct"]))
    shares = bootstrap(np.column_stack([removed, kept]))
    return {
        "judged by": "the labelled answers (no judge: what disagreement alone can do)",
        "misinformation out": with_interval(shares[0]),
        "correct kept": with_interval(shares[1]),
        "ROC-AUC": "-",
    }


def untrusted(asked: Sequence[Question]) -> list[dict[str, Any]]:
    """Pairs that the filter flags under ``annotate``, by what they are."""
    contradictions = ContradictionFilter(CachedEncoder(default_encoder(), CACHE))
    flagged: dict[str, list[float]] = {}
    for question in asked:
        given = [Passage(str(n), one.text) for n, one in enumerate(question.documents)]
        conflicts = contradictions.filter(given).conflicts
        found = {frozenset((one.one, one.other)) for one in conflicts}
        for i, one in enumerate(question.documents):
            for j, other in enumerate(question.documents[:i]):
                kind = _kind(one, other)
                flagged.setdefault(kind, []).append(float(frozenset((str(i), str(j))) in found))
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


@cache
def nearest(text: str, question: str, count: int = 2) -> str:
    """The sentences of a text that are topically nearest to a question, in their order."""
    said = sentences(text) or [text]
    rows = vectors("topical", [question, *said])
    best = sorted(np.argsort(-(rows[1:] @ rows[0]), kind="stable")[:count])
    return " ".join(said[n] for n in best)


def _draws(question: Question, draws: int) -> list[tuple[Document, list[Document]]]:
    correct = [n for n, one in enumerate(question.documents) if one.kind == "correct"]
    random = Random(question.text)
    chosen = [random.choice(correct) for _ in range(draws)] if correct else []
    return [
        (question.documents[n], [one for i, one in enumerate(question.documents) if i != n])
        for n in chosen
    ]


def _against_trusted(
    asked: Sequence[Question], judge: Judge, draws: int
) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.str_]]]:
    found = []
    for question in asked:
        for trusted, others in _draws(question, draws):
            pairs = [(trusted.text, one.text) for one in others]
            scores = judge(question.text, pairs) if pairs else np.zeros(0)
            found.append((scores, np.array([one.kind for one in others])))
    return found


def _kind(one: Document, other: Document) -> str:
    kinds = {one.kind, other.kind}
    if "noise" in kinds:
        return "with noise"
    if kinds == {"correct", "misinfo"}:
        return "right against wrong"
    if kinds == {"misinfo"}:
        return "two wrong ones"
    return "two right ones, " + ("one answer" if one.answer == other.answer else "two answers")


def _share(values: npt.NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")


if __name__ == "__main__":
    main()
