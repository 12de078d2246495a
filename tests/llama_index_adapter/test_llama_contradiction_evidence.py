"""ContradictionFilter: its evidence beside what was there, and out of what others read."""

from __future__ import annotations

from copy import deepcopy

import pytest
from contradicting_nodes import (
    OPEN,
    contradictions,
    opposed_store,
    retrieved_nodes,
)
from llama_index.core.schema import MetadataMode
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
)
from llama_index_logic_retrievers.evidence import without_evidence
from placed import PlacedEncoder

QUERY = "inns"


@pytest.fixture
def results():
    return retrieved_nodes()


def test_evidence_of_the_retriever_stays():
    """Why a node was found would be lost behind the last step of the pipeline."""
    with opposed_store() as store:
        retrieved = ConstraintRetriever(store.index, "topical", similarity_top_k=9).retrieve(OPEN)
        before = deepcopy(retrieved)
        once = contradictions().postprocess_nodes(retrieved)
    assert retrieved == before
    for one, plain in zip(once, before, strict=True):
        logic = dict(one.node.metadata["logic"])
        assert logic.pop("contradiction")["policy"] == "contradiction"
        assert logic == plain.node.metadata["logic"]
        assert one.score == plain.score == logic["score"]
        assert type(one.node) is type(plain.node)
        assert one.node.hash == plain.node.hash
    again = contradictions("prefer_newest").postprocess_nodes(once)
    assert {result.node.metadata["logic"]["policy"] for result in again} == {"topical"}
    assert not any(
        "contradiction" in result.node.metadata["logic"]["contradiction"] for result in again
    ), "evidence of an earlier filter is replaced"
    assert contradictions().postprocess_nodes(once) == once


def test_metadata_of_the_users_own_under_our_key(results):
    """A user's field called logic would vanish, or come back as evidence."""
    like_ours = {"policy": 1, "scores": 1, "ranks": 1, "passed_filter": 1}
    for mine in (
        "mine",
        {"contradiction": "mine"},
        {"contradiction": like_ours, "other": 1},
        {},
        None,
    ):
        results[0].node.metadata["logic"] = mine
        once = contradictions().postprocess_nodes(results)
        twice = contradictions().postprocess_nodes(once)
        assert twice == once
        told = once[0].node.metadata["logic"]
        assert set(told) == {"contradiction", "replaced"}
        assert without_evidence(twice[0].node) == results[0].node
        reranker = CompatibilityReranker("topical", encoder=PlacedEncoder())
        (ranked,) = reranker.postprocess_nodes(once[:1], query_str=OPEN)
        assert "contradiction" not in ranked.node.metadata["logic"]
        assert without_evidence(ranked.node) == results[0].node


def test_results_that_are_stored_hold_no_evidence(results):
    """Old evidence in the collection would come back as metadata of the user's."""
    left = contradictions().postprocess_nodes(results)
    with opposed_store() as store:
        store.add([result.node for result in left])
        (stored,) = store.get_nodes([OPEN])
        assert stored == results[0].node
    assert type(left[0].node) is not type(results[0].node)
    assert left[0].node.hash == results[0].node.hash


def test_evidence_stays_out_of_prompts_and_vectors(results):
    """Half a page of probabilities in the prompt, or in what an embedding model reads."""
    for one, plain in zip(contradictions().postprocess_nodes(results), results, strict=True):
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            assert one.node.get_content(mode) == plain.node.get_content(mode)
