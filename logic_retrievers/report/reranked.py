"""A cross-encoder over the head of a topical list: what an application might do instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from logic_retrievers.evaluation import Dataset, Query, Search
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.report.cross_encoder import CrossEncoder


def reranked(dataset: Dataset, first: Search, judge: CrossEncoder, most: int) -> Search:
    """The first passages of a list in the order of P(the passage does not contradict the query).

    Args:
        dataset: whose documents are read.
        first: gives the lists.
        judge: reads (passage, query).
        most: so many passages are read; the others follow as they stood.
    """

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        found: list[Ranking] = []
        for text, ranking in zip(texts, first(texts, k), strict=True):
            head = [document for document, _ in ranking[:most]]
            pairs = [(dataset.documents[document], text) for document in head]
            scored = zip(head, (1 - judge.probabilities(pairs)).tolist(), strict=True)
            ordered = sorted(scored, key=lambda one: -one[1])  # stable: ties by topic
            behind = [(document, score - 2) for document, score in ranking[most:]]  # cosines
            found.append([*ordered, *behind])
        return found

    return search


def first_groups(dataset: Dataset, count: int) -> Dataset:
    """The data set with its first queries only, no less than ``count``, pairs whole."""
    kept: dict[str, list[Query]] = {}
    for query in dataset.queries:
        label = query.id if query.pair is None else f"pair {query.pair}"
        if label in kept or sum(map(len, kept.values())) < count:
            kept.setdefault(label, []).append(query)
    return replace(dataset, queries=tuple(q for queries in kept.values() for q in queries))
