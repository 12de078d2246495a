"""The contradiction vector is made only on request."""

from __future__ import annotations

import pytest
from suites import HashedEncoder

from logic_retrievers import Reranker
from logic_retrievers.errors import FingerprintMismatchError, MissingVectorError
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine

USUAL = ("topical", "compatibility")
ALL = (*USUAL, "contradiction")


class Counting(HashedEncoder):
    """Notes the names that it was asked for."""

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
    """Every ingestion would take half as long again, for a search that few run."""
    index = opened()
    index.add(make_passages(5))
    Engine(index, "union").search("quiet hotel", 3)
    Reranker(policy="sequential", index=index).rerank("quiet hotel", make_passages(7))
    assert index.vectors == USUAL
    assert dense(index) == set(USUAL)
    assert encoder.asked == set(USUAL)
    assert opened().vectors == USUAL


def test_named_it_is_made(opened, encoder, make_passages):
    """A vector that was asked for and is not there would be missed at the first search only."""
    index = opened(vectors=ALL)
    index.add(make_passages(3))
    assert index.vectors == ALL
    assert encoder.asked == set(ALL)
    lone = opened(collection="lr-test-lone", vectors=["contradiction"])
    assert lone.vectors == ("contradiction",)


def test_an_existing_collection_is_opened_with_all_that_it_has(opened, encoder, make_passages):
    """Passages that are added without it would never be found by a search for contradictions."""
    opened(vectors=ALL)
    again = opened()
    assert again.vectors == ALL
    again.add(make_passages(3))
    rows = again.run(again.fetch_vectors(["contradiction"], [point_id("p1")]))
    assert list(rows["contradiction"][0]) == [point_id("p1")]
    with pytest.raises(FingerprintMismatchError, match="'contradiction'"):
        opened(encoder=HashedEncoder(ALL, versions={"contradiction": "2"}))


def test_a_back_fill_of_everything_leaves_it_out(opened, encoder, make_passages):
    """Who asks for the compatibility vector does not ask for another third of the work."""
    opened(encoder=HashedEncoder(["topical"])).add(make_passages(4))
    index = opened()
    assert index.backfill().vectors == ("compatibility",)
    assert index.backfill().vectors == ()
    assert encoder.asked == {"compatibility"}
    assert index.vectors == USUAL


def test_a_back_fill_by_name_adds_it(opened, encoder, make_passages):
    """The other vectors are there already, and must not be paid for twice."""
    passages = make_passages(6)
    index = opened()
    index.add(passages)
    encoder.asked.clear()
    report = index.backfill(["contradiction"])
    assert (report.vectors, report.filled) == (("contradiction",), 6)
    assert encoder.asked == {"contradiction"}
    assert index.vectors == opened().vectors == ALL
    rows, _ = index.run(index.fetch_vectors(["contradiction"], [point_id(p.id) for p in passages]))[
        "contradiction"
    ]
    assert len(rows) == 6


# --- rows, which a search for contradictions reads


def test_rows_are_the_encoders(opened, encoder, make_passages):
    """A row that is handed to another point judges a text that it does not come from."""
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
