"""Systems for questions with AND and NOT, given as words or as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.common.boolean_baselines import ENSEMBLE, SETS
from benchmarks.common.dataset_search import bm25_search, engine_search, index_dataset
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import Dataset, EvaluationResult, evaluate
from logic_retrievers.evaluation import Query as Question
from logic_retrievers.ranking.query_input import AnyPolicy, Query

BM25, BASE, AUTO = "BM25", "base encoder", "auto"
OURS, HYBRID = "ours", "ours, hybrid"
POLICIES: dict[str, AnyPolicy] = {
    BASE: "topical",
    "decompose-then-ensemble": ENSEMBLE,
    "set operations": SETS,
    AUTO: "auto",
    OURS: "boolean",
}
"""System -> policy, over the dense vectors; the hybrid adds the lexical vector."""


def search_in_words(
    dataset: Dataset, encoder: Encoder, depth: int, log: Callable[[str], None]
) -> dict[str, EvaluationResult]:
    """Results of every system for the questions in words."""
    words = [query.text for query in dataset.queries]
    return {
        **_bm25_result(dataset, depth),
        **evaluate_policies(dataset, encoder, words, POLICIES, depth, log),
        **evaluate_policies(dataset, encoder, words, {HYBRID: "boolean"}, depth, log, lexical=True),
    }


def search_expressions(
    dataset: Dataset, encoder: Encoder, depth: int, log: Callable[[str], None]
) -> dict[str, EvaluationResult]:
    """Results of every system; those that take expressions get the gold expression."""
    words = [query.text for query in dataset.queries]
    gold = [_gold(query) for query in dataset.queries]
    rules = {name: policy for name, policy in POLICIES.items() if name not in (BASE, AUTO)}
    return {
        **_bm25_result(dataset, depth),
        **evaluate_policies(dataset, encoder, words, {BASE: POLICIES[BASE]}, depth, log),
        **evaluate_policies(dataset, encoder, gold, rules, depth, log),
        **evaluate_policies(dataset, encoder, gold, {HYBRID: "boolean"}, depth, log, lexical=True),
        **evaluate_policies(
            dataset, encoder, words, {f"{HYBRID}, in words": "boolean"}, depth, log, lexical=True
        ),
    }


def evaluate_policies(
    dataset: Dataset,
    encoder: Encoder,
    queries: Sequence[Query],
    policies: dict[str, AnyPolicy],
    depth: int,
    log: Callable[[str], None],
    *,
    lexical: bool = False,
) -> dict[str, EvaluationResult]:
    """Results of the engine under each policy, over one index."""
    results = {}
    with index_dataset(dataset, encoder, lexical=lexical) as index:
        for name, policy in policies.items():
            log(f"{dataset.name}: {name}")
            search = engine_search(index, policy, queries)
            results[name] = evaluate(dataset, search, depth, policy=name)
    return results


def _gold(question: Question) -> Query:
    expression = question.expression
    return question.text if expression is None else expression


def _bm25_result(dataset: Dataset, depth: int) -> dict[str, EvaluationResult]:
    return {BM25: evaluate(dataset, bm25_search(dataset), depth, policy=BM25)}
