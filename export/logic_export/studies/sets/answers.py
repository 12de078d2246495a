"""The lists of every system, and what is measured on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from logic_export.studies.sets.pool import FilmPool
from logic_export.studies.sets.systems import (
    BASE,
    BM25,
    CONTRASTIVE,
    ENSEMBLE,
    LOGICOL,
    OURS,
    OURS_HYBRID,
    Rank,
    rankings,
)
from logic_retrievers.evaluation import Dataset, Result, evaluate
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.exhaustive import Exhaustive
from logic_retrievers.report.workbench import Workbench

DEPTH, VARIANTS_DEPTH = 1000, 100
WITH_VARIANTS = (BM25, BASE, CONTRASTIVE, LOGICOL, ENSEMBLE, OURS, OURS_HYBRID)
"""What is asked the variants too: nearly three times as many queries."""


@dataclass(frozen=True, slots=True)
class Answers:
    """System -> what it found.

    Args:
        asked: for the queries themselves, lists of :data:`DEPTH`.
        everything: for these and their variants, lists of :data:`VARIANTS_DEPTH`.
    """

    asked: Mapping[str, Result]
    everything: Mapping[str, Result]


def answers(bench: Workbench, pool: FilmPool, corpora: Mapping[str, Exhaustive]) -> Answers:
    """Asks every system."""
    asked, everything = {}, {}
    for name, rank in {BM25: by_words(pool.asked), **rankings(corpora)}.items():
        bench.say(f"set queries: {name}")
        lists = {query.id: rank(query, DEPTH) for query in pool.asked.queries}
        asked[name] = _result(pool.asked, lists, DEPTH, name)
        if name in WITH_VARIANTS:
            lists |= {
                query.id: rank(query, VARIANTS_DEPTH)
                for query in pool.everything.queries
                if query.id not in lists
            }
            everything[name] = _result(pool.everything, lists, VARIANTS_DEPTH, name)
    return Answers(asked, everything)


def by_words(dataset: Dataset) -> Rank:
    """BM25 over the pool."""
    search = bm25(dataset)
    return lambda query, k: search([query.text], k)[0]


def _result(dataset: Dataset, lists: Mapping[str, Ranking], depth: int, name: str) -> Result:
    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        return [lists[query.id][:k] for query in dataset.queries]

    return evaluate(dataset, search, depth, policy=name)
