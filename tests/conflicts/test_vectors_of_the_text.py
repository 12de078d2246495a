"""A contradiction vector depends on a passage's text only, on every path."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from placed import PlacedEncoder
from suites import HashedEncoder

from logic_retrievers import ContradictionFilter, ContradictionSearch, Passage, PassageIndex
from logic_retrievers.errors import EncoderError
from logic_retrievers.ranking.execution import passage_vectors

YES, NO, COPPER = "inn | yes | a", "inn | no | a", "copper | yes | a"
BOTH = ("topical", "contradiction")


def filed(name, text, file):
    """A passage also found by its file's name."""
    return Passage(name, text, embed_text=f"file: {file}\n\n{text}")


GIVEN = [filed("a", YES, "a.pdf"), filed("b", NO, "b.html"), filed("c", COPPER, "c.md")]


@pytest.fixture
def encoder():
    return PlacedEncoder()


@pytest.fixture
def index(encoder):
    with PassageIndex.open("house", encoder, vectors=BOTH) as index:
        index.add(GIVEN)
        encoder.encoded.clear()
        yield index


def vectors_of(index, passages):
    return index.run(passage_vectors(passages, BOTH, index.encoder, index))


def test_stored_and_fresh_vectors_are_the_same(index, encoder):
    """If two vectors of a passage differ, the path decides the result."""
    stored = vectors_of(index, GIVEN)
    assert encoder.encoded == []
    fresh = index.run(passage_vectors(GIVEN, BOTH, encoder))
    assert sorted(encoder.encoded) == sorted(
        [*(one.text for one in GIVEN), *(one.embed_text for one in GIVEN)]
    )
    for name in BOTH:
        np.testing.assert_allclose(stored[name], fresh[name], atol=2e-6)
    np.testing.assert_allclose(
        stored["contradiction"],
        encoder.encode_documents([one.text for one in GIVEN])["contradiction"],
        atol=2e-6,
    )


def test_a_backfill_makes_the_same(encoder):
    """A collection completed later must judge like a new one."""
    with PassageIndex.open("bare", encoder, vectors=("topical",)) as index:
        index.add(GIVEN)
        index.backfill(["contradiction"])
        with PassageIndex.open("bare", encoder, client=index.client, create=False) as whole:
            encoder.encoded.clear()
            stored = vectors_of(whole, GIVEN)["contradiction"]
            assert encoder.encoded == []
    fresh = encoder.encode_documents([one.text for one in GIVEN])["contradiction"]
    np.testing.assert_allclose(stored, fresh, atol=2e-6)


def test_a_new_title_leaves_the_stored_vector_as_it_is(index):
    """A new title changes how a passage is found, not its statement."""
    moved = [replace(one, embed_text=one.text) for one in GIVEN]
    found = index.run(index.stored_vectors(moved, BOTH))
    assert {name for name, _ in found} == {"contradiction"}
    changed = [replace(one, text=COPPER, embed_text=one.embed_text) for one in GIVEN[:2]]
    assert index.run(index.stored_vectors(changed, BOTH)) == {}


def test_every_road_finds_the_conflict(index, encoder):
    """With file names in the vectors two passages would differ everywhere."""
    (fresh,) = ContradictionFilter(encoder).filter(GIVEN).conflicts
    (lent,) = ContradictionFilter(index=index).filter(GIVEN).conflicts
    assert {fresh.one, fresh.other} == {lent.one, lent.other} == {"a", "b"}
    assert fresh.probability > 0.9
    assert lent.probability == pytest.approx(fresh.probability, abs=1e-5)
    search = ContradictionSearch(index)
    for hits in (search.search_like("a"), search.search(YES)):
        assert [hit.passage.id for hit in hits] == ["b", "c"], "itself is no candidate"
        assert hits[0].evidence.details["probability"] == pytest.approx(fresh.probability, abs=0.01)


def test_what_is_found_by_something_else_than_a_text_is_not_judged(encoder):
    """A picture is found by its metadata and states nothing that could be contradicted."""
    pictures = [Passage("p", "", embed_text=YES), Passage("q", " ", embed_text=NO)]
    found = ContradictionFilter(encoder, resolution="drop_both").filter([*GIVEN, *pictures])
    assert [hit.passage.id for hit in found.hits] == ["c", "p", "q"]
    assert found.hits[1].evidence.reason == "has no text to judge it by"
    with PassageIndex.open("house", encoder, vectors=BOTH) as index:
        index.add(pictures)
        hits = ContradictionSearch(index).search(COPPER)
        assert [hit.evidence.details["probability"] for hit in hits] == [None, None]
        assert all("no text to judge it by" in hit.evidence.reason for hit in hits)
        assert ContradictionSearch(index, min_probability=0.0).search(NO) == []
        index.add(GIVEN)
        like = ContradictionSearch(index).search_like("q")
        assert {hit.evidence.details["probability"] for hit in like} == {None}


def test_a_passage_is_the_same_under_another_title(encoder):
    """A trusted passage known by its title would be dropped under a new one."""
    trusted = ContradictionFilter(encoder, trusted=[Passage("a", YES)])
    found = trusted.filter(GIVEN)
    assert [hit.passage.id for hit in found.hits] == ["a", "c"]
    assert found.hits[0].evidence.details["trusted"]


def test_vectors_that_are_not_finite_are_refused(encoder, monkeypatch):
    """A NaN difference looks like that of two copies, so nothing would contradict."""
    broken = {name: np.full((2, 64), np.nan, dtype=np.float32) for name in BOTH}
    monkeypatch.setattr(encoder, "encode_documents", lambda _texts, _names: broken)
    with pytest.raises(EncoderError, match="not finite"):
        ContradictionFilter(encoder).filter([Passage("a", YES), Passage("b", NO)])


def test_what_has_no_text_can_be_stored():
    """Encoders refuse an empty text and its whole batch."""
    with PassageIndex.open("house", HashedEncoder(BOTH), vectors=BOTH) as index:
        assert index.add([*GIVEN, Passage("p", " ", embed_text=YES)]).added == 4


def test_vectors_that_are_kept_are_those_of_one_title(encoder):
    """A trusted passage's topic must not depend on who asked before."""
    other = Passage("a", YES, embed_text=COPPER)
    made = ContradictionFilter(encoder, trusted=[Passage("a", YES)])
    made.filter(GIVEN[1:])
    fresh = ContradictionFilter(encoder, trusted=[Passage("a", YES)])
    assert made.filter([other, GIVEN[1]]) == fresh.filter([other, GIVEN[1]])


def test_each_text_is_encoded_once(encoder):
    """Two passages with one text and title need half the encoding."""
    with PassageIndex.open("house", encoder, vectors=BOTH) as index:
        index.add([Passage("a", YES), Passage("b", YES), filed("c", YES, "c")])
    assert sorted(encoder.encoded) == sorted([YES, f"file: c\n\n{YES}"])
