"""Documents and passages, both ways; pure functions."""

from __future__ import annotations

from copy import deepcopy
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_logic_retrievers.documents import (
    to_candidates,
    to_document,
    to_documents,
    to_passages,
    with_ranking,
    without_evidence,
)

from logic_retrievers.errors import InputError
from logic_retrievers.types import Evidence, Hit, Passage


class Page(Document):
    """A document of a user's own class."""

    number: int = 0


def hit(passage_id="a", score=0.5):
    evidence = Evidence("union", {"topical": 0.4}, {"topical": 1}, reason="near")
    return Hit(Passage(passage_id, "text", {"n": 1}), 3, score, evidence)


def test_a_hit_becomes_a_document():
    """A field that is left behind cannot be had anywhere else."""
    results = to_document(hit())
    assert (results.id, results.page_content) == ("a", "text")
    assert results.metadata == {
        "n": 1,
        "relevance_score": 0.5,
        "logic": {
            "policy": "union",
            "scores": {"topical": 0.4},
            "ranks": {"topical": 1},
            "passed_filter": True,
            "reason": "near",
            "details": {},
            "score": 0.5,
            "rank": 3,
        },
    }


def test_an_annotation_is_a_copy_of_the_same_kind():
    """An input that changes under its owner, or a subclass that loses its fields."""
    page = Page("text", id="a", metadata={"n": 1}, number=7)
    before = deepcopy(page)
    results = with_ranking(page, hit())
    assert page == before
    assert type(results) is Page
    assert (results.id, results.number, results.metadata["n"]) == ("a", 7, 1)


def test_an_annotation_replaces_an_older_one():
    """Evidence of another query would be stored, embedded or shown as this one's."""
    once = with_ranking(Document("text", metadata={"n": 1}), hit(score=0.1))
    twice = with_ranking(once, hit(score=0.9))
    assert twice.metadata["relevance_score"] == twice.metadata["logic"]["score"] == 0.9
    assert without_evidence(twice.metadata) == {"n": 1}
    assert to_passages([twice])[0].metadata == {"n": 1}
    [(passage, _)] = to_candidates([twice])
    assert passage.metadata == {"n": 1}


@pytest.mark.parametrize("own", [{"logic": "modal"}, {"logic": {"kind": "modal"}}, {}])
def test_a_users_own_keys_stay(own):
    """A course catalogue may well have a field `logic`; it is not ours to delete."""
    metadata = {**own, "relevance_score": 3, "n": 1}
    assert without_evidence(metadata) == metadata
    assert to_passages([Document("text", metadata=metadata)])[0].metadata == metadata


def test_ids_are_given_kept_or_made():
    """An id that is lost means a second copy at the next run."""
    documents = [Document("a", id="own"), Document("b"), Document("c", id="other")]
    first, second, third = to_passages(documents)
    assert (first.id, third.id) == ("own", "other")
    assert UUID(second.id).version == 4
    assert [passage.id for passage in to_passages(documents, ["x", "y", None])] == [
        "x",
        "y",
        "other",
    ]
    assert documents[1].id is None


def test_another_number_of_ids_is_refused():
    """LangChain's own zip drops the documents beyond the ids in silence."""
    with pytest.raises(InputError, match="2 documents and 1 ids"):
        to_passages([Document("a"), Document("b")], ["x"])
    with pytest.raises(InputError, match="2 texts and 1 metadatas"):
        to_documents(["a", "b"], [{}])
    with pytest.raises(InputError, match="dict"):
        to_documents(["a"], iter(["x"]))


def test_candidates_without_id_share_no_name():
    """Two documents without id are two; one that is called like a position is a third."""
    documents = [Document("a"), Document("b"), Document("c", id="#0"), Document("d", id="#0")]
    results = to_candidates(documents)
    assert [document.page_content for _, document in results] == ["a", "b", "c", "d"]
    assert [passage.id for passage, _ in results] == ["##0", "##1", "#0", "#0"]


def test_what_lay_under_our_keys_is_put_back():
    """A user's own metadata would be gone once a result is stored or reranked again."""
    own = {"logic": "modal", "relevance_score": 7, "n": 1}
    hit = Hit(Passage("a", "text"), 1, 0.5, Evidence("topical", {}, {}))
    once = with_ranking(Document("text", id="a", metadata=own), hit)
    twice = with_ranking(once, hit)
    assert once.metadata["relevance_score"] == twice.metadata["relevance_score"] == 0.5
    assert without_evidence(once.metadata) == without_evidence(twice.metadata) == own


def test_ids_of_two_collections_are_two_documents():
    """Both count from 1 as a rule; one would vanish."""
    results = to_candidates(
        [
            Document(text, metadata={"_id": 1, "_collection_name": home})
            for text, home in (("one", "a"), ("other", "b"), ("one again", "a"), ("other", "b"))
        ]
    )
    names = [passage.id for passage, _ in results]
    assert names[0] == names[2] == "1"
    assert names[1] == names[3] != "1"
