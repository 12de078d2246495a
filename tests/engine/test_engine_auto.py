"""The default policy in the engine, with the shipped encoder, embedded and over the wire."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from logic_retrievers import (
    AutoPolicy,
    Engine,
    OnnxEncoder,
    Passage,
    PassageIndex,
    UnionPolicy,
)

PASSAGES = [
    Passage("inn", "A hotel by the harbour with quiet rooms.", {"city": "Bergen"}),
    Passage("club", "Hotel rooms above the nightclub, music until four.", {"city": "Oslo"}),
    Passage("night", "The nightclub by the harbour opens at ten.", {"city": "Oslo"}),
    Passage("farm", "A farm stay in the hills, far from any nightclub.", {"city": "Voss"}),
    Passage("copper", "Copper prices rose again this week.", {}),
    Passage("rust", "Gold and platinum do not rust.", {}),
]
ORDINARY = ["hotel by the harbour", "platinum and gold", "metals that corrode"]
JUDGED = ["Doctors Without Borders", "which metals rust"]
NEGATIVE = "which metals do not rust"
EXCLUDING = "Hotels near the harbour, but not above a nightclub."


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(threads=1)


@pytest.fixture(scope="module")
def index(encoder: OnnxEncoder) -> Iterator[PassageIndex]:
    with PassageIndex.open("stays", encoder) as index:
        index.add(PASSAGES)
        yield index


def test_what_rules_nothing_out_gets_exactly_what_topical_gives(index: PassageIndex):
    """Ids, order, scores and evidence: a gate that changes ordinary searches is not switched on."""
    auto, topical = Engine(index), Engine(index, "topical")
    for query in ORDINARY:
        assert auto.search(query, 6) == topical.search(query, 6)
    assert auto.search_many(ORDINARY, 3) == topical.search_many(ORDINARY, 3)
    without = Engine(index, judge=None)  # the gate takes these for constraints
    assert without.search_many(JUDGED, 6) == topical.search_many(JUDGED, 6)


def test_what_is_ruled_out_moves_down_and_says_why(index: PassageIndex):
    plain = [hit.passage.id for hit in Engine(index, "topical").search(EXCLUDING, 6)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an untrained head that is not used is no reason to warn
        hits = {hit.passage.id: hit for hit in Engine(index).search(EXCLUDING, 6)}
    assert plain.index("club") == 1
    assert list(hits).index("club") > 3
    evidence = hits["club"].evidence
    assert evidence.policy == "exclusion"
    moved_down = "moved down: near to nightclub, which the query rules out"
    assert evidence.reason.startswith(f"{moved_down}; the judge reads that it violates the query")
    assert evidence.details["query"]["cue"] == "but not above"
    assert evidence.scores["excluded: nightclub"] > evidence.scores["wanted"]
    assert hits["inn"].evidence.details["penalty"] < 0.05
    worst = max((hit.evidence.details for hit in hits.values()), key=lambda d: d["violation"])
    assert worst["penalty"] == pytest.approx(0.75 * worst["violation"], abs=1e-6)  # the bundle's


def test_a_query_about_a_negative_fact_takes_both_vectors(index: PassageIndex):
    """It rules no passage out, and yet plain search cannot tell rust from no rust."""
    union = UnionPolicy(0.7)  # less of the compatibility vector than where it is asked for
    expected = Engine(index, union).search(NEGATIVE, 6)
    assert Engine(index, judge=None).search(NEGATIVE, 6) == expected


def test_fields_are_pushed_down(index: PassageIndex):
    """A filter cannot be outranked: not one passage of the excluded city may come back."""
    engine = Engine(index, AutoPolicy(fields={"city": ["Oslo", "Bergen"]}))
    hits = engine.search("places with music, except in oslo", 6)
    assert {hit.passage.metadata.get("city") for hit in hits} == {"Bergen", "Voss", None}
    assert hits[0].evidence.details["must_not"] == {"city": ["Oslo"]}
    both = engine.search_many(
        ["music", "music, except in Bergen"], 6, filter={"city": ["Oslo", "Bergen"]}
    )
    assert [{hit.passage.id for hit in hits} for hits in both] == [
        {"inn", "club", "night"},
        {"club", "night"},
    ]
