"""The suites over the Haystack adapter, with Haystack's filters."""

from __future__ import annotations

from typing import Any

from haystack import Document
from haystack_logic_retrievers import (
    CompatibilityRanker,
    ConstraintRetriever,
    ContradictionFilter,
    LogicDocumentStore,
)
from suites import (
    ContradictionFilterConformance,
    RerankerConformance,
    Retrieved,
    RetrieverConformance,
)

NAMES = {
    "k": "top_k",
    "top_n": "top_k",
    "min_score": "score_threshold",
    "filter": "filters",
    "trusted_filter": "trusted_filters",
    "index": "document_store",
}


def to_retrieved(output):
    return [Retrieved(one.id, one.content, one.score, one.meta) for one in output["documents"]]


def haystack_filter(wanted: Any) -> dict[str, Any]:
    """Convert a filter of the suites to Haystack's format."""
    if not isinstance(wanted, dict):
        (condition,) = wanted.must
        wanted = {condition.key.removeprefix("metadata."): condition.match.value}
    ((key, value),) = wanted.items()
    operator = "in" if isinstance(value, list) else "=="
    if isinstance(value, dict):
        ((name, value),) = value.items()
        operator = {"gte": ">=", "not": "!="}[name]
    return {"field": f"meta.{key}", "operator": operator, "value": value}


def in_their_words(settings):
    """Rename the core's settings, which the suites use."""
    values = dict(settings)
    for name in ("filter", "trusted_filter"):
        if name in values:
            values[name] = haystack_filter(values[name])
    if "index" in values:
        values["index"] = LogicDocumentStore(index=values["index"])
    return {NAMES.get(name, name): value for name, value in values.items()}


class TestConstraintRetriever(RetrieverConformance):
    overrides = ("k", "filter", "min_score", "policy", "exclude", "hard", "query_syntax")

    def make(self, index, **settings):
        return ConstraintRetriever(**in_their_words({"index": index, **settings}))

    def retrieve(self, retriever, query, **overrides):
        return to_retrieved(retriever.run(query, **in_their_words(overrides)))

    async def aretrieve(self, retriever, query, **overrides):
        return to_retrieved(await retriever.run_async(query, **in_their_words(overrides)))


class _Documents:
    def items(self, passages):
        return [
            Document(id=p.id or f"made up {place}", content=p.text, meta=dict(p.metadata))
            for place, p in enumerate(passages)
        ]


class TestCompatibilityRanker(_Documents, RerankerConformance):
    def make(self, **settings):
        return CompatibilityRanker(**in_their_words(settings))

    def rerank(self, reranker, query, items):
        return to_retrieved(reranker.run(query, items))

    async def arerank(self, reranker, query, items):
        return to_retrieved(await reranker.run_async(query, items))


class TestContradictionFilter(_Documents, ContradictionFilterConformance):
    def make(self, **settings):
        return ContradictionFilter(**in_their_words(settings))

    def filter(self, made, items):
        return to_retrieved(made.run(items))

    async def afilter(self, made, items):
        return to_retrieved(await made.run_async(items))

    def evidence_of(self, one):
        return one.metadata["logic"]["contradiction"]
