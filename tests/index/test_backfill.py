"""Adding a named vector later, or making it only on request."""

from __future__ import annotations

import numpy as np
import pytest
from fault_injection import WireDouble
from suites import HashedEncoder
from vector_queries import stored_points

from logic_retrievers import Reranker
from logic_retrievers.errors import (
    BlankTextWarning,
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
    ServerError,
    ServerUnavailableError,
)
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index import backfill as backfill_module
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

POOR = ["topical"]
RICH = ["topical", "compatibility"]


def stored_scores(index, encoder, name="compatibility"):
    """Point id -> score of a query on one named vector, for all points that have it."""
    query = EncodedVectorQuery(name, name, encoder.encode_queries(["quiet hotel"])[name][0], 1000)
    [pool] = index.run(index.find_candidates([[query]]))
    return dict(zip(pool.ids, pool.scores[name], strict=True))


def expected(encoder, passages, name="compatibility"):
    query = encoder.encode_queries(["quiet hotel"])[name][0].astype(np.float64)
    rows = encoder.encode_documents([p.text for p in passages])[name]
    return {point_id(p.id): float(row @ query) for p, row in zip(passages, rows, strict=True)}


def topical_points(index):
    """Everything stored, except the added vectors."""
    points = stored_points(index.client)
    return {point: (payload, made["topical"]) for point, (payload, made) in points.items()}


def test_a_vector_is_added(opened, make_passages):
    """Adding a head must not require indexing a million passages again."""
    passages = make_passages(30)
    opened(encoder=HashedEncoder(POOR)).add(passages)
    encoder = HashedEncoder(RICH)
    index = opened(encoder=encoder)
    before = topical_points(index)
    assert index.vectors == ("topical",)
    told = []
    report = index.backfill(progress=told.append)
    assert (report.collection, report.vectors, report.filled) == ("lr-test", ("compatibility",), 30)
    assert [(p.done, p.share) for p in told] == [(30, 1)]
    assert index.vectors == ("topical", "compatibility")
    assert stored_scores(index, encoder) == pytest.approx(expected(encoder, passages), abs=2e-6)
    assert topical_points(index) == before
    assert index.backfill().vectors == ()
    assert opened(encoder=encoder, vectors=RICH).vectors == ("topical", "compatibility")
    index.add([Passage("new", "text")])
    assert point_id("new") in stored_scores(index, encoder)


def test_a_vector_of_another_encoder_is_made_anew(opened, make_passages):
    """A replaced head must not be searched until its last old vector is gone."""
    passages = make_passages(10)
    opened(encoder=HashedEncoder(RICH)).add(passages)
    newer = HashedEncoder(RICH, versions={"compatibility": "2"})
    index = opened(encoder=newer, vectors=POOR)
    assert index.backfill(["compatibility"]).filled == 10
    assert index.vectors == ("topical", "compatibility")
    assert stored_scores(index, newer) == pytest.approx(expected(newer, passages), abs=2e-6)


@pytest.mark.parametrize("old", [POOR, RICH])
def test_interrupted_and_run_again(opened, make_passages, monkeypatch, old):
    """A partial back-fill must be neither searched nor repeated."""
    monkeypatch.setattr(backfill_module, "PAGE_SIZE", 4)
    passages = make_passages(10)
    opened(encoder=HashedEncoder(old)).add(passages)
    newer = HashedEncoder(RICH, versions={"compatibility": "2"})

    def stop(progress):
        if progress.done >= 8:
            raise KeyboardInterrupt

    index = opened(encoder=newer, vectors=POOR)
    with pytest.raises(KeyboardInterrupt):
        index.backfill(["compatibility"], progress=stop)
    half = opened(encoder=newer)
    assert half.vectors == ("topical",)
    with pytest.raises(MissingVectorError, match="being filled"):
        opened(encoder=newer, vectors=RICH)
    half.add([Passage("meanwhile", "text")])
    assert half.backfill(["compatibility"]).filled == 2
    assert stored_scores(half, newer) == pytest.approx(
        expected(newer, [*passages, Passage("meanwhile", "text")]), abs=2e-6
    )


def test_lexical_is_filled_too(opened, make_passages):
    """A back-fill can add the sparse vector too."""
    passages = make_passages(5)
    index = opened(encoder=HashedEncoder(POOR))
    index.add(passages)
    assert index.backfill(["lexical"]).filled == 5
    assert index.vectors == ("topical", "lexical")
    assert opened(encoder=HashedEncoder(POOR), lexical=True).add(passages).updated == 5


@pytest.mark.parametrize("prefer_grpc", [False, True])
def test_a_server_that_cannot_add_vectors(make_passages, prefer_grpc):
    """Servers before 1.18 cannot add named vectors: they refuse, and nothing changes."""
    with WireDouble(version="1.17.1") as double:
        where = double.place(prefer_grpc=prefer_grpc)
        with PassageIndex.open("lr-test", HashedEncoder(POOR), **where) as index:
            index.add(make_passages(20))
        with PassageIndex.open("lr-test", HashedEncoder(RICH), **where) as index:
            with pytest.raises(ServerError, match=r"since version 1\.18.*reindex into"):
                index.backfill()
            assert "compatibility" not in index.vectors
            index.reindex("lr-test-2", vectors=RICH)
        with PassageIndex.open("lr-test-2", HashedEncoder(RICH), **where) as second:
            assert second.vectors == (*RICH, "lexical")
            assert second.count() == 20


def test_a_server_that_is_down_is_no_old_one(wire_double, make_passages):
    """A lost connection must not produce the advice to update the server."""
    with PassageIndex.open("lr-test", HashedEncoder(POOR), location=wire_double.url) as index:
        index.add(make_passages(3))
    with PassageIndex.open(
        "lr-test", HashedEncoder(RICH), location=wire_double.url, retries=0
    ) as index:
        wire_double.fail(1, "drop_connection")
        with pytest.raises(ServerUnavailableError, match="No answer"):
            index.backfill()


def test_only_what_the_encoder_makes(index):
    """A wrong name must be reported before anything is marked as unfinished."""
    with pytest.raises(ConfigurationError, match="onion"):
        index.backfill(["onion"])


def test_a_named_vector_is_completed(index, encoder, make_passages):
    """Naming a vector must fill points that another process wrote without it."""
    passages = make_passages(8)
    index.add(passages)
    lost = [point_id(p.id) for p in passages[:3]]
    index.client.delete_vectors(index.collection, ["compatibility"], lost, wait=True)
    assert index.backfill().filled == 0
    assert index.backfill(["compatibility"]).filled == 3
    assert stored_scores(index, encoder) == pytest.approx(expected(encoder, passages), abs=2e-6)


def test_passages_that_come_during_a_backfill(opened, make_passages):
    """A writer that opened the collection earlier does not know the new vector."""
    passages = make_passages(6)
    writer = opened(encoder=HashedEncoder(POOR))
    writer.add(passages)
    late = Passage("late", "quiet hotel by the pool")
    encoder = HashedEncoder(RICH)
    index = opened(encoder=encoder)

    def write_meanwhile(progress):
        if progress.done == 6:
            writer.add([late])

    assert index.backfill(progress=write_meanwhile).filled == 7
    assert stored_scores(index, encoder) == pytest.approx(
        expected(encoder, [*passages, late]), abs=2e-6
    )


def test_blank_passages_of_another_store_get_no_vector(opened, make_passages):
    """One blank passage must not keep all others without the vector for ever."""
    passages = make_passages(20)
    index = opened(encoder=HashedEncoder(POOR))
    index.add(passages)
    blank = [point_id(passage.id) for passage in passages[3:6]]
    index.client.set_payload(index.collection, {"page_content": "\u200b"}, blank)
    encoder = HashedEncoder(RICH)
    index = opened(encoder=encoder)
    with pytest.warns(BlankTextWarning, match="3 passages"):
        assert index.backfill(["compatibility"]).filled == 17
    readable = [*passages[:3], *passages[6:]]
    assert stored_scores(index, encoder) == pytest.approx(expected(encoder, readable), abs=2e-6)


USUAL = ("topical", "compatibility")
ALL = (*USUAL, "contradiction")


class Counting(HashedEncoder):
    """Notes the requested vector names."""

    def __init__(self, names=ALL, **settings):
        super().__init__(names, **settings)
        self.asked = set()

    def _encode(self, texts, names):
        self.asked |= set(self.specs if names is None else names)
        return super()._encode(texts, names)


@pytest.fixture
def encoder():
    return Counting()


def dense(index):
    return set(index.client.get_collection(index.collection).config.params.vectors)


def test_a_new_collection_goes_without(opened, encoder, make_passages):
    """Ingestion must not take half as long again for a search that few users run."""
    index = opened()
    index.add(make_passages(5))
    Engine(index, "union").search("quiet hotel", 3)
    Reranker(policy="sequential", index=index).rerank("quiet hotel", make_passages(7))
    assert index.vectors == USUAL
    assert dense(index) == set(USUAL)
    assert encoder.asked == set(USUAL)
    assert opened().vectors == USUAL


def test_named_it_is_made_and_opened(opened, encoder, make_passages):
    """A search for contradictions must find passages added later."""
    index = opened(vectors=ALL)
    index.add(make_passages(3))
    assert index.vectors == opened().vectors == ALL
    assert encoder.asked == set(ALL)
    lone = opened(collection="lr-test-lone", vectors=["contradiction"])
    assert lone.vectors == ("contradiction",)
    with pytest.raises(FingerprintMismatchError, match="'contradiction'"):
        opened(encoder=HashedEncoder(ALL, versions={"contradiction": "2"}))


def test_a_back_fill_of_everything_leaves_it_out(opened, encoder, make_passages):
    """A back-fill without names adds the compatibility vector, not the costly contradiction vector.

    Naming the contradiction vector adds it without making the other vectors again.
    """
    opened(encoder=HashedEncoder(["topical"])).add(make_passages(4))
    index = opened()
    assert index.backfill().vectors == ("compatibility",)
    assert index.backfill().vectors == ()
    assert encoder.asked == {"compatibility"}
    assert index.vectors == USUAL
    encoder.asked.clear()
    report = index.backfill(["contradiction"])
    assert (report.vectors, report.filled) == (("contradiction",), 4)
    assert encoder.asked == {"contradiction"}
    assert index.vectors == opened().vectors == ALL


# --- rows, which a search for contradictions reads


def test_rows_are_the_encoders(opened, encoder, make_passages):
    """Each point must get the row of its own text."""
    passages = make_passages(9)
    index = opened(vectors=ALL)
    index.add(passages)
    wanted = encoder.encode_documents([p.text for p in passages])
    points = [point_id(p.id) for p in passages]
    index.client.delete_vectors(index.collection, ["contradiction"], points[:2], wait=True)
    index.delete([passages[2].id])
    found = index.run(
        index.fetch_vectors(["contradiction", "topical"], [*reversed(points), point_id("nobody")])
    )
    for name, left_out in (("contradiction", 3), ("topical", 1)):
        row_of, rows = found[name]
        assert len(row_of) == len(rows) == 9 - left_out
        for point, row in row_of.items():
            assert rows[row] == pytest.approx(wanted[name][points.index(point)], abs=2e-6)
    assert index.run(index.fetch_vectors([], points)) == {}
    row_of, rows = index.run(index.fetch_vectors(["topical"], []))["topical"]
    assert len(row_of) == len(rows) == 0
    with pytest.raises(MissingVectorError, match="lexical"):
        index.run(index.fetch_vectors(["lexical"], points))
