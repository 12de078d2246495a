"""A filter's evidence in the metadata: beside what was there, and taken off again."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest
from langchain_core.documents import Document
from langchain_logic_retrievers.documents import (
    to_candidates,
    to_document,
    to_passages,
    with_contradictions,
    with_ranking,
    without_evidence,
)

from logic_retrievers.types import Evidence, Hit, Passage

RANKED = Hit(Passage("a", "text"), 3, 0.5, Evidence("union", {"topical": 0.4}, {"topical": 1}))
FILTERED = Hit(
    Passage("a", "text"), 1, 0.9, Evidence("contradiction", {"contradiction": None}, {"given": 1})
)
TOLD = {**FILTERED.evidence.to_dict(), "score": 0.9, "rank": 1}


def test_beside_what_ranked_it():
    """Why a document was found would be gone with the filter, and its score with it."""
    results = with_ranking(Document("text", metadata={"n": 1}), RANKED)
    kept = with_contradictions(results, FILTERED)
    assert kept.metadata == {
        **results.metadata,
        "logic": {**results.metadata["logic"], "contradiction": TOLD},
    }
    assert kept.metadata["relevance_score"] == 0.5
    assert without_evidence(kept.metadata) == {"n": 1}
    json.dumps(kept.metadata, allow_nan=False)


def test_alone_it_stands_at_the_same_place():
    """Whoever reads it should not have to ask what was there before."""
    kept = with_contradictions(Document("text", metadata={"n": 1}), FILTERED)
    assert kept.metadata == {"n": 1, "logic": {"contradiction": TOLD}}
    assert without_evidence(kept.metadata) == {"n": 1}
    assert to_passages([kept])[0].metadata == {"n": 1}
    [(passage, _)] = to_candidates([kept])
    assert passage.metadata == {"n": 1}


@pytest.mark.parametrize(
    "own",
    [
        {"logic": "modal"},
        {"logic": None},
        {"logic": {"contradiction": "reductio"}},
        {"logic": {"contradiction": TOLD, "kind": "modal"}},
        {"logic": {"kind": "modal"}, "relevance_score": 7},
        {"relevance_score": 7},
    ],
)
def test_what_is_the_users_own_stays(own):
    """Another reranker's score, or a field that is called like ours, is not ours to delete."""
    assert without_evidence(own) == own
    once = with_contradictions(Document("text", metadata=own), FILTERED)
    assert once.metadata.get("relevance_score") == own.get("relevance_score")
    twice = with_contradictions(once, FILTERED)
    assert twice == once
    assert without_evidence(once.metadata) == own
    ranked = with_ranking(once, RANKED)
    assert ranked.metadata == with_ranking(Document("text", metadata=own), RANKED).metadata
    again = with_contradictions(ranked, FILTERED)
    assert again.metadata["relevance_score"] == 0.5
    assert without_evidence(again.metadata) == own


def test_a_later_filter_takes_the_place_of_an_earlier_one():
    """Nested, it would grow with every step."""
    later = Hit(Passage("a", "text"), 2, 0.1, FILTERED.evidence)
    twice = with_contradictions(
        with_contradictions(with_ranking(Document("text"), RANKED), FILTERED), later
    )
    assert twice.metadata["logic"]["contradiction"] == {**TOLD, "score": 0.1, "rank": 2}
    assert twice == with_contradictions(with_ranking(Document("text"), RANKED), later)


def test_a_copy_of_the_same_kind():
    """An input that changes under its owner, or a subclass that loses its fields."""

    class Page(Document):
        number: int = 0

    page = Page("text", id="a", metadata={"tags": ["old"], "logic": {"mine": []}}, number=7)
    before = deepcopy(page)
    kept = with_contradictions(page, FILTERED)
    kept.metadata["tags"].append("new")
    kept.metadata["logic"]["replaced"]["logic"]["mine"].append("new")
    assert page == before
    assert (type(kept), kept.id, kept.number) == (Page, "a", 7)


def test_where_a_passage_was_cut_from_is_not_lost():
    """The parts of one file would be counted as voices of their own."""
    cut = Hit(Passage("a", "text", source="handbook.md"), 1, 0.5, RANKED.evidence)
    results = to_document(cut)
    assert results.metadata["logic"]["source"] == "handbook.md"
    for document in (results, with_contradictions(results, FILTERED)):
        [(passage, _)] = to_candidates([document])
        assert passage.source == "handbook.md"
    [(passage, _)] = to_candidates([Document("text", metadata={"source": "web"})])
    assert passage.source is None
