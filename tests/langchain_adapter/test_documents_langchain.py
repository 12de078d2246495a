"""Documents and passages, both ways, with evidence."""

from __future__ import annotations

import json
from copy import deepcopy
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_logic_retrievers.documents import (
    to_candidates,
    to_document,
    to_documents,
    to_passages,
    with_contradictions,
    with_ranking,
    without_evidence,
)

from logic_retrievers.errors import InputError
from logic_retrievers.types import Evidence, Hit, Passage

RANKED = Hit(
    Passage("a", "text", {"n": 1}), 3, 0.5, Evidence("union", {"topical": 0.4}, {"topical": 1})
)
FILTERED = Hit(
    Passage("a", "text"), 1, 0.9, Evidence("contradiction", {"contradiction": None}, {"given": 1})
)
TOLD = {**FILTERED.evidence.to_dict(), "score": 0.9, "rank": 1}


def test_a_hit_becomes_a_document():
    """A dropped field is not available anywhere else."""
    evidence = {
        "policy": "union", "scores": {"topical": 0.4}, "ranks": {"topical": 1},
        "passed_filter": True, "reason": "", "details": {}, "score": 0.5, "rank": 3,
    }  # fmt: skip
    metadata = {"n": 1, "relevance_score": 0.5, "logic": evidence}
    assert to_document(RANKED) == Document("text", id="a", metadata=metadata)


def test_ids_are_given_kept_or_made():
    """Losing an id stores a second copy at the next run."""
    documents = [Document("a", id="own"), Document("b"), Document("c", id="other")]
    first, second, third = to_passages(documents)
    assert (first.id, third.id) == ("own", "other")
    assert UUID(second.id).version == 4
    given = to_passages(documents, ["x", "y", None])
    assert [passage.id for passage in given] == ["x", "y", "other"]
    assert documents[1].id is None


def test_another_number_of_ids_is_refused():
    """LangChain's own zip silently drops the documents beyond the ids."""
    with pytest.raises(InputError, match="2 documents and 1 ids"):
        to_passages([Document("a"), Document("b")], ["x"])
    with pytest.raises(InputError, match="2 texts and 1 metadatas"):
        to_documents(["a", "b"], [{}])
    with pytest.raises(InputError, match="dict"):
        to_documents(["a"], iter(["x"]))


def test_candidates_without_id_share_no_name():
    """Two documents without id stay two; one named like a position is a third."""
    documents = [Document("a"), Document("b"), Document("c", id="#0"), Document("d", id="#0")]
    results = to_candidates(documents)
    assert [document.page_content for _, document in results] == ["a", "b", "c", "d"]
    assert [passage.id for passage, _ in results] == ["##0", "##1", "#0", "#0"]


def test_ids_of_two_collections_are_two_documents():
    """Collections usually count from 1, so equal ids must not merge documents."""
    results = to_candidates(
        [
            Document(text, metadata={"_id": 1, "_collection_name": home})
            for text, home in (("one", "a"), ("other", "b"), ("one again", "a"), ("other", "b"))
        ]
    )
    names = [passage.id for passage, _ in results]
    assert names[0] == names[2] == "1"
    assert names[1] == names[3] != "1"


def test_beside_what_ranked_it():
    """The filter must keep the retriever's reason and score."""
    results = with_ranking(Document("text", metadata={"n": 1}), RANKED)
    kept = with_contradictions(results, FILTERED)
    assert kept.metadata == {
        **results.metadata,
        "logic": {**results.metadata["logic"], "contradiction": TOLD},
    }
    assert kept.metadata["relevance_score"] == 0.5
    assert without_evidence(kept.metadata) == {"n": 1}
    json.dumps(kept.metadata, allow_nan=False)


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
    """Another reranker's score, or a user's field named like ours, must not be deleted."""
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


def test_a_copy_of_the_same_kind():
    """The input must not change, and a subclass must keep its fields."""

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
    """Parts of one file must not count as independent sources."""
    cut = Hit(Passage("a", "text", source="handbook.md"), 1, 0.5, RANKED.evidence)
    results = to_document(cut)
    assert results.metadata["logic"]["source"] == "handbook.md"
    for document in (results, with_contradictions(results, FILTERED)):
        [(passage, _)] = to_candidates([document])
        assert passage.source == "handbook.md"
    [(passage, _)] = to_candidates([Document("text", metadata={"source": "web"})])
    assert passage.source is None
