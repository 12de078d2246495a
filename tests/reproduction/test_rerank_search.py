"""Reranking by a judge: the head moves, the rest stays; samples keep pairs whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from inn_queries import inns

from benchmarks.reproduction.studies.exclusion.reranker import first_groups, rerank_search


class Judge:
    """Contradiction is what speaks of a nightclub."""

    def __init__(self) -> None:
        self.read: list[tuple[str, str]] = []

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        self.read += pairs
        return np.array([0.9 if "nightclub" in passage else 0.2 for passage, _ in pairs])


def test_the_head_is_put_in_the_judges_order() -> None:
    judge = Judge()
    ranking = [("loud", 0.9), ("quiet", 0.8), ("pool", 0.7), ("boat", 0.6)]
    search = rerank_search(inns(), lambda texts, _: [ranking for _ in texts], judge, 3)  # type: ignore[arg-type]
    (result,) = search(["an inn"], 4)
    assert [name for name, _ in result] == ["quiet", "pool", "loud", "boat"]
    assert [passage for passage, _ in judge.read] == [
        inns().documents[name] for name in ("loud", "quiet", "pool")
    ]
    scores = [score for _, score in result]
    assert scores == sorted(scores, reverse=True)


def test_a_sample_keeps_pairs_whole() -> None:
    """Half a pair says nothing of paired accuracy, and its documents tie the halves together."""
    dataset = inns()
    pairs = ["a", "b", "b", "a"]
    queries = tuple(
        replace(query, extra={"pair_id": pair})
        for query, pair in zip(dataset.queries, pairs, strict=True)
    )
    assert [q.id for q in first_groups(replace(dataset, queries=queries), 1).queries] == [
        "q1",
        "q4",
    ]
    assert [q.id for q in first_groups(dataset, 3).queries] == ["q1", "q2", "q3"]
