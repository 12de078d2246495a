"""SparseCL's cleaning experiment: a corpus corrupted, cleaned, and searched, through the product.

Every question of ConflictQA is a query; the passages of its one side are the clean corpus, over a
background of films and SciFact abstracts, and passages of its other side are injected. Both
directions are run and taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

from logic_retrievers.cleaning import Cleaned, CorpusCleaner
from logic_retrievers.encoders import Encoder
from logic_retrievers.engine import Engine
from logic_retrievers.evaluation.conflictqa import load_conflictqa
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.metrics import recall_at_k
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.evaluation.standard import standard_metrics
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

K = 10
PUBLISHERS = ("encyclopaedia", "textbook", "news", "magazine")
"""Of clean passages, the better first; what is injected comes from ``forum``. Every passage is a
document of its own."""

Settings = Mapping[str, Any]
Ways = Mapping[str, Callable[["Corpus"], Settings]]

CLEAN, CORRUPTED = "clean", "corrupted"


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the passages that answer it, and those that contradict them."""

    text: str
    clean: tuple[str, ...]
    injected: tuple[str, ...]


@dataclass(slots=True)
class Corpus:
    """An index over background and clean passages, to which others are added.

    Args:
        index: with everything in it.
        questions: of one direction.
        background: how many passages belong to no question.
        clean, injected: ids of each question's passages.
    """

    index: PassageIndex
    questions: Sequence[Question]
    background: int
    clean: list[list[str]] = field(default_factory=list)
    injected: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Of each question: nDCG@10, share of its injected passages in the top 10, share of the 10."""

    ndcg: list[float]
    recall: list[float]
    share: list[float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search over one corpus found, both directions together.

    Args:
        ranked: of every question.
        hidden: kind of passage (injected, clean, background) -> how many were hidden.
        total: kind of passage -> how many there are.
        compared: pairs that the cleaner compared.
    """

    ranked: Ranked
    hidden: Mapping[str, int]
    total: Mapping[str, int]
    compared: int


def questions_of(part: str) -> list[Question]:
    """The questions of a part, one direction."""
    return [
        Question(text, sides.left, sides.right)
        for text, groups in load_conflictqa(part).items()
        for sides in groups
    ]


def turned(question: Question) -> Question:
    """The question with its sides exchanged."""
    return replace(question, clean=question.injected, injected=question.clean)


def background_texts(count: int) -> list[str]:
    """SciFact's abstracts, and films to fill up."""
    science = [row.text("text") for row in json_rows(data_folder() / "scifact/corpus.jsonl.gz")]
    films = [
        row.text("text")
        for row in json_rows(data_folder() / "wikipedia_movies/corpus.jsonl.gz")
        if row.text("text").strip()
    ]
    wanted = max(0, count - len(science))
    step = max(1, len(films) // max(1, wanted))
    return [*islice(science, count), *islice(films[::step], wanted)]


def experiment(
    open_index: Callable[[], AbstractContextManager[PassageIndex]],
    questions: Sequence[Question],
    most: int,
    ways: Ways,
    share: float = 1.0,
) -> dict[str, Outcome]:
    """An outcome for the clean, the corrupted, and each cleaned corpus; both directions together.

    Args:
        open_index: gives a fresh index that holds the background.
        questions: one direction; each is asked in both.
        most: passages of the other side that are injected for a question, at most.
        ways: label -> settings of the cleaner for a corpus.
        share: of the questions for which some are injected.
    """
    found: dict[str, list[Outcome]] = {}
    for asked in (questions, [turned(question) for question in questions]):
        with open_index() as index:
            corpus = clean_corpus(index, asked)
            found.setdefault(CLEAN, []).append(_outcome(corpus))
            inject(corpus, most, share)
            found.setdefault(CORRUPTED, []).append(_outcome(corpus))
            for name, settings in ways.items():
                cleaner = CorpusCleaner(index, **settings(corpus))
                cleaned = cleaner.clean()
                found.setdefault(name, []).append(_outcome(corpus, cleaned))
                cleaner.quarantine.restore(cleaned.quarantined)
    return {name: _joined(outcomes) for name, outcomes in found.items()}


def opened(encoder: Encoder, background: Sequence[str]) -> PassageIndex:
    """An index in memory with passages that belong to no question."""
    index = PassageIndex.open("cleaning", encoder, vectors=("topical", "contradiction"))
    index.add(Passage(f"background {n}", text) for n, text in enumerate(background))
    return index


def clean_corpus(index: PassageIndex, questions: Sequence[Question]) -> Corpus:
    """Adds the clean passages of every question, with dates and sources at random."""
    corpus, random = Corpus(index, questions, index.count()), Random(0)
    for number, question in enumerate(questions):
        passages = [
            Passage(
                f"clean {number}.{n}",
                text,
                {
                    "date": f"{random.randint(2023, 2024)}-{random.randint(1, 12):02}-01",
                    "publisher": random.choice(PUBLISHERS),
                },
            )
            for n, text in enumerate(question.clean)
        ]
        index.add(passages)
        corpus.clean.append([one.id for one in passages])
        corpus.injected.append([])
    return corpus


def inject(corpus: Corpus, most: int, share: float) -> None:
    """Adds at most so many passages of the other side to that share of the questions."""
    random = Random(1)
    for number, question in enumerate(corpus.questions):
        texts = list(question.injected)
        random.shuffle(texts)
        if random.random() >= share:
            continue
        passages = [
            Passage(
                f"injected {number}.{n}",
                text,
                {
                    "date": f"{random.randint(2020, 2022)}-{random.randint(1, 12):02}-01",
                    "publisher": "forum",
                },
            )
            for n, text in enumerate(texts[:most])
        ]
        corpus.index.add(passages)
        corpus.injected[number] = [one.id for one in passages]


def ranked(corpus: Corpus) -> Ranked:
    """Plain topical search for every question."""
    engine = Engine(corpus.index, "topical")
    lists = [
        [hit.passage.id for hit in engine.search(question.text, K)] for question in corpus.questions
    ]
    grades = {str(n): dict.fromkeys(ids, 1) for n, ids in enumerate(corpus.clean)}
    values = standard_metrics(grades, {str(n): ids for n, ids in enumerate(lists)}, K)["nDCG@10"]
    return Ranked(
        [values[str(n)] for n in range(len(lists))],
        [recall_at_k(ids, bad, K) for ids, bad in zip(lists, corpus.injected, strict=True)],
        [
            sum(one in bad for one in ids) / K
            for ids, bad in zip(lists, corpus.injected, strict=True)
        ],
    )


def _outcome(corpus: Corpus, cleaned: Cleaned | None = None) -> Outcome:
    hidden = () if cleaned is None else cleaned.quarantined
    kinds = ("injected", "clean", "background")
    return Outcome(
        ranked(corpus),
        {kind: sum(one.startswith(kind) for one in hidden) for kind in kinds},
        {
            "injected": sum(map(len, corpus.injected)),
            "clean": sum(map(len, corpus.clean)),
            "background": corpus.background,
        },
        0 if cleaned is None else cleaned.compared,
    )


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
    first = outcomes[0]
    return Outcome(
        Ranked(
            *(
                [value for one in outcomes for value in getattr(one.ranked, name)]
                for name in ("ndcg", "recall", "share")
            )
        ),
        {kind: sum(one.hidden[kind] for one in outcomes) for kind in first.hidden},
        {kind: sum(one.total[kind] for one in outcomes) for kind in first.total},
        sum(one.compared for one in outcomes),
    )
