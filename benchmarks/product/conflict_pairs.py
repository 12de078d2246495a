"""Load pairs of texts labelled as contradicting or not, by people or by construction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, Literal, TypeAlias

import numpy as np
from logic_export.data.contradictions.conflictqa import groups_of_questions, load_conflictqa
from logic_export.data.contradictions.groups import labelled_pairs
from logic_export.data.sentences import sentence_window

from benchmarks.common.output import document_vectors
from benchmarks.product.cleaning_alarms import CORPORA
from benchmarks.product.contradiction_filter import load_questions
from benchmarks.product.relation import load_pairs
from logic_retrievers.evaluation import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.types import Passage

# two texts, and whether they contradict
Row: TypeAlias = tuple[str, str, bool]
# two passages of a list, or a statement and a passage
Use: TypeAlias = Literal["passages", "statements"]
Pairs: TypeAlias = Sequence[tuple[Passage, Passage, bool]]

LISTS, LIST_SIZE = 30, 6
STATEMENTS, NEAREST = 70, 8
MOST_PASSAGES = 1500
CONFLICTS = ("contradiction", "superseded")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def fit_sets(most: int) -> list[Pairs]:
    """Load the pairs for fitting the weights of NLI, all from development parts."""
    inference = ("mnli_small/dev", "cad_nli/dev")
    return [
        *(_inference(n, most, two_ways=ways) for ways in (False, True) for n in inference),
        *(statement_lists(name) for name in ("films", "users")),
    ]


def evaluation_sets(most: int) -> dict[Use, dict[str, Pairs]]:
    """Load held-out pairs; in hand-written pairs, two states of one thing are a conflict."""
    everything, one_question = conflictqa("test")
    return {
        "statements": {
            "HealthVer dev": _plain(sample(list(_healthver()), most)),
            "SciFact dev claims": _plain(sample(list(_scifact()), most)),
            "SICK trial": _plain(sample(list(_sick()), most)),
            "fever_symmetric dev, two ways": _inference("fever_symmetric/dev", most, two_ways=True),
            "fm2 dev, two ways": _inference("fm2/dev", most, two_ways=True),
        },
        "passages": {
            "ConflictQA test": _plain(sample(everything, most)),
            "ConflictQA test, one question": _plain(sample(one_question, most)),
            "natural_dev": _written("natural_dev"),
            "versions dev3": _written("dev3"),
            "relations_dev": _written("relations_dev"),
            "RAMDocs dev": _plain(sample(list(_ramdocs("dev")), most)),
        },
    }


def neighbour_lists(name: str, seed: int = 5) -> Pairs:
    """Pair the passages within each of :data:`LISTS` lists: a random passage and its nearest."""
    random = Random(seed)
    texts = _texts(name, random)
    vectors = document_vectors("topical", texts)
    drawn = random.sample(range(len(texts)), LISTS)
    nearest = np.argsort(-(vectors[drawn] @ vectors.T), axis=1)[:, :LIST_SIZE]
    return _plain(
        [
            (texts[one], texts[other], False)
            for numbers in nearest.tolist()
            for one, other in combinations(numbers, 2)
        ]
    )


def statement_lists(name: str, seed: int = 7) -> Pairs:
    """Pair a sentence of each of :data:`STATEMENTS` passages with the nearest other passages."""
    random = Random(seed)
    texts = _texts(name, random)
    vectors = document_vectors("topical", texts)
    rows: list[Row] = []
    for number in random.sample(range(len(texts)), STATEMENTS):
        pieces = _SENTENCE_END.split(texts[number])
        sentences = [text for text in pieces if 4 <= len(text.split()) <= 30]
        if not sentences:
            continue
        statement = random.choice(sentences)
        cosines = vectors @ document_vectors("topical", [statement])[0]
        others = [other for other in np.argsort(-cosines).tolist() if other != number]
        rows += [(statement, texts[other], False) for other in others[:NEAREST]]
    return _plain(rows)


def sample(rows: Sequence[Row], most: int, seed: int = 0) -> list[Row]:
    """Sample ``most`` rows; if there are no more, return all rows in order."""
    if len(rows) <= most:
        return list(rows)
    return [rows[n] for n in Random(seed).sample(range(len(rows)), most)]


def conflictqa(part: str) -> tuple[list[Row], list[Row]]:
    """Return all pairs of a part of ConflictQA, and the pairs within one question."""
    groups = groups_of_questions(load_conflictqa(part))
    question = {text: n for n, group in enumerate(groups) for text in group.texts}
    rows = list(labelled_pairs(groups))
    return rows, [row for row in rows if question[row[0]] == question[row[1]]]


def _healthver() -> Iterator[Row]:
    for row in json_rows(data_folder() / "healthver" / "dev.jsonl"):
        if (label := row.text("label")) in ("Refutes", "Supports"):
            yield row.text("claim"), row.text("evidence"), label == "Refutes"


def _sick() -> Iterator[Row]:
    for row in json_rows(data_folder() / "sick" / "trial.jsonl"):
        contradicts = row.text("label") == "CONTRADICTION"
        yield row.text("sentence_a"), row.text("sentence_b"), contradicts


def _scifact() -> Iterator[Row]:
    """Pair each claim with the sentences of an abstract that are evidence."""
    folder = data_folder() / "scifact"
    documents = {row.id(): row.text("text") for row in json_rows(folder / "corpus.jsonl.gz")}
    for row in json_rows(folder / "claims_dev.jsonl"):
        for document, annotation in row.fields["evidence"].items():
            numbers = {n for sentences in annotation["rationales"] for n in sentences}
            window = sentence_window(documents[document], numbers) if document in documents else ""
            if window:
                yield row.text("text"), window, annotation["label"] == "CONTRADICT"


def _ramdocs(part: str) -> Iterator[Row]:
    """Pair the documents of a question; a right one and a wrong one contradict."""
    for question in load_questions(part):
        for one, other in combinations(question.documents, 2):
            yield one.text, other.text, {one.kind, other.kind} == {"correct", "misinfo"}


def _inference(name: str, most: int, *, two_ways: bool = False) -> Pairs:
    rows = [
        (row.text("premise"), row.text("hypothesis"), row.text("label") == "contradiction")
        for row in json_rows(data_folder() / "nli" / f"{name}.jsonl.gz")
        if not two_ways or row.text("label") != "neutral"
    ]
    return _plain(sample(rows, most))


def _written(part: str) -> Pairs:
    def passage(row: Mapping[str, Any], side: str) -> Passage:
        return Passage(side, row[side]["text"], row[side]["metadata"])

    return [
        (passage(row, "one"), passage(row, "other"), row["label"] in CONFLICTS)
        for row in load_pairs(part)
    ]


def _plain(rows: Sequence[Row]) -> Pairs:
    return [(Passage("one", one), Passage("other", other), label) for one, other, label in rows]


def _texts(name: str, random: Random) -> list[str]:
    rows = json_rows(data_folder() / CORPORA[name])
    texts = list(dict.fromkeys(text for row in rows if (text := row.text("text")).strip()))
    random.shuffle(texts)
    return texts[:MOST_PASSAGES]
