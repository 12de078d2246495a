"""Pools of many rows: how these are fetched, and left as they are."""

from __future__ import annotations

import numpy as np
import pytest
from suites import HashedEncoder
from vector_queries import QUERIES, vector_queries

from logic_retrievers.index import PassageIndex, candidate_search
from logic_retrievers.index.embedded import local_nearest, local_vectors
from logic_retrievers.index.point_format import point_id
from logic_retrievers.index.vectors import fetch_vectors
from logic_retrievers.types import Passage


def test_large_pools_are_fetched_in_groups(monkeypatch, encoder, make_passages):
    """Thousands of queries at once must not hold all their vectors in memory."""
    index = PassageIndex.open("lr-test", encoder)
    index.add(make_passages(40))
    searches = [vector_queries(encoder, query) for query in QUERIES]
    whole = index.run(index.find_candidates(searches))
    monkeypatch.setattr(candidate_search, "POINTS_PER_CALL", 3)
    parts = index.run(index.find_candidates(searches))
    for one, other in zip(whole, parts, strict=True):
        assert one.ids == other.ids
        np.testing.assert_array_equal(one.scores["topical"], other.scores["topical"])
    index.close()


def test_requests_leave_embedded_mode_without_parameters_that_it_ignores(recwarn, encoder):
    """qdrant-client would warn at every first search of a user."""
    index = PassageIndex.open("lr-test", HashedEncoder())
    index.add([Passage("a", "text")])
    index.run(index.find_candidates([vector_queries(encoder, "text")]))
    assert not recwarn.list
    index.close()


def test_rows_are_those_that_retrieve_gives(opened, encoder, make_passages):
    """Embedded mode's arrays are no public interface: the long way must give the same."""
    index = opened()
    if not index.embedded:
        pytest.skip("a server has no rows in this process")
    passages = make_passages(20)
    index.add(passages)
    bare = [point_id(p.id) for p in passages[:3]]
    index.client.delete_vectors(index.collection, ["compatibility"], bare)
    index.delete([passages[5].id])
    ids = [point_id(p.id) for p in passages] + [point_id("nobody")]
    short = index.connection.read_arrays(local_vectors, index.collection, list(encoder.specs), ids)
    long = index.run(fetch_vectors(index._collection, list(encoder.specs), ids))
    for name in encoder.specs:
        assert short[name][0] == long[name][0]
        np.testing.assert_array_equal(short[name][1], long[name][1])
    assert len(short["compatibility"][0]) == 16
    searches = [vector_queries(encoder, query) for query in QUERIES]
    for condition in (None, {"number": {"gte": 10}}, {"number": -1}):
        fast = index.run(index.find_candidates(searches, condition))
        slow = index.run(candidate_search.find_candidates(index._collection, searches, condition))
        for one, other in zip(fast, slow, strict=True):
            # a search of embedded mode's own scales the stored vectors, which turns last bits
            np.testing.assert_allclose(
                one.scores["topical"], other.scores["topical"], rtol=0, atol=1.01e-6
            )
            assert one.ids == other.ids


def test_a_search_leaves_the_stored_vectors_as_they_are(make_passages, encoder):
    """Embedded mode scales its vectors in place: the same query had two answers."""
    with PassageIndex.open("still", encoder) as index:
        index.add(make_passages(60))
        vectors = index.client._client._get_collection(index.collection).vectors
        before = {name: rows.copy() for name, rows in vectors.items()}
        for condition in (None, {"number": {"gte": 10}}):
            index.run(
                index.find_candidates([vector_queries(encoder, q) for q in QUERIES], condition)
            )
        for name, rows in before.items():
            np.testing.assert_array_equal(rows, vectors[name])


def test_embedded_arrays_that_moved_are_left_alone(encoder, make_passages):
    """Embedded mode's arrays are no public interface: without them the long way is taken."""
    with PassageIndex.open("moved", encoder) as index:
        index.add(make_passages(20))
        asked = [np.ones(32)]
        short = index._connection
        assert (
            short.read_arrays(local_nearest, index.collection, "topical", asked, 3, None)
            is not None
        )
        for wrong in ([np.ones(8)], [np.full(32, np.nan)]):
            assert (
                short.read_arrays(local_nearest, index.collection, "topical", wrong, 3, None)
                is None
            )
        index.client._client._get_collection = None
        assert (
            short.read_arrays(local_vectors, index.collection, ["topical"], [point_id("nobody")])
            is None
        )
        assert short.read_arrays(local_nearest, index.collection, "topical", asked, 3, None) is None
        del index.client._client._get_collection
