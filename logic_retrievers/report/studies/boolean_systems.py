"""What is asked questions that join their parts with AND and NOT, in words or as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from logic_retrievers.answering import AnyPolicy, Query
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation import Dataset, Result, evaluate
from logic_retrievers.evaluation import Query as Question
from logic_retrievers.policies import BooleanPolicy, BooleanSettings
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.through_engine import engine_search, indexed

BM25, BASE, AUTO = "BM25", "base encoder", "auto"
OURS, HYBRID = "ours", "ours, hybrid"
POLICIES: dict[str, AnyPolicy] = {
    BASE: "topical",
    "decompose-then-ensemble": BooleanPolicy(settings=BooleanSettings(combination="ensemble")),
    "set operations": BooleanPolicy(settings=BooleanSettings(combination="sets")),
    AUTO: "auto",
    OURS: "boolean",
}
"""System -> policy, over the dense vectors; the hybrid has the words' vector beside them."""


def in_words(
    dataset: Dataset, encoder: Encoder, depth: int, say: Callable[[str], None]
) -> dict[str, Result]:
    """Every system, asked the questions as they are worded."""
    words = [query.text for query in dataset.queries]
    return {
        **_by_words(dataset, depth),
        **asked(dataset, encoder, words, POLICIES, depth, say),
        **asked(dataset, encoder, words, {HYBRID: "boolean"}, depth, say, lexical=True),
    }


def as_expressions(
    dataset: Dataset, encoder: Encoder, depth: int, say: Callable[[str], None]
) -> dict[str, Result]:
    """Every system; those that take an expression get the one that the question was made from."""
    words = [query.text for query in dataset.queries]
    gold = [_gold(query) for query in dataset.queries]
    rules = {name: policy for name, policy in POLICIES.items() if name not in (BASE, AUTO)}
    return {
        **_by_words(dataset, depth),
        **asked(dataset, encoder, words, {BASE: POLICIES[BASE]}, depth, say),
        **asked(dataset, encoder, gold, rules, depth, say),
        **asked(dataset, encoder, gold, {HYBRID: "boolean"}, depth, say, lexical=True),
        **asked(
            dataset, encoder, words, {f"{HYBRID}, in words": "boolean"}, depth, say, lexical=True
        ),
    }


def asked(
    dataset: Dataset,
    encoder: Encoder,
    queries: Sequence[Query],
    policies: dict[str, AnyPolicy],
    depth: int,
    say: Callable[[str], None],
    *,
    lexical: bool = False,
) -> dict[str, Result]:
    """What the engine finds under each policy, over one index."""
    found = {}
    with indexed(dataset, encoder, lexical=lexical) as index:
        for name, policy in policies.items():
            say(f"{dataset.name}: {name}")
            search = engine_search(index, policy, queries)
            found[name] = evaluate(dataset, search, depth, policy=name)
    return found


def _gold(question: Question) -> Query:
    expression = question.expression
    return question.text if expression is None else expression


def _by_words(dataset: Dataset, depth: int) -> dict[str, Result]:
    return {BM25: evaluate(dataset, bm25(dataset), depth, policy=BM25)}
