"""Neighbours: the pairs of a brute-force search, each once, without self-pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed import MERGED, PlacedEncoder, by_the_formulae, passages
from table_reader import TableReader

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner
from logic_retrievers.conflicts.candidate_pairs import NEAREST_READ
from logic_retrievers.conflicts.cleaning.candidate_pairs import (
    MIN_PROBABILITY,
    NEAR_COPY_COSINE,
    find_candidate_pairs,
)
from logic_retrievers.conflicts.cleaning.neighbours import MIN_COSINE, NeighbourSearch
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, Criteria
from logic_retrievers.conflicts.settings import VECTORS
from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.index.point_format import point_id

TOPICS = ("inn", "tax", "copper")
CORPUS = passages(
    *(f"{topic} | {claim} | {words}" for topic in TOPICS for claim in "xyz" for words in "abc")
)
STORED = {"vectors": VECTORS}


def neighbour_search(index=None, *, encoder=None, count=20, least=MIN_COSINE):
    made = index.encoder if index is not None else encoder or PlacedEncoder()
    return NeighbourSearch(made, index, MERGED, count, least)


def nearest(one, others, count, least):
    """The topically nearest of the other passages that are near enough."""
    others = [other for other in others if other is not one]
    near = [(by_the_formulae(one.text, other.text)[0], other.id) for other in others]
    return {name for cosine, name in sorted(near, reverse=True)[:count] if cosine >= least}


@pytest.mark.parametrize(("count", "least"), [(20, 0.5), (4, 0.5), (3, -1.0), (50, -1.0)])
@pytest.mark.parametrize("road", ["given", "stored"])
def test_neighbours_are_those_of_a_brute_force(road, count, least):
    """A missed neighbour is a conflict that is never found."""
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        index.add(CORPUS)
        made = neighbour_search(index if road == "stored" else None, count=count, least=least)
        given_ = index.run(made.encode(CORPUS))
        pools = index.run(made.score_neighbours(given_, {}, within=road == "given"))
        for one, pool in zip(CORPUS, pools, strict=True):
            assert {pair.one.id for pair in pool} <= {one.id}
            assert {pair.other.id for pair in pool} == nearest(one, CORPUS, count, least)
            assert [pair.cosine for pair in pool] == sorted(
                (pair.cosine for pair in pool), reverse=True
            )
            for pair in pool:
                wanted = by_the_formulae(one.text, pair.other.text)
                assert (pair.cosine, pair.score, pair.probability) == pytest.approx(
                    wanted, abs=2e-5
                )
        some, texts = [0, 9, 3], [one.text for one in CORPUS]
        for row, one in zip(made.probabilities(given_, some), some, strict=True):
            assert row.tolist() == [
                0.0
                if one == other
                else pytest.approx(by_the_formulae(texts[one], texts[other])[2], abs=2e-5)
                for other in some
            ]


def test_what_words_find_is_none_of_the_nearest_that_are_read():
    """It must not displace a passage that would otherwise stay unread."""
    crowd = [Passage(f"{copy} {n}", f"inn | quiet | room {n}") for n in range(12) for copy in "ab"]
    with PassageIndex.open("p", PlacedEncoder(), **STORED, lexical=True) as index:
        index.add(crowd)
        made = NeighbourSearch(index.encoder, index, MERGED, 20, MIN_COSINE, by_words=1)
        encoded = index.run(made.encode(crowd))
        for pool in index.run(made.score_neighbours(encoded, {}, within=False)):
            (found_by_words,) = (pair for pair in pool if pair.by_words)
            nearer = [pair for pair in pool if pair.cosine >= found_by_words.cosine]
            assert len(nearer) > NEAREST_READ


def test_what_only_rare_words_bring_together_is_read():
    """A side remark's topical vector is that of its whole passage."""
    far = passages("inn | quiet zanzibar | a", "tax | loud zanzibar | a")
    nearer = passages(*(f"{topic} | warm | {words}" for topic in ("inn", "tax") for words in "bc"))
    judge = TableReader(("quiet zanzibar", "loud zanzibar"))
    with PassageIndex.open("p", PlacedEncoder(), **STORED, lexical=True) as index:
        index.add([*far, *nearer])
        (decision,) = CorpusCleaner(index, judge=judge).clean(dry_run=True).decisions
    assert {decision.finding.one, decision.finding.other} == {passage.id for passage in far}


def pairs_of(index, pages, *, stored, encoder=None):
    """The candidate pairs, as an operation."""
    search = neighbour_search(index, encoder=encoder)
    criteria = Criteria.merge(CleaningSettings(judge=None), PlacedEncoder())
    return find_candidate_pairs(search, index, pages, criteria, stored=stored)


def pages_of(*pages):
    left = list(pages)

    def page():
        yield from ()
        return left.pop(0) if left else ()

    return page


def found(candidates):
    """Ids of the pairs; each must occur once, and none with itself."""
    names = [
        frozenset((candidates.passages[pair.one].id, candidates.passages[pair.other].id))
        for pair in candidates.pairs
    ]
    assert len(set(names)) == len(names)
    assert all(len(pair) == 2 for pair in names)
    return set(names)


def reference(*corpus):
    """Every pair worth examining."""
    kept = set()
    for at, one in enumerate(corpus):
        for other in corpus[at + 1 :]:
            cosine, _, probability = by_the_formulae(one.text, other.text)
            if cosine >= MIN_COSINE and (
                probability >= MIN_PROBABILITY or cosine >= NEAR_COPY_COSINE
            ):
                kept.add(frozenset((one.id, other.id)))
    return kept


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(CORPUS), unique_by=lambda one: one.id, max_size=12), st.data())
def test_the_same_pairs_however_they_lie(some, data):
    """Stored, given, or mixed, in one page or several."""
    cut = data.draw(st.integers(0, len(some)))
    wanted = reference(*some)
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        alone = pairs_of(None, pages_of(some), stored=False, encoder=index.encoder)
        assert found(run(alone, encoder_threads)) == wanted
        index.add(some[:cut])
        mixed = pairs_of(index, pages_of(some[cut:]), stored=False)
        new = {one.id for one in some[cut:]}
        assert found(index.run(mixed)) == {pair for pair in wanted if pair & new}
        index.add(some[cut:])
        paged = pairs_of(
            index, pages_of(some[:cut], some[cut:]) if cut else pages_of(some), stored=True
        )
        everything = index.run(paged)
        assert found(everything) == wanted
        assert len(everything.digests) == len(some)


def test_a_given_passage_stands_for_the_stored_one_that_it_will_replace():
    """A corrected text must neither contradict its old version nor be judged by its vectors."""
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        index.add([Passage("page", "inn | no | a"), *passages("inn | yes | a", "inn | yes | b")])
        corrected = Passage("page", "inn | yes | c")
        candidates = index.run(_screened(index, corrected))
        assert found(candidates) == {
            frozenset(("page", "inn | yes | a")), frozenset(("page", "inn | yes | b")),
        }  # fmt: skip
        assert max(pair.probability for pair in candidates.pairs) < 0.5
        others = passages(*(f"inn | yes | {words}" for words in "defgh"))
        beside = index.run(_screened(index, *others, corrected))
        assert len(found(beside)) == 27
        assert max(pair.probability for pair in beside.pairs) < 0.5, "nor for those beside it"


def _screened(index, *some):
    return pairs_of(index, pages_of(list(some)), stored=False)


def test_hidden_passages_are_nobodys_neighbours():
    """A passage found to be wrong must not hide others."""
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        index.add(passages("inn | no | a", "inn | yes | a", "inn | yes | b"))
        index.run(index.hide(["inn | no | a"]))
        cleaned = CorpusCleaner(index, resolution="quarantine_all").clean(dry_run=True)
        assert cleaned.decisions == ()
        assert cleaned.examined == 2
        with PassageIndex.open("p", index.encoder, client=index.client, show_quarantined=True) as s:
            again = CorpusCleaner(s, resolution="quarantine_all").clean(dry_run=True)
            assert again.quarantined == ()


def test_vectors_that_are_not_stored_are_made():
    """Most collections lack the contradiction vector and need no change."""
    plain, whole = PlacedEncoder(), PlacedEncoder()
    with (
        PassageIndex.open("p", plain, vectors=["topical"]) as lacking,
        PassageIndex.open("p", whole, **STORED) as index,
    ):
        lacking.add(CORPUS)
        index.add(CORPUS)
        plain.encoded.clear()
        whole.encoded.clear()
        made, taken = (CorpusCleaner(one).clean(dry_run=True) for one in (lacking, index))
        assert {*plain.encoded} == {one.text for one in CORPUS}
        assert whole.encoded == [], "what is stored is not made again"
        assert [(one.finding.one, one.finding.other, one.action) for one in made.decisions] == [
            (one.finding.one, one.finding.other, one.action) for one in taken.decisions
        ]
        assert lacking.vectors == ("topical", "lexical")
        points, _ = lacking.client.scroll("p", with_vectors=True, limit=100)
        assert {frozenset(point.vector) for point in points} == {frozenset({"topical", "lexical"})}


@pytest.mark.parametrize("size", [0, 2, 100])
def test_a_run_remembers_some_of_what_it_read(monkeypatch, size):
    """Reading a neighbour again for every nearby passage makes big corpora slow."""
    monkeypatch.setattr("logic_retrievers.conflicts.cleaning.neighbours.CACHED_PASSAGES", size)
    monkeypatch.setattr("logic_retrievers.conflicts.cleaning.neighbours.PASSAGES_PER_BATCH", 2)
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        index.add(CORPUS)
        read, fetch = [], index.fetch_passages
        monkeypatch.setattr(index, "fetch_passages", lambda ids: read.extend(ids) or fetch(ids))
        pages = pages_of(*(CORPUS[at : at + 4] for at in range(0, len(CORPUS), 4)))
        candidates = index.run(pairs_of(index, pages, stored=True))
        assert found(candidates) == reference(*CORPUS)
        assert set(read) == {point_id(one.id) for one in CORPUS}
        assert (len(read) == len(CORPUS)) == (size == 100)


def test_what_vanishes_in_the_meantime_is_left_out():
    """A passage deleted during the cleaning must not stop it."""
    with PassageIndex.open("p", PlacedEncoder(), **STORED) as index:
        index.add(CORPUS)
        gone = CORPUS[0]

        def pages():
            yield from ()
            if index.count() < len(CORPUS):
                return ()
            index.delete([gone.id])
            return CORPUS[1:]

        candidates = index.run(pairs_of(index, pages, stored=True))
        assert found(candidates) == reference(*CORPUS[1:])


def test_a_screened_passage_is_encoded_once():
    """A hook reads each passage twice: to screen it and to store it."""
    encoder, new = PlacedEncoder(), passages("inn | no | new", "rain | yes | new")
    with PassageIndex.open("p", encoder, **STORED) as index:
        index.add(passages("inn | yes | a"))
        encoder.encoded.clear()
        index.add(CorpusCleaner(index, judge=None).screen(new).passages)
    assert sorted(encoder.encoded) == sorted(one.text for one in new)
