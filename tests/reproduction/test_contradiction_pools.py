"""Pools of contradiction retrieval: who asks, what is right, and what confuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from sparse_data import SUBJECTS, arguana, conflictqa

from benchmarks.common.contradiction_pools import (
    PARTS,
    arguana_pool,
    conflictqa_parts,
    conflictqa_pool,
    pairs_by_kind,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    conflictqa(tmp_path)
    arguana(tmp_path)
    return tmp_path


def says_open(text: str) -> bool:
    return "open" in text or "never" in text


def subject(text: str) -> str:
    return next(subject for subject in SUBJECTS if subject in text)


def test_passages_of_every_part_are_candidates_and_one_part_asks() -> None:
    """A pool without the other parts is a third as hard, and its figure no longer compares."""
    labelled = conflictqa_pool(conflictqa_parts(), "test")
    assert len(labelled.pool.texts) == 8 * 4
    assert len(labelled.pool.queries) == 3 * 4
    assert labelled.groups == tuple(name for name in "012" for _ in range(4))
    for (query, right), own in zip(labelled.pool.queries, labelled.pool.agreeing, strict=True):
        assert len(right) == 2
        assert not {query, *own} & set(right)
        assert says_open(labelled.pool.texts[query]) != says_open(labelled.pool.texts[right[0]])


@pytest.mark.parametrize("copies", [1, 3])
def test_paraphrases_join_their_side_and_do_not_ask(copies: int) -> None:
    """Counted as wrong, the paraphrases of right passages would hide what the score finds."""
    parts = conflictqa_parts()
    plain, more = (conflictqa_pool(parts, "test", n) for n in (0, copies))
    assert more.groups == plain.groups
    assert len(more.pool.texts) > len(plain.pool.texts)
    originals = [plain.pool.texts[query] for query, _ in plain.pool.queries]
    assert [more.pool.texts[query] for query, _ in more.pool.queries] == originals
    grown = zip(more.pool.queries, plain.pool.queries, strict=True)
    assert any(len(before[1]) > len(after[1]) for before, after in grown)
    assert any(len(own) > 1 for own in more.pool.agreeing)


def test_an_argument_is_answered_by_its_counter_argument() -> None:
    labelled = arguana_pool()
    assert len(labelled.pool.texts) == 8
    for query, (right,) in labelled.pool.queries:
        assert "people are free" in labelled.pool.texts[query]
        assert "ought to rest" in labelled.pool.texts[right]


def test_pairs_of_a_kind_are_of_that_kind() -> None:
    parts = conflictqa_parts()
    kinds = pairs_by_kind([group for part in PARTS for group in parts[part]])

    assert all(subject(a) != subject(b) for a, b in kinds["random"].pairs)
    for kind, alike in (("agreeing", True), ("contradicting", False)):
        for pair, other in kinds[kind].pairs:
            assert subject(pair) == subject(other)
            assert (says_open(pair) == says_open(other)) is alike
    assert all(len(pairs.pairs) == len(pairs.groups) for pairs in kinds.values())
    assert kinds == pairs_by_kind([group for part in PARTS for group in parts[part]])
