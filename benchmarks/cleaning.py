"""SparseCL's cleaning experiment on ConflictQA: a corpus corrupted, cleaned, and searched.

python -m benchmarks.cleaning [--part test] [--background 10000] [policies] [sweep]

Every question is a query; the passages of its one side are the clean corpus, over a background of
films and SciFact abstracts, and passages of its other side are injected. Both directions are run
and taken together. Everything goes through the product: an index, the cleaner, hidden passages, a
search by topical vectors.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from logic_export.data.contradictions.labelled import question_sides
from logic_export.data.pairs import SIDES

from benchmarks.report import publish, with_interval
from logic_retrievers import CachedEncoder, Engine, Passage, PassageIndex
from logic_retrievers.cleaning import Cleaned, CorpusCleaner
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import json_rows

CACHE = Path(".bench") / "cleaning_vectors.sqlite"
K = 10
PUBLISHERS = ("encyclopaedia", "textbook", "news", "magazine")
"""Of clean passages, the better first; what is injected comes from ``forum``. Every passage is a
document of its own."""

Settings = Mapping[str, Any]


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


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["trusted", "policies", "sweep"])
    parser.add_argument("--part", default="test")
    parser.add_argument("--background", type=int, default=10_000)
    options = parser.parse_args()
    asked = {"trusted": trusted, "policies": policies, "sweep": sweep}
    for name in options.what:
        rows = asked[name](options.part, options.background)
        publish(f"cleaning, {name}, ConflictQA {options.part}", rows)


def trusted(part: str, background: int) -> list[dict[str, Any]]:
    """One clean passage of each question is trusted; the whole other side is injected."""
    return _both(
        part,
        background,
        9,
        {
            "top 3 of each (SparseCL)": lambda corpus: {"trusted_top": 3, **_one_each(corpus)},
            "by threshold": _one_each,
        },
    )


def policies(part: str, background: int) -> list[dict[str, Any]]:
    """Nobody is trusted; one passage is injected for each question."""
    return _both(
        part,
        background,
        1,
        {
            "annotate": lambda _: {"policy": "annotate"},
            "prefer_majority": lambda _: {"policy": "prefer_majority", "date_key": "none"},
            "prefer_newest": lambda _: {"policy": "prefer_newest"},
            "prefer_source": lambda _: {
                "policy": "prefer_source",
                "source_key": "publisher",
                "source_order": (*PUBLISHERS, "forum"),
                "date_key": "none",
            },
            "newest, then majority": lambda _: {"policy": ("prefer_newest", "prefer_majority")},
            "quarantine_all": lambda _: {"policy": "quarantine_all"},
        },
    )


def sweep(part: str, background: int) -> list[dict[str, Any]]:
    """By majority alone: more and more of the questions, and of the other side's passages."""
    rows = []
    for most, share in ((1, 0.1), (1, 0.25), (1, 0.5), (1, 1.0), (2, 1.0), (9, 1.0)):
        ways: Mapping[str, Callable[[Corpus], Settings]] = {
            "prefer_majority": lambda _: {"policy": "prefer_majority", "date_key": "none"},
            "the same, one publisher one voice": lambda _: {
                "policy": "prefer_majority",
                "date_key": "none",
                "source_key": "publisher",
            },
        }
        for row in _both(part, background, most, ways, share):
            rows.append({"injected a question": most, "questions": share, **row})
    return rows


def questions_of(part: str) -> list[Question]:
    """The questions of a part, one direction."""
    rows = [
        {name: row.text(name) for name in ("question", *SIDES[0], *SIDES[1])}
        for row in json_rows(data_folder() / "conflictqa_strategyqa" / f"{part}.jsonl.gz")
    ]
    by_text: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_text.setdefault(row["question"], []).append(row)
    return [
        Question(text, sides.left, sides.right)
        for text, same in by_text.items()
        for sides in question_sides(same, answers=False)
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


def _both(
    part: str,
    background: int,
    most: int,
    ways: Mapping[str, Callable[[Corpus], Settings]],
    share: float = 1.0,
) -> list[dict[str, Any]]:
    """Both directions together: a row for the clean, the corrupted, and each cleaned corpus."""
    one_way = questions_of(part)
    other_way = [turned(question) for question in one_way]
    found: dict[str, list[tuple[Ranked, Corpus, Cleaned | None]]] = {}
    for questions in (one_way, other_way):
        with opened(background) as index:
            corpus = clean_corpus(index, questions)
            found.setdefault("clean", []).append((_ranked(corpus), corpus, None))
            inject(corpus, most, share)
            found.setdefault("corrupted", []).append((_ranked(corpus), corpus, None))
            for name, settings in ways.items():
                cleaner = CorpusCleaner(index, **settings(corpus))
                cleaned = cleaner.clean()
                found.setdefault(name, []).append((_ranked(corpus), corpus, cleaned))
                cleaner.quarantine.restore(cleaned.quarantined)
    base = {name: _joined([one for one, _, _ in found[name]]) for name in ("clean", "corrupted")}
    groups = [q.text for q in one_way] * 2
    return [_row(name, results, base, groups) for name, results in found.items()]


def opened(background: int) -> PassageIndex:
    """An index in memory with so many passages that belong to no question."""
    CACHE.parent.mkdir(exist_ok=True)
    encoder = CachedEncoder(default_encoder(), CACHE)
    index = PassageIndex.open("cleaning", encoder, vectors=("topical", "contradiction"))
    index.add(
        Passage(f"background {n}", text) for n, text in enumerate(background_texts(background))
    )
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


def _one_each(corpus: Corpus) -> Settings:
    return {"trusted": corpus.index.get([ids[0] for ids in corpus.clean])}


def _ranked(corpus: Corpus) -> Ranked:
    engine = Engine(corpus.index, "topical")
    found = Ranked([], [], [])
    ideal = [sum(1 / np.log2(r + 2) for r in range(min(K, n))) for n in range(K + 1)]
    for question, clean, injected in zip(
        corpus.questions, corpus.clean, corpus.injected, strict=True
    ):
        ids = [hit.passage.id for hit in engine.search(question.text, K)]
        gain = sum(1 / np.log2(rank + 2) for rank, name in enumerate(ids) if name in clean)
        bad = sum(name in injected for name in ids)
        found.ndcg.append(float(gain / ideal[min(K, len(clean))]))
        found.recall.append(bad / len(injected) if injected else float("nan"))
        found.share.append(bad / K)
    return found


def _joined(results: Sequence[Ranked]) -> Ranked:
    return Ranked(
        *(
            [v for one in results for v in getattr(one, name)]
            for name in ("ndcg", "recall", "share")
        )
    )


def _row(
    name: str,
    results: Sequence[tuple[Ranked, Corpus, Cleaned | None]],
    base: Mapping[str, Ranked],
    groups: Sequence[str],
) -> dict[str, Any]:
    ranked = _joined([one for one, _, _ in results])
    columns = np.column_stack([ranked.ndcg, ranked.recall, ranked.share])
    ndcg, recall, share = bootstrap(columns, groups)
    row: dict[str, Any] = {
        "corpus": name,
        "nDCG@10": with_interval(ndcg),
        "injected, Recall@10": with_interval(recall),
        "injected, share of the 10": with_interval(share),
        "recovered": "-",
        "injected hidden": "-",
        "clean hidden": "-",
        "background hidden": "-",
        "pairs": "-",
    }
    if name not in base:
        whole, corrupt = (float(np.mean(base[one].ndcg)) for one in ("clean", "corrupted"))
        row["recovered"] = f"{(float(np.mean(ranked.ndcg)) - corrupt) / (whole - corrupt):.1%}"
        hidden = [cleaned.quarantined for _, _, cleaned in results if cleaned is not None]
        for kind, total in (
            ("injected", _count(results, "injected")),
            ("clean", _count(results, "clean")),
            ("background", sum(corpus.background for _, corpus, _ in results)),
        ):
            gone = sum(one.startswith(kind) for ids in hidden for one in ids)
            row[f"{kind} hidden"] = f"{gone} of {total} ({gone / max(1, total):.2%})"
        row["pairs"] = sum(cleaned.compared for _, _, cleaned in results if cleaned is not None)
    return row


def _count(results: Sequence[tuple[Ranked, Corpus, Cleaned | None]], kind: str) -> int:
    return sum(len(ids) for _, corpus, _ in results for ids in getattr(corpus, kind))


if __name__ == "__main__":
    main()
