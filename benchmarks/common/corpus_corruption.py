"""SparseCL's cleaning experiment: corrupt a corpus, clean it, and search it.

Every question of ConflictQA is a query. The clean corpus holds the passages of one side of each
question, over a background of films and SciFact abstracts. Passages of the other side are injected.
Then the sides are swapped, and the figures of both directions are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import Any

from logic_export.data.contradictions.conflictqa import load_conflictqa

from logic_retrievers.conflicts import ContradictionSearch, CorpusCleaner
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.metrics import recall_at_k, standard_metrics
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

K = 10
# Publishers of clean passages, best first; injected passages have ``forum``.
PUBLISHERS = ("encyclopaedia", "textbook", "news", "magazine")

Settings = Mapping[str, Any]
# Label -> for a corpus, the cleaner's settings or the ids of the passages to hide.
Cleaners = Mapping[str, Callable[["Corpus"], Settings | Sequence[str]]]

CLEAN, CORRUPTED = "clean", "corrupted"


@dataclass(frozen=True, slots=True)
class Question:
    """A query, the passages that answer it, and passages that contradict these."""

    text: str
    clean: tuple[str, ...]
    injected: tuple[str, ...]


@dataclass(slots=True)
class Corpus:
    """An index over background and clean passages, into which contradicting ones are injected.

    Args:
        index: holds all passages.
        questions: the questions of one direction.
        background: number of passages that belong to no question.
        clean, injected: ids of each question's passages.
    """

    index: PassageIndex
    questions: Sequence[Question]
    background: int
    clean: list[list[str]] = field(default_factory=list)
    injected: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """Per question: nDCG@10, then recall@10 and share of the top 10 for injected passages."""

    ndcg: list[float]
    recall: list[float]
    share: list[float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Figures of one corpus, with both directions pooled.

    Args:
        figures: per question.
        hidden: kind of passage (injected, clean, background) -> number of hidden passages.
        total: kind of passage -> number of passages.
        compared: number of pairs that the cleaner compared.
    """

    figures: SearchFigures
    hidden: Mapping[str, int]
    total: Mapping[str, int]
    compared: int


def load_questions(part: str) -> list[Question]:
    """Load the questions of a part, in one direction."""
    return [
        Question(text, sides.left, sides.right)
        for text, groups in load_conflictqa(part).items()
        for sides in groups
    ]


def swap_sides(question: Question) -> Question:
    """Exchange clean and injected passages of a question."""
    return replace(question, clean=question.injected, injected=question.clean)


def background_texts(count: int) -> list[str]:
    """Return SciFact's abstracts, followed by films up to ``count``."""
    science = [row.text("text") for row in json_rows(data_folder() / "scifact/corpus.jsonl.gz")]
    films = [
        row.text("text")
        for row in json_rows(data_folder() / "wikipedia_movies/corpus.jsonl.gz")
        if row.text("text").strip()
    ]
    wanted = max(0, count - len(science))
    step = max(1, len(films) // max(1, wanted))
    return [*islice(science, count), *islice(films[::step], wanted)]


def run_experiment(
    open_index: Callable[[], AbstractContextManager[PassageIndex]],
    questions: Sequence[Question],
    most: int,
    cleaners: Cleaners,
) -> dict[str, Outcome]:
    """Measure the clean, the corrupted, and each cleaned corpus, with both directions pooled.

    ``open_index`` opens a new index that holds the background. At most ``most`` passages are
    injected per question.
    """
    outcome_lists: dict[str, list[Outcome]] = {}
    for direction in (questions, [swap_sides(question) for question in questions]):
        with open_index() as index:
            corpus = add_clean_passages(index, direction)
            outcome_lists.setdefault(CLEAN, []).append(_measure_outcome(corpus))
            inject(corpus, most)
            outcome_lists.setdefault(CORRUPTED, []).append(_measure_outcome(corpus))
            for name, clean in cleaners.items():
                cleaned = clean(corpus)
                if isinstance(cleaned, Mapping):
                    result = CorpusCleaner(index, **cleaned).clean()
                    hidden, compared = result.quarantined, result.compared
                else:
                    hidden, compared = tuple(cleaned), 0
                    index.run(index.hide(hidden))
                outcome_lists.setdefault(name, []).append(
                    _measure_outcome(corpus, hidden, compared)
                )
                index.run(index.unhide(hidden))
    return {name: _join_outcomes(outcomes) for name, outcomes in outcome_lists.items()}


def open_background_index(encoder: Encoder, background: Sequence[str]) -> PassageIndex:
    """Open an in-memory index of background passages."""
    index = PassageIndex.open("cleaning", encoder, vectors=("topical", "contradiction"))
    index.add(Passage(f"background {n}", text) for n, text in enumerate(background))
    return index


def add_clean_passages(index: PassageIndex, questions: Sequence[Question]) -> Corpus:
    """Add the clean passages of every question, with random dates and publishers."""
    corpus, random = Corpus(index, questions, index.count()), Random(0)
    for number, question in enumerate(questions):
        passages = []
        for n, text in enumerate(question.clean):
            date = _date(random, 2023, 2024)
            metadata = {"date": date, "publisher": random.choice(PUBLISHERS)}
            passages.append(Passage(f"clean {number}.{n}", text, metadata))
        index.add(passages)
        corpus.clean.append([passage.id for passage in passages])
        corpus.injected.append([])
    return corpus


def inject(corpus: Corpus, most: int) -> None:
    """Add at most ``most`` contradicting passages to every question."""
    random = Random(1)
    for number, question in enumerate(corpus.questions):
        texts = list(question.injected)
        random.shuffle(texts)
        random.random()  # keeps later draws equal to the published figures' draws
        passages = [
            Passage(
                f"injected {number}.{n}",
                text,
                {"date": _date(random, 2020, 2022), "publisher": "forum"},
            )
            for n, text in enumerate(texts[:most])
        ]
        corpus.index.add(passages)
        corpus.injected[number] = [passage.id for passage in passages]


def _date(random: Random, first: int, last: int) -> str:
    return f"{random.randint(first, last)}-{random.randint(1, 12):02}-01"


def search_corpus(corpus: Corpus) -> SearchFigures:
    """Measure topical search for every question."""
    engine = Engine(corpus.index, "topical")
    lists = [
        [hit.passage.id for hit in engine.search(question.text, K)] for question in corpus.questions
    ]
    grades = {str(n): dict.fromkeys(ids, 1) for n, ids in enumerate(corpus.clean)}
    values = standard_metrics(grades, {str(n): ids for n, ids in enumerate(lists)}, K)["nDCG@10"]
    return SearchFigures(
        [values[str(n)] for n in range(len(lists))],
        [recall_at_k(ids, bad, K) for ids, bad in zip(lists, corpus.injected, strict=True)],
        [
            sum(name in bad for name in ids) / K
            for ids, bad in zip(lists, corpus.injected, strict=True)
        ],
    )


def _measure_outcome(corpus: Corpus, hidden: Sequence[str] = (), compared: int = 0) -> Outcome:
    kinds = ("injected", "clean", "background")
    return Outcome(
        search_corpus(corpus),
        {kind: sum(name.startswith(kind) for name in hidden) for kind in kinds},
        {
            "injected": sum(map(len, corpus.injected)),
            "clean": sum(map(len, corpus.clean)),
            "background": corpus.background,
        },
        compared,
    )


def _join_outcomes(outcomes: Sequence[Outcome]) -> Outcome:
    first = outcomes[0]
    return Outcome(
        SearchFigures(
            *(
                [value for outcome in outcomes for value in getattr(outcome.figures, name)]
                for name in ("ndcg", "recall", "share")
            )
        ),
        {kind: sum(outcome.hidden[kind] for outcome in outcomes) for kind in first.hidden},
        {kind: sum(outcome.total[kind] for outcome in outcomes) for kind in first.total},
        sum(outcome.compared for outcome in outcomes),
    )


def trust_one_passage(corpus: Corpus) -> Settings:
    """Trust one clean passage of every question; the vectors decide."""
    return {"trusted": corpus.index.get([ids[0] for ids in corpus.clean]), "judge": None}


def trust_and_read(corpus: Corpus) -> Settings:
    """Trust one clean passage of every question; the cross-encoder reads too."""
    return {**trust_one_passage(corpus), "judge": "auto"}


def hide_top_three(corpus: Corpus) -> Sequence[str]:
    """Hide the 3 passages with the highest F for each trusted passage (SparseCL's rule)."""
    search, trusted = ContradictionSearch(corpus.index), [ids[0] for ids in corpus.clean]
    hidden: dict[str, None] = {}
    for name in trusted:
        ids = [hit.passage.id for hit in search.search_like(name, 2 * K)]
        hidden |= dict.fromkeys([other for other in ids if other not in trusted][:3])
    return list(hidden)


def prefer_majority(corpus: Corpus) -> Settings:  # noqa: ARG001 - all cleaners share a signature
    """Trust no passage; the majority is right."""
    return {"resolution": "prefer_majority", "date_key": "none", "judge": None}


def prefer_source(corpus: Corpus) -> Settings:  # noqa: ARG001
    """Trust no passage; the better publisher is right."""
    return {
        "resolution": "prefer_source",
        "source_key": "publisher",
        "source_order": (*PUBLISHERS, "forum"),
        "date_key": "none",
        "judge": None,
    }
