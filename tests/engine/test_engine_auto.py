"""The default policy in the engine, with the shipped encoder, embedded and over the wire."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from logic_retrievers import AutoPolicy, Engine, OnnxEncoder, Passage, PassageIndex
from logic_retrievers.policies import ConstraintSettings

PASSAGES = [
    Passage("inn", "A hotel by the harbour with quiet rooms.", {"city": "Bergen"}),
    Passage("club", "Hotel rooms above the nightclub, music until four.", {"city": "Oslo"}),
    Passage("night", "The nightclub by the harbour opens at ten.", {"city": "Oslo"}),
    Passage("farm", "A farm stay in the hills, far from any nightclub.", {"city": "Voss"}),
    Passage("station", "A hotel at the station."),
    Passage("copper", "Copper prices rose again this week."),
    Passage("rust", "Gold and platinum do not rust."),
    Passage("iron", "Iron is a metal that rusts."),
]
ORDINARY = ["hotel by the harbour", "platinum and gold", "metals that corrode"]
EXCLUDING = "hotels without a nightclub"
NEGATIVE = "metals that do not rust"
GERMAN = "Hotels am Hafen, aber ohne Nachtclub"


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(threads=1)


@pytest.fixture(scope="module")
def index(encoder: OnnxEncoder) -> Iterator[PassageIndex]:
    with PassageIndex.open("stays", encoder) as index:
        index.add(PASSAGES)
        yield index


def listed(hits):
    return [(hit.passage.id, hit.score) for hit in hits]


def by_id(hits):
    return {hit.passage.id: hit for hit in hits}


async def test_what_rules_nothing_out_gets_exactly_what_hybrid_gives(index: PassageIndex):
    """Ids, order, scores and evidence match: users reject a gate that changes ordinary searches."""
    auto, hybrid = Engine(index), Engine(index, "hybrid")
    for query in ORDINARY:
        assert auto.search(query, 8) == hybrid.search(query, 8)
        assert await auto.asearch(query, 8) == hybrid.search(query, 8)
    assert auto.search_many(ORDINARY, 3) == hybrid.search_many(ORDINARY, 3)


@pytest.mark.parametrize("judge", ["auto", None])
def test_what_is_ruled_out_moves_down_and_says_why(index: PassageIndex, judge):
    """Plain search ranks first what the query rules out."""
    assert Engine(index, "topical").search(EXCLUDING, 1)[0].passage.id == "club"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an untrained head that is not used gives no reason to warn
        hits = by_id(Engine(index, judge=judge).search(EXCLUDING, 8))
    assert hits["inn"].rank < hits["club"].rank
    evidence = hits["club"].evidence
    assert evidence.policy == "constraint"
    reason, *verdict = evidence.reason.split("; ")
    assert reason == "moved down: near to nightclub, which the query rules out"
    assert [text.startswith("the judge reads that it violates") for text in verdict] == (
        [True] if judge else []
    )
    details = evidence.details
    assert details["excluded"] == ["nightclub"]
    gate = details["query"]["constraint"]
    assert details["penalty"] == pytest.approx(gate * 0.4 * details["violation"], abs=1e-6)
    assert hits["inn"].evidence.details["penalty"] == 0


def test_without_its_cause_every_passage_has_its_rank_and_score_back(index: PassageIndex):
    """A passage moves only for what the query rules out."""
    plain = Engine(index, "topical")
    off = AutoPolicy(settings=ConstraintSettings(penalty=0, compatibility_weight=0), base="topical")
    query = "hotel rooms"
    assert listed(Engine(index, off, judge=None).search(EXCLUDING, 8)) == [
        (name, pytest.approx(score, abs=1e-6)) for name, score in listed(plain.search(EXCLUDING, 8))
    ]
    excluding = Engine(index).search(query, 8, exclude=["nightclub"])
    without = Engine(index).search(query, 8)
    assert by_id(excluding)["club"].rank > by_id(without)["club"].rank
    assert without == Engine(index, "hybrid").search(query, 8)


def test_a_negative_fact_is_ranked_by_both_vectors_and_the_judge(index: PassageIndex):
    """It rules no passage out, but plain search cannot tell rust from no rust."""
    assert Engine(index, judge=None).search(NEGATIVE, 1)[0].passage.id == "rust"
    judged = by_id(Engine(index).search(NEGATIVE, 8))
    verdicts = {name: judged[name].evidence.details["judge"]["verdict"] for name in judged}
    assert (verdicts["rust"], verdicts["iron"]) == ("satisfies", "violates")
    assert judged["rust"].rank == 1


def test_a_german_exclusion_is_moved_down_by_vectors_alone(encoder: OnnxEncoder):
    """The bundle's judge reads English: its verdict on German is random."""
    texts = {
        "inn": "Ruhiges Hotel am Hafen mit Garten.",
        "club": "Der Nachtclub am Hafen hat bis vier Uhr offen.",
        "station": "Hotel am Bahnhof.",
        "cellar": "Hotel mit Nachtclub im Keller.",
        "farm": "Zimmer auf dem Bauernhof.",
    }
    with PassageIndex.open("german", encoder) as index:
        index.add([Passage(name, text) for name, text in texts.items()])
        plain = by_id(Engine(index, "topical").search(GERMAN, 5))
        hits = Engine(index).search(GERMAN, 5)
        assert hits == Engine(index, judge=None).search(GERMAN, 5)
        club = by_id(hits)["club"]
        assert club.rank > plain["club"].rank
        reason = "moved down: near to Nachtclub, which the query rules out"
        assert club.evidence.reason == reason
        assert by_id(hits)["inn"].rank == 1


def test_a_callers_text_does_not_make_a_german_query_english(index: PassageIndex):
    """A text named by the caller must not send a German query to the bundle's judge."""
    hits = Engine(index).search("Hotel ohne Pool", 8, exclude=["Sauna"])
    assert not any("judge" in hit.evidence.details for hit in hits)


def test_fields_are_pushed_down(index: PassageIndex):
    """A filter cannot be outranked and applies to its own query only."""
    engine = Engine(index, AutoPolicy(fields={"city": ["Oslo", "Bergen"]}))
    both = engine.search_many(
        ["music", "music, except in Bergen"], 8, filter={"city": ["Oslo", "Bergen"]}
    )
    assert [{hit.passage.id for hit in hits} for hits in both] == [
        {"inn", "club", "night"},
        {"club", "night"},
    ]
