"""A fast ingestion: the topical vector and the words first, the others by a back-fill."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from suites import HashedEncoder

from logic_retrievers.errors import MissingVectorError
from logic_retrievers.index import IngestReport
from logic_retrievers.index.point_format import point_id
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

RICH = ["topical", "compatibility", "contradiction"]


def vectors_of(index):
    """Passage id -> names of the vectors that are stored of it."""
    records = index.client.scroll(index.collection, limit=1000, with_vectors=True)[0]
    return {record.payload["logic"]["id"]: {*record.vector} for record in records}


def coordinates_of(index, name):
    point = index.client.retrieve("lr-test", [point_id(name)], with_vectors=True)[0]
    return point.vector


def check_complete(index, opened, passages, vectors):
    """Everything is there, searchable, and unchanged for whoever adds it again."""
    assert index.incomplete == ()
    assert index.vectors == vectors
    assert vectors_of(index) == {passage.id: {*vectors} for passage in passages}
    again = opened(lexical="lexical" in vectors)
    assert again.vectors == vectors
    assert again.add(passages) == IngestReport(unchanged=len(passages))
    assert again.add(passages, fast=True) == IngestReport(unchanged=len(passages))
    assert again.incomplete == ()


def test_fast_then_backfill(opened, make_passages):
    """A vector that is missing and taken for complete is a search that finds less."""
    passages = make_passages(20)
    index = opened(lexical=True)
    assert index.add(passages, fast=True).added == 20
    assert index.vectors == ("topical", "lexical")
    assert index.incomplete == ("compatibility",)
    assert vectors_of(index) == {passage.id: {"topical", "lexical"} for passage in passages}
    with pytest.raises(MissingVectorError, match="being filled"):
        opened(lexical=True, vectors=["compatibility"])
    later = opened(lexical=True)
    assert later.vectors == ("topical", "lexical")
    assert later.incomplete == ("compatibility",)
    assert len(Engine(later, "auto").search("quiet hotel without a pool", k=5)) == 5
    with pytest.raises(MissingVectorError, match="backfill"):
        Engine(later, "sequential").search("quiet hotel", k=5)
    assert later.backfill().filled == 20
    check_complete(later, opened, passages, ("topical", "compatibility", "lexical"))


def test_stored_vectors_are_those_of_a_normal_ingestion(opened, make_passages):
    """The same passages, found otherwise because of the way they came in."""
    passages = make_passages(3)
    index = opened()
    index.add(passages)
    whole = [coordinates_of(index, passage.id) for passage in passages]
    index.delete([passage.id for passage in passages])
    index.add(passages, fast=True)
    index.backfill()
    for passage, vectors in zip(passages, whole, strict=True):
        later = coordinates_of(index, passage.id)
        for name, coordinates in vectors.items():
            assert later[name] == pytest.approx(coordinates, abs=2e-7)


def test_fast_onto_a_complete_collection(opened, make_passages):
    """A changed passage loses its vector: the collection must say so, and keep the others'."""
    passages = make_passages(10)
    index = opened()
    index.add(passages)
    changed = [replace(passages[0], text="a new text"), *passages[1:], Passage("new", "text")]
    report = index.add(changed, fast=True)
    assert report == IngestReport(added=1, updated=1, unchanged=9)
    assert index.vectors == ("topical",)
    whole = {"topical", "compatibility"}
    assert vectors_of(index) == {
        **{passage.id: whole for passage in passages},
        "p0": {"topical"},
        "new": {"topical"},
    }
    assert index.backfill().filled == 2
    check_complete(index, opened, changed, ("topical", "compatibility"))


def test_a_normal_add_makes_all_vectors_of_what_it_writes(opened, make_passages):
    """It must not look complete because of that, either."""
    passages = make_passages(6)
    index = opened()
    index.add(passages[:4], fast=True)
    assert index.add(passages) == IngestReport(added=2, unchanged=4)
    assert vectors_of(index)["p5"] == {"topical", "compatibility"}
    assert index.incomplete == ("compatibility",)
    assert index.backfill().filled == 4
    check_complete(index, opened, passages, ("topical", "compatibility"))


@pytest.mark.parametrize("moment", ["first write", "between batches", "back-fill"])
def test_interrupted(opened, make_passages, moment):
    """Half of anything, taken for the whole."""
    passages = make_passages(100)
    index = opened()
    index.add(passages[:30])

    def stop(progress):
        if progress.done > {"first write": 0, "between batches": 45, "back-fill": 1000}[moment]:
            raise KeyboardInterrupt

    def stop_filling(progress):
        raise KeyboardInterrupt

    try:
        index.add(reversed(passages), fast=True, progress=stop, batch_size=20)
        index.backfill(progress=stop_filling)
    except KeyboardInterrupt:
        assert index.vectors == ("topical",)
    else:
        pytest.fail("nothing was interrupted")
    later = opened()
    assert later.vectors == ("topical",)
    later.add(passages, fast=True)
    later.backfill()
    check_complete(later, opened, passages, ("topical", "compatibility"))


def test_a_backfill_that_ends_meanwhile_does_not_hide_what_comes_after(opened, make_passages):
    """Two processes on one server: the one completes what the other goes on with."""
    passages = make_passages(40)
    writer, filler = opened(), opened()

    def fill_meanwhile(progress):
        if progress.done == 16:
            filler.backfill(["compatibility"])
            assert filler.incomplete == ()

    writer.add(passages, fast=True, progress=fill_meanwhile)
    assert opened().incomplete == ("compatibility",)
    assert writer.backfill().filled == 24


def test_the_contradiction_vector_is_postponed_too(opened, make_passages):
    """The costlier half would be made at once."""
    encoder = HashedEncoder(RICH)
    index = opened(encoder=encoder, vectors=RICH)
    index.add(make_passages(5), fast=True)
    assert index.incomplete == ("compatibility", "contradiction")
    assert index.backfill().vectors == ("compatibility", "contradiction")
    assert index.vectors == tuple(RICH)


def test_nothing_to_postpone(opened, make_passages):
    """An encoder with one vector has no slow half."""
    index = opened(encoder=HashedEncoder(["topical"]))
    assert index.add(make_passages(5), fast=True).added == 5
    assert index.incomplete == ()
    other = opened(encoder=HashedEncoder(["compatibility"]), collection="lr-test-other")
    other.add(make_passages(5), fast=True)
    assert (other.vectors, other.incomplete) == (("compatibility",), ())


def test_asynchronous(opened, make_passages):
    """The asynchronous form must take the same way."""

    async def use_async_methods():
        await index.aadd(make_passages(5), fast=True)
        incomplete = index.incomplete
        return incomplete, (await index.abackfill()).filled

    index = opened()
    assert asyncio.run(use_async_methods()) == (("compatibility",), 5)
