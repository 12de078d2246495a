"""Pools: their members, and that every score is exact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from vector_queries import QUERIES, vector_queries

from logic_retrievers.errors import InputError, MissingVectorError
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.index.point_format import point_id
from logic_retrievers.types import Passage


def brute_force(encoder, passages, query):
    """Vector name -> point id -> cosine, in float64."""
    asked = encoder.encode_queries([query])
    stored = encoder.encode_documents([p.text for p in passages])
    return {
        name: {
            point_id(p.id): float(stored[name][i].astype(np.float64) @ asked[name][0])
            for i, p in enumerate(passages)
        }
        for name in encoder.specs
    }


def test_pool_is_the_union_of_the_vector_queries_and_every_score_is_exact(
    index, encoder, make_passages
):
    """A candidate that only one search returned still gets its exact score on the other vectors."""
    passages = make_passages(60)
    index.add(passages)
    pools = index.run(index.find_candidates([vector_queries(encoder, query) for query in QUERIES]))
    for query, pool in zip(QUERIES, pools, strict=True):
        truth = brute_force(encoder, passages, query)
        best = {
            name: sorted(scores, key=lambda i: (-round(scores[i], 6), i))[:5]
            for name, scores in truth.items()
        }
        assert list(pool.ids) == sorted({*best["topical"], *best["compatibility"]})
        for name, scores in truth.items():
            expected = [scores[i] for i in pool.ids]
            np.testing.assert_allclose(pool.scores[name], expected, rtol=0, atol=1.01e-6)
            assert pool.scores[name].dtype == np.float64


def test_filter_and_tenant_hold_on_every_vector_query(opened, encoder, make_passages):
    """A vector query without the filter would return passages that the user ruled out."""
    index, other = opened(tenant="one"), opened(tenant="two")
    index.add(make_passages(40))
    other.add(make_passages(40))
    searches = [
        EncodedVectorQuery(f"{name} {n}", name, vector, 10)
        for n, query in enumerate(QUERIES)
        for name, rows in encoder.encode_queries([query]).items()
        for vector in rows
    ]
    [pool] = index.run(index.find_candidates([searches], {"parity": "odd"}))
    found = index.run(index.fetch_passages(pool.ids)).values()
    assert len(found) == 20
    assert {p.metadata["parity"] for p in found} == {"odd"}
    assert set(pool.ids) == {point_id(f"p{i}", "one") for i in range(1, 40, 2)}


def test_a_vector_query_of_limit_0_adds_no_candidate(index, encoder, make_passages):
    """A limit of 0 must not widen the pool of a policy that asked for one search."""
    index.add(make_passages(30))
    topical, compatibility = vector_queries(encoder, QUERIES[0], 4)
    scorer = EncodedVectorQuery("compatibility", "compatibility", compatibility.query, 0)
    [both] = index.run(index.find_candidates([[topical, scorer]]))
    [alone] = index.run(index.find_candidates([[topical]]))
    assert both.ids == alone.ids
    assert not np.isnan(both.scores["compatibility"]).any()


def test_copies_of_a_text_tie_exactly_and_the_edge_goes_by_id(index, encoder):
    """The copy that is found must not depend on the position of its row."""
    copies = [Passage(f"c{i}", "quiet hotel by the river") for i in range(12)]
    index.add([Passage("x", "noisy hostel"), *copies[:6], Passage("y", "pool"), *copies[6:]])
    [pool] = index.run(index.find_candidates([vector_queries(encoder, QUERIES[0], 4)]))
    assert list(pool.ids) == sorted(point_id(p.id) for p in copies)[:4]
    for scores in pool.scores.values():
        assert len(set(scores.tolist())) == 1


def test_nothing_found_is_an_empty_pool(index, encoder, make_passages):
    """An empty result must not break the policy that reads it."""
    empty = index.run(index.find_candidates([vector_queries(encoder, QUERIES[0])]))
    index.add(make_passages(3))
    filtered = index.run(
        index.find_candidates([vector_queries(encoder, QUERIES[0])], {"number": 99})
    )
    for [pool] in (empty, filtered):
        assert pool.ids == ()
        assert [scores.shape for scores in pool.scores.values()] == [(0,), (0,)]
    assert index.run(index.fetch_passages([])) == {}
    assert index.run(index.find_candidates([])) == []


def test_points_deleted_between_the_phases_keep_no_score(index, encoder, make_passages):
    """A delete by another process during a search causes neither a crash nor a stale passage."""
    index.add(make_passages(20))
    operation = index.find_candidates([vector_queries(encoder, QUERIES[0], 5)])
    handler = index.connection
    effect = next(operation)
    result = handler.handle(effect)
    index.delete(filter={"number": {"gte": 0}})
    pool = None
    while pool is None:
        try:
            result = handler.handle(operation.send(result))
        except StopIteration as stop:
            [pool] = stop.value
    assert len(pool.ids) >= 5
    assert np.isnan([*pool.scores.values()]).any()
    assert index.run(index.fetch_passages(pool.ids)) == {}


def test_many_queries_are_a_few_requests(wire_double, encoder, make_passages):
    """One request per query would make batch search as slow as single searches."""
    index = PassageIndex.open("lr-test", encoder, location=wire_double.url)
    index.add(make_passages(30))
    wire_double.requests.clear()
    index.run(index.find_candidates([vector_queries(encoder, query) for query in QUERIES * 10]))
    assert [name for _, name in wire_double.requests] == ["points/query/batch"] * 2
    index.close()


def test_the_lexical_vector_finds_words(opened, encoder):
    """Sparse scores must use Qdrant's own idf, also for candidates of other searches."""
    index = opened(lexical=True)
    index.add(
        [Passage("a", "quiet quiet zyx room"), Passage("b", "quiet room"), Passage("c", "pool")]
    )
    dense = vector_queries(encoder, "pool", 1)
    words = EncodedVectorQuery("lexical", "lexical", term_vector("ZYX quiet", query=True), 1)
    assert index.vectors == ("topical", "compatibility", "lexical")
    [pool] = index.run(index.find_candidates([[*dense, words]]))
    scores = dict(zip(pool.ids, pool.scores["lexical"], strict=True))
    assert scores[point_id("a")] > 0
    assert np.isnan(scores[point_id("c")])
    [full] = index.run(index.find_candidates([[replace(words, limit=3)]]))
    assert dict(zip(full.ids, full.scores["lexical"], strict=True))[point_id("b")] > 0


def test_searches_that_cannot_be_are_refused(index, encoder, make_passages):
    """The mistake must be reported before a request is sent."""
    index.add(make_passages(3))
    topical, _ = vector_queries(encoder, QUERIES[0])
    missing = EncodedVectorQuery("x", "contradiction", topical.query, 3)
    with pytest.raises(MissingVectorError, match=r"contradiction.*backfill"):
        index.run(index.find_candidates([[missing]]))
    with pytest.raises(InputError, match="one name"):
        index.run(index.find_candidates([[topical, topical]]))
    with pytest.raises(InputError, match="dict over metadata keys"):
        index.run(index.find_candidates([[topical]], "city = Oslo"))
