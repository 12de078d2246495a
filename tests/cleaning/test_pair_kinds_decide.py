"""Classification where a cross-encoder has read the pair: what it decides, and what comes first."""

from __future__ import annotations

import pytest
from pair_bundles import write_pair_bundle

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import CorpusCleaner, Kind
from logic_retrievers.cleaning.candidate_pairs import CandidatePairs
from logic_retrievers.cleaning.classification import classify_pair, classify_pairs
from logic_retrievers.cleaning.settings import CleaningSettings
from logic_retrievers.contradiction.candidate_pairs import CandidatePair
from logic_retrievers.judging import PAIR_KINDS, OnnxPairKinds

BIKES = "Bicycles may be taken on every train."
NO_BIKES = "Travellers have to leave a bicycle at the station."


def read_as(kind: str, probability: float = 0.9) -> list[float]:
    rest = (1 - probability) / (len(PAIR_KINDS) - 1)
    return [probability if name == kind else rest for name in PAIR_KINDS]


def classified(one, other, kinds, **settings):
    settings = {"probability": 0.0, "cosine": 0.6, "threshold": 0.87, **settings}
    return classify_pair(one, other, kinds=kinds, **settings)


def passages(one=BIKES, other=NO_BIKES, metadata=({}, {})):
    return Passage("one", one, metadata[0]), Passage("other", other, metadata[1])


@pytest.mark.parametrize("kind", [kind.value for kind in Kind if kind.value in PAIR_KINDS])
def test_it_decides_what_no_rule_does(kind):
    found = classified(*passages(), read_as(kind))
    assert found.kind == kind
    assert "(0.90)" in found.reason
    assert found.probability == pytest.approx(0.9 if kind == "contradiction" else 0.025)
    assert found.newer is None


def test_a_doubtful_contradiction_is_none():
    doubtful = read_as("contradiction", 0.5)
    assert classified(*passages(), doubtful, kinds_threshold=0.6) is None
    assert classified(*passages(), doubtful, kinds_threshold=0.4).kind is Kind.CONTRADICTION


def test_metadata_come_first():
    """What two passages are true of is known for certain there."""
    scoped = passages(
        metadata=({"country": "ES"}, {"country": "IE"}), other="No train takes bicycles."
    )
    found = classified(*scoped, read_as("contradiction"), cosine=0.8)
    assert found.kind is Kind.SCOPE
    assert "country" in found.reason


def test_one_value_that_differs_is_named():
    found = classified(
        *passages("The tower has 280 steps in all.", "The whole tower has 310 steps."),
        read_as("contradiction"),
    )
    assert '"280' in found.reason
    assert '"310' in found.reason


CORPUS = [
    Passage("yes", "Visitors may bring dogs into the reserve if they are kept on a lead."),
    Passage("no", "Wardens of the reserve send home everyone who comes with dogs."),
    Passage("hours", "The reserve is open to visitors from eight to six."),
    Passage("carrots", "A kilo of carrots costs two euros at the market."),
]


class ReadsDogs(OnnxPairKinds):
    """Over a small bundle; whatever has dogs in both texts is a contradiction."""

    def read(self, pairs):
        answers = []
        for one, other in pairs:
            kind = "contradiction" if "dogs" in one and "dogs" in other else "scope"
            answers.append(tuple(read_as(kind)))
        return answers


@pytest.fixture
def reader(tmp_path):
    changes = {"entry_name": "pair_kinds", "classes": 5, "constants": {"threshold": 0.7}}
    return ReadsDogs(write_pair_bundle(tmp_path / "bundle", **changes))


def test_a_contradiction_in_other_words_is_found_and_explained(reader):
    """The vectors alone miss it; of pairs that agree only near copies are worth a line."""
    result = CorpusCleaner(judge=reader).clean(CORPUS)
    (decision,) = result.decisions
    finding = decision.finding
    assert {finding.one, finding.other} == {"yes", "no"}
    assert finding.kind is Kind.CONTRADICTION
    assert "read together they contradict each other (0.90)" in finding.reason
    assert finding.probability == pytest.approx(0.9)
    assert not CorpusCleaner(judge=None).clean(CORPUS).of_kind(Kind.CONTRADICTION)
    assert not CorpusCleaner(judge=reader, threshold=0.95).clean(CORPUS).decisions


def test_another_reader_makes_the_examined_new(reader, tmp_path):
    """What was examined without it, or with another one, must be examined again."""
    changes = {"entry_name": "pair_kinds", "classes": 5, "temperature": 2.0}
    other = OnnxPairKinds(write_pair_bundle(tmp_path / "other", **changes))
    cleaners = [CorpusCleaner(judge=judge) for judge in (None, reader, other, lambda pairs: pairs)]
    assert len({cleaner.criteria.fingerprint() for cleaner in cleaners}) == 4


DATED = ({"date": "2021-03-01"}, {"date": "2024-06-01"})


def test_a_later_date_tells_the_newer_version():
    """Without it `prefer_newest` could decide none of the pairs that are read as two states."""
    assert classified(*passages(metadata=DATED), read_as("superseded")).newer == "other"
    turned = (DATED[1], DATED[0])
    assert classified(*passages(metadata=turned), read_as("superseded")).newer == "one"
    assert classified(*passages(), read_as("superseded")).newer is None


def test_a_doubtful_other_state_hides_nothing():
    """`prefer_newest` would hide a true page because a later one speaks of the same thing."""
    doubtful = classified(*passages(metadata=DATED), read_as("superseded", 0.7))
    assert (doubtful.kind, doubtful.newer) == (Kind.SUPERSEDED, None)


def test_dates_in_one_file_are_versions_only_if_read_so():
    """Two notes of one file need not be about the same thing."""
    filed = tuple({"source": "notes.jsonl", **metadata} for metadata in DATED)
    pair = passages("Trains take bicycles.", "Trains take no bicycles now.", filed)
    assert classified(*pair, read_as("unrelated")) is None
    assert classified(*pair, read_as("scope")).kind is Kind.SCOPE
    assert classified(*pair, read_as("contradiction", 0.6)).newer == "other"
    assert classified(*pair, read_as("unrelated"), cosine=0.9).newer == "other"


@pytest.mark.parametrize(
    ("kind", "cosine", "found"),
    [
        ("superseded", 0.9, Kind.CONTRADICTION),
        ("superseded", 0.7, Kind.SUPERSEDED),
        ("scope", 0.9, Kind.SCOPE),
        ("paraphrase", 0.9, Kind.PARAPHRASE),
    ],
)
def test_a_changed_value_of_a_near_copy_counts_where_the_reading_leaves_room(kind, cosine, found):
    """Dates in the metadata make a reading "another state", although nothing says so."""
    pair = passages("The tower has 280 steps in all.", "The tower has 310 steps in all.", DATED)
    assert classified(*pair, read_as(kind), cosine=cosine).kind is found


def test_a_doubtful_reading_and_a_rule_agree():
    """Neither would do alone: the reading is under its threshold, the two are no near-copies."""
    pair = passages("Bicycles may be taken on trains.", "Bicycles may not be taken on any train.")
    doubtful = read_as("contradiction", 0.5)
    found = classified(*pair, doubtful, cosine=0.7, kinds_threshold=0.7)
    assert (found.kind, "denies" in found.reason) == (Kind.CONTRADICTION, True)
    assert classified(*pair, read_as("unrelated", 0.5), cosine=0.7, kinds_threshold=0.7) is None


def test_beside_a_trusted_passage_the_neighbourhood_decides():
    """Its probability counts, and no reading of two passages overrules it."""
    pair = CandidatePair(0, 1, 0.85, 0.5, 0.3, 0.3, kinds=tuple(read_as("paraphrase")))
    candidates = CandidatePairs(passages(), (pair,), frozenset({0}))
    settings = CleaningSettings()
    (alone,) = classify_pairs(candidates, [pair], settings, 0.87)
    assert alone.kind is Kind.PARAPHRASE
    (opposed,) = classify_pairs(candidates, [pair], settings, 0.87, {(0, 1): 0.95})
    assert (opposed.kind, opposed.probability) == (Kind.CONTRADICTION, 0.95)


def test_a_version_of_unknown_age_is_kept():
    """With the sides guessed, `prefer_newest` would hide the newer one half of the time."""
    from logic_retrievers.cleaning.finding_resolution import resolve_findings
    from logic_retrievers.cleaning.result import Finding
    from logic_retrievers.contradiction.resolution_strategies import resolution_strategy

    finding = Finding("one", "other", Kind.SUPERSEDED, "two states", 0.8, 0.8, 0.1, 0.1)
    strategy = resolution_strategy("prefer_newest", "date", "source", ())
    (decision,) = resolve_findings(passages(), frozenset(), {}, [finding], strategy, "drop")
    assert decision.action == "kept"
    assert not decision.quarantined


# --- the cross-encoder that ships

CARDS = {
    "bank": "With the Kolm debit card you can always pay up to 50 without entering your PIN.",
    "owner": "My Kolm debit card asks for the PIN even for a coffee, as at every other payment.",
    "fee": "The Kolm debit card costs 12 euros a year.",
}


def test_the_shipped_reader_finds_a_contradiction_in_other_words():
    with PassageIndex.open("cards", vectors=("topical", "contradiction")) as index:
        index.add(Passage(name, text) for name, text in CARDS.items())
        alone = CorpusCleaner(index).clean()
        read = CorpusCleaner(index, judge="auto").clean()
    assert not alone.of_kind(Kind.CONTRADICTION)
    [conflict] = [decision.finding for decision in read.of_kind(Kind.CONTRADICTION)]
    assert {conflict.one, conflict.other} == {"bank", "owner"}
    assert "read together they contradict each other" in conflict.reason


HARMLESS = [
    "Breakfast is included in the room rate. Children under six eat for free.",
    "Breakfast is served from 7 to 10 am in the winter garden. Late risers may ask for a tray.",
    "Parental leave is paid for twelve weeks. It can be shared by both parents.",
    "Parental leave is requested in writing. The form is on the intranet.",
    "The app works offline.",
    "No internet connection is needed to use the app.",
]


def test_dates_make_no_new_versions_of_one_topic():
    """The newest page of each topic would be all that is left."""
    with PassageIndex.open("handbook", vectors=("topical", "contradiction")) as index:
        index.add(
            Passage(str(n), text, {"date": "2021-03-01" if n % 2 else "2024-03-01"})
            for n, text in enumerate(HARMLESS)
        )
        result = CorpusCleaner(index, judge="auto", resolution="prefer_newest").clean()
    assert not result.quarantined
