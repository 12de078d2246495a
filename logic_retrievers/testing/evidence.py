"""Checks that several suites share."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from logic_retrievers.testing.retrieved import Retrieved
from logic_retrievers.types import Hit

LOGIC = "logic"
"""The one key of a result's metadata under which the evidence stands."""

SCORE = 2e-6
"""How far two float32 engines may lie apart."""


def check_same(found: Sequence[Retrieved], expected: Sequence[Hit]) -> None:
    """The results are these hits: ids, order, texts, scores and the metadata that was stored."""
    assert [one.id for one in found] == [hit.passage.id for hit in expected]
    assert [one.text for one in found] == [hit.passage.text for hit in expected]
    assert [one.score for one in found] == pytest.approx([h.score for h in expected], abs=SCORE)
    for one, hit in zip(found, expected, strict=True):
        stored = {key: value for key, value in hit.passage.metadata.items() if key != LOGIC}
        assert {key: one.metadata.get(key) for key in stored} == stored


def under_logic(one: Retrieved) -> Any:
    """The evidence of a result, where it stands alone under our key."""
    return one.metadata[LOGIC]


def check_evidence(
    found: Sequence[Retrieved],
    expected: Sequence[Hit],
    evidence_of: Callable[[Retrieved], Any] = under_logic,
) -> None:
    """Each result tells why it stands where it stands, in values that JSON can hold."""
    assert len(found) == len(expected)
    for one, hit in zip(found, expected, strict=True):
        evidence = evidence_of(one)
        told = json.loads(json.dumps(evidence, allow_nan=False))
        assert told == evidence, "a tuple or a number as a key does not survive JSON"
        wanted: dict[str, Any] = {**hit.evidence.to_dict(), "rank": hit.rank}
        assert {key: told.get(key) for key in wanted} == json.loads(json.dumps(wanted))
        assert told["score"] == pytest.approx(hit.score, abs=SCORE)


def check_same_hits(found: Sequence[Hit], everything: Sequence[Hit], k: int) -> None:
    """Two engines agree on the first k; where scores tie, either passage may come first.

    Args:
        found: what the one gives for k.
        everything: all passages in the other's order.
        k: how many were asked for.
    """
    ids = [hit.passage.id for hit in found]
    assert len(set(ids)) == len(ids)
    scores = [hit.score for hit in everything]
    assert [hit.score for hit in found] == pytest.approx(scores[:k], abs=SCORE)
    score_of = {hit.passage.id: hit.score for hit in everything}
    for hit in found:
        assert hit.score == pytest.approx(score_of[hit.passage.id], abs=SCORE), hit.passage.id
