"""Ranks and survival of violating passages, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from inn_queries import inns, result_of

from benchmarks.papers.coder_figures import Lifetimes, add_pair_measures
from benchmarks.papers.coder_reranker import first_groups, rerank_search

OTHERS = ["boat", "train"]


def lifetimes(**lists: list[str]) -> Lifetimes:
    dataset = inns()
    return Lifetimes(dataset, result_of(dataset, **lists))


def long(ids: list[str]) -> list[str]:
    """A list with more than ten ranks."""
    return [*ids, *(f"other {n}" for n in range(12))]


def test_the_product_limit_by_hand() -> None:
    """q1 violates at 1, q2 ends after 2 without: one of two at risk at rank 3 violates there."""
    times = lifetimes(q1=long(["loud"]), q2=OTHERS, q3=long([*OTHERS, "stable"]), q4=long([]))
    curve = times.curve()
    assert curve.x == tuple(map(float, range(11)))
    assert curve.y == pytest.approx([1, 0.75, 0.75, *[0.375] * 8])
    dataset = inns()
    result = result_of(dataset, q1=long(["loud"]), q2=long(["boat", "pool"]), q3=long([]))
    assert Lifetimes(dataset, result).restricted_mean().mean == pytest.approx(result.metrics["FVR"])


def test_differences_of_means_are_tested_in_pairs() -> None:
    lists = {"q1": long(["loud"]), "q2": long(["pool"]), "q3": long(["stable"])}
    first = lifetimes(**lists)
    better = lifetimes(**dict.fromkeys(lists, long([])))
    assert first.p_value(lifetimes(**lists)) == 1
    assert better.p_value(first) == 1 / 10_001


def test_directions_by_hand() -> None:
    """A list of only violating passages is the worst case, not a missing value."""
    dataset = inns()
    result = result_of(dataset, q1=["quiet", "loud"], q2=["pool"], q3=["boat"])
    extended = add_pair_measures(dataset, result)
    assert extended.per_query["right_rank"] == {"q1": 1, "q2": 0, "q3": 0}
    assert extended.per_query["dR@1"] == {"q1": 1, "q2": -1, "q3": 0}
    assert extended.per_query["dMRR@10"] == {"q1": 0.5, "q2": -1, "q3": 0}
    assert extended.metrics["right_rank"] == pytest.approx(1 / 3)
    assert extended.metrics["R@1"] == result.metrics["R@1"]


def test_the_head_is_put_in_the_judges_order() -> None:
    class Judge:
        """Texts about a nightclub contradict."""

        def probabilities(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
            assert len(pairs) == 3
            return np.array([0.9 if "nightclub" in passage else 0.2 for passage, _ in pairs])

    ranking = [("loud", 0.9), ("quiet", 0.8), ("pool", 0.7), ("boat", 0.6)]
    search = rerank_search(inns(), lambda texts, _: [ranking for _ in texts], Judge(), 3)  # type: ignore[arg-type]
    (result,) = search(["an inn"], 4)
    assert [name for name, _ in result] == ["quiet", "pool", "loud", "boat"]
    scores = [score for _, score in result]
    assert scores == sorted(scores, reverse=True)


def test_a_sample_keeps_pairs_whole() -> None:
    """Half a pair does not count for paired accuracy."""
    dataset = inns()
    pairs = zip(dataset.queries, "abba", strict=True)
    queries = tuple(replace(query, extra={"pair_id": pair}) for query, pair in pairs)
    paired = first_groups(replace(dataset, queries=queries), 1)
    assert [query.id for query in paired.queries] == ["q1", "q4"]
    assert [query.id for query in first_groups(dataset, 3).queries] == ["q1", "q2", "q3"]
