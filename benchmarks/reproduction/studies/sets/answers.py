"""Lists and metrics of every system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.common.dataset_search import bm25_search
from benchmarks.common.exact_collection import ExactCollection
from benchmarks.reproduction.studies.sets.pool import FilmPool
from benchmarks.reproduction.studies.sets.systems import (
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
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import Dataset, EvaluationResult, evaluate
from logic_retrievers.evaluation.metrics import Ranking

DEPTH, VARIANTS_DEPTH = 1000, 100
WITH_VARIANTS = (BM25, BASE, CONTRASTIVE, LOGICOL, ENSEMBLE, OURS, OURS_HYBRID)
"""Systems that are also run on the variants, nearly three times as many queries."""


@dataclass(frozen=True, slots=True)
class Answers:
    """System -> result.

    Args:
        test_results: of the test queries, with lists of :data:`DEPTH`.
        all_results: of these and their variants, with lists of :data:`VARIANTS_DEPTH`.
    """

    test_results: Mapping[str, EvaluationResult]
    all_results: Mapping[str, EvaluationResult]


def answers(bench: Workbench, pool: FilmPool, corpora: Mapping[str, ExactCollection]) -> Answers:
    """Evaluates every system."""
    test_results, all_results = {}, {}
    for name, rank in {BM25: bm25_result(pool.test_set), **rankings(corpora)}.items():
        bench.log(f"set queries: {name}")
        lists = {query.id: rank(query, DEPTH) for query in pool.test_set.queries}
        test_results[name] = _result(pool.test_set, lists, DEPTH, name)
        if name in WITH_VARIANTS:
            lists |= {
                query.id: rank(query, VARIANTS_DEPTH)
                for query in pool.all_queries.queries
                if query.id not in lists
            }
            all_results[name] = _result(pool.all_queries, lists, VARIANTS_DEPTH, name)
    return Answers(test_results, all_results)


def bm25_result(dataset: Dataset) -> Rank:
    """Ranks the pool by BM25."""
    search = bm25_search(dataset)
    return lambda query, k: search([query.text], k)[0]


def _result(
    dataset: Dataset, lists: Mapping[str, Ranking], depth: int, name: str
) -> EvaluationResult:
    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        return [lists[query.id][:k] for query in dataset.queries]

    return evaluate(dataset, search, depth, policy=name)
