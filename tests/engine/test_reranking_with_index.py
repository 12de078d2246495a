"""Reranking what a collection holds: its vectors are taken, and only where they may be."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers import Passage, PassageIndex, Reranker


@pytest.fixture
def encoder():
    return WatchedEncoder(HashedEncoder(query_prefix="query "))


@pytest.fixture
def passages():
    return [Passage(word, f"a {word} hotel number {n}") for n, word in enumerate("abcdef")]


@pytest.fixture
def index(encoder, passages):
    with PassageIndex.open("some", encoder) as index:
        index.add(passages[:4])
        encoder.documents.clear()
        yield index


def close_to(hits, expected):
    assert [hit.passage for hit in hits] == [hit.passage for hit in expected]
    assert [h.score for h in hits] == pytest.approx([h.score for h in expected], abs=2e-6)


def test_only_what_is_not_stored_is_encoded(index, encoder, passages):
    """One new passage must not cost the encoding of all."""
    expected = Reranker(encoder).rerank("a hotel", passages)
    for hits in (
        lambda: Reranker(index=index).rerank("a hotel", passages),
        lambda: asyncio.run(Reranker(index=index).arerank("a hotel", passages)),
    ):
        encoder.documents.clear()
        close_to(hits(), expected)
        assert encoder.documents == [passage.text for passage in passages[4:]]


def test_a_changed_text_is_encoded_anew(index, encoder, passages):
    """The vector of the text before would judge a passage that nobody sees."""
    changed = [replace(passages[0], text="copper prices"), *passages[1:4]]
    expected = Reranker(encoder).rerank("a hotel", changed)
    encoder.documents.clear()
    close_to(Reranker(index=index).rerank("a hotel", changed), expected)
    assert encoder.documents == ["copper prices"]


def test_tenants_are_kept_apart(encoder, passages):
    """Another customer's vectors say what another customer has stored."""
    with PassageIndex.open("tenants", encoder, tenant="one") as one:
        two = PassageIndex.open("tenants", encoder, client=one.client, tenant="two")
        one.add(passages)
        encoder.documents.clear()
        two_of_them = Reranker(index=two).rerank("a hotel", passages)
        assert sorted(encoder.documents) == sorted(passage.text for passage in passages)
        encoder.documents.clear()
        close_to(Reranker(index=one).rerank("a hotel", passages), two_of_them)
        assert encoder.documents == []


def test_vectors_of_another_encoder_are_not_taken(index, passages):
    """A cosine between two models' vectors is a number without a meaning."""
    newer = WatchedEncoder(HashedEncoder(versions={"compatibility": "2"}))
    expected = Reranker(newer, "union").rerank("a hotel", passages[:4])
    newer.documents.clear()
    close_to(Reranker(newer, "union", index=index).rerank("a hotel", passages[:4]), expected)
    assert sorted(newer.documents) == sorted(passage.text for passage in passages[:4])
    newer.documents.clear()
    Reranker(newer, "topical", index=index).rerank("a hotel", passages[:4])
    assert newer.documents == []
