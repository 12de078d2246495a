"""Checks that several suites share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.types import Hit
from suites.sample_passages import Retrieved

LOGIC = "logic"
"""The one key of a result's metadata under which the evidence stands."""

SCORE = 2e-6
"""How far two float32 engines may lie apart."""


def check_results(results: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
    """Check that results are these hits: ids, order, texts, scores and stored metadata."""
    assert [result.id for result in results] == [hit.passage.id for hit in expected]
    assert [result.text for result in results] == [hit.passage.text for hit in expected]
    assert [result.score for result in results] == pytest.approx(
        [h.score for h in expected], abs=SCORE
    )
    for result, hit in zip(results, expected, strict=True):
        stored = {key: value for key, value in hit.passage.metadata.items() if key != LOGIC}
        assert {key: result.metadata.get(key) for key in stored} == stored


def evidence_in(result: Retrieved) -> Any:
    """The evidence of a result, if nothing else is under our key."""
    return result.metadata[LOGIC]


def check_evidence(
    results: Sequence[Retrieved],
    expected: Sequence[Hit],
    evidence_of: Callable[[Retrieved], Any] = evidence_in,
) -> None:
    """Check that each result's evidence explains its rank in values that JSON can hold."""
    assert len(results) == len(expected)
    for result, hit in zip(results, expected, strict=True):
        evidence = evidence_of(result)
        stored_evidence = json.loads(json.dumps(evidence, allow_nan=False))
        assert stored_evidence == evidence, "a tuple or a number as a key does not survive JSON"
        expected_evidence: dict[str, Any] = {**hit.evidence.to_dict(), "rank": hit.rank}
        assert {key: stored_evidence.get(key) for key in expected_evidence} == json.loads(
            json.dumps(expected_evidence)
        )
        assert stored_evidence["score"] == pytest.approx(hit.score, abs=SCORE)


def against_gardens(pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float, float]]:
    """Judge that passages about gardens violate every query and that all others satisfy it."""
    return [(0.1, 0.1, 0.8) if "garden" in text else (0.8, 0.1, 0.1) for text, _ in pairs]


def shortest_first(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Score passages as a model that only knows relevance does."""
    return [-float(len(text)) for text, _ in pairs]


class FixedModel(ModelJudge):
    """Gives every pair of passages one probability; None: only knows relevance."""

    def __init__(self, probability: float | None = None) -> None:
        self.compares = probability is not None
        self._probability = probability

    def __repr__(self) -> str:  # pytest shows it, the same in every worker
        return f"FixedModel({self._probability})"

    def __call__(self, pairs: Sequence[tuple[str, str]], /) -> list[float]:
        return [1.0] * len(pairs)

    def contradictions(self, pairs: Sequence[tuple[str, str]], /) -> list[float | None]:
        return [self._probability] * len(pairs)


def check_same_hits(results: Sequence[Hit], everything: Sequence[Hit], k: int) -> None:
    """Check that two engines agree on the first k; ties may come in either order.

    Args:
        results: the k best of the first engine.
        everything: all passages in the order of the second engine.
        k: number of hits requested.
    """
    ids = [hit.passage.id for hit in results]
    assert len(set(ids)) == len(ids)
    scores = [hit.score for hit in everything]
    assert [hit.score for hit in results] == pytest.approx(scores[:k], abs=SCORE)
    score_of = {hit.passage.id: hit.score for hit in everything}
    for hit in results:
        assert hit.score == pytest.approx(score_of[hit.passage.id], abs=SCORE), hit.passage.id
