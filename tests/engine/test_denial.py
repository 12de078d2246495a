"""Passages that name what is excluded only to deny it."""

from __future__ import annotations

import time

import pytest

from logic_retrievers import Engine, OnnxEncoder, Passage, PassageIndex, Reranker
from logic_retrievers.ranking.excluded_words import denies

QUERY = "a potting mix, but no peat"
PASSAGES = [
    Passage("denies", "Potting mix for tubs. It contains no peat, and feeds for six weeks."),
    Passage("has", "Potting mix for tubs, with sphagnum peat that holds water."),
    Passage("both", "No peat in the tub mix. The seed mix is half peat, half sand."),
    Passage("silent", "Potting mix for tubs, made of bark and composted green waste."),
    Passage("pots", "Pots of clay in four sizes, with saucers."),
]


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("Contains no nuts.", "nuts"),
        ("Made without any nut or milk.", "nuts"),
        ("Neither peat nor coir is in it.", "coir"),
        ("It doesn\u2019t need a subscription.", "subscription"),
        ("Peat is never used.", "peat"),
        ("A room with no pool.", "swimming pool"),
    ],
)
def test_a_text_denies_what_it_names(text, excluded):
    assert denies(text, excluded)


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("No milk, but plenty of nuts.", "nuts"),
        ("Not only nuts, raisins as well.", "nuts"),
        ("No fewer than nine nuts in a bar.", "nuts"),
        ("Nuts are not roasted.", "nuts"),
        ("No nuts in the soup. Nuts in the cake.", "nuts"),
        ("Without a single one of the things that so many people dread, nuts.", "nuts"),
        ("Keine Nüsse.", "Nüsse"),
        ("no peanuts", "nut"),
    ],
)
def test_a_text_that_affirms_it_once_or_does_not_name_it(text, excluded):
    """A wrong denial lifts what the query rules out."""
    assert not denies(text, excluded)


def test_long_texts_are_read_in_linear_time():
    begun = time.process_time()
    assert denies("no nuts, " * 50_000, "nuts")
    assert time.process_time() - begun < 20


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("mixes", OnnxEncoder(threads=1)) as index:
        index.add(PASSAGES)
        yield index


def by_id(hits):
    return {hit.passage.id: hit for hit in hits}


@pytest.mark.parametrize("judge", ["auto", None])
def test_what_denies_it_is_not_moved_down_and_says_so(index, judge):
    """A cosine takes "no peat" for a passage about peat."""
    hits = by_id(Engine(index, judge=judge).search(QUERY, 5))
    evidence = hits["denies"].evidence
    assert evidence.reason.startswith("names peat only to deny it")
    assert evidence.details["denied"] == ["peat"]
    assert (evidence.details["penalty"], evidence.details["excluded"]) == (0.0, [])
    assert hits["denies"].rank < hits["has"].rank
    assert hits["denies"].rank < hits["both"].rank
    for other in ("has", "both"):
        assert hits[other].evidence.details["penalty"] > 0
        assert "denied" not in hits[other].evidence.details
    assert "denied" not in hits["silent"].evidence.details
    reranked = by_id(Reranker(index=index, judge=judge).rerank(QUERY, PASSAGES))
    assert reranked["denies"].evidence.details["denied"] == ["peat"]


def test_a_list_begins_as_every_longer_one():
    """The same candidates are read whatever k is; else the first hits would depend on it."""
    kinds = ("contains no peat", "is half peat", "is made of bark", "holds peat and sand")
    passages = [Passage(f"{n}", f"Potting mix {n} {kinds[n % 4]}.") for n in range(80)]
    with PassageIndex.open("many", OnnxEncoder(threads=1)) as index:
        index.add(passages)
        engine = Engine(index, judge=None)
        longest = [hit.passage.id for hit in engine.search(QUERY, 80)]
        for k in (1, 5, 25, 60):
            assert [hit.passage.id for hit in engine.search(QUERY, k)] == longest[:k]
