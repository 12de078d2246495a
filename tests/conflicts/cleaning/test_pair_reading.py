"""Candidate pairs that the cross-encoder reads, and that skipping the rest is safe."""

from __future__ import annotations

import pytest
from pair_bundles import write_pair_bundle

from logic_retrievers import Passage
from logic_retrievers.conflicts import CorpusCleaner, Kind, pair_judge
from logic_retrievers.conflicts.cleaning import classification
from logic_retrievers.judging import RELATIONS, OnnxRelation

SPAIN, IRELAND = {"country": "ES"}, {"country": "IE"}
CORPUS = [
    Passage("spain", "Parental leave is paid for sixteen weeks.", SPAIN),
    Passage("ireland", "Parental leave is paid for ten weeks.", IRELAND),
    Passage("copy", "Parental leave is paid for ten weeks.", {**IRELAND, "source": "b"}),
    Passage("never", "Nobody is paid while on parental leave."),
]


# too far apart for the vectors
DOGS = [
    Passage("yes", "Visitors may bring dogs into the reserve if they are kept on a lead."),
    Passage("no", "Wardens of the reserve send home everyone who comes with dogs."),
]
RESERVE = [
    *DOGS,
    Passage("hours", "The reserve is open to visitors from eight to six."),
    Passage("carrots", "A kilo of carrots costs two euros at the market."),
]


class Watched(OnnxRelation):
    """Over a small bundle; calls everything a contradiction and records what was read and how.

    ``first``: probability of a contradiction if the first text is the lesser one.
    """

    first = 0.96

    def __init__(self, bundle):
        self.ways = []
        super().__init__(bundle)
        self.ways.clear()

    def read(self, pairs):
        self.ways += pairs
        conflicts = [self.first if one < other else 0.96 for one, other in pairs]
        return [(conflict, 0.005, 0.005, 0.01, 0.01, 0.97 - conflict) for conflict in conflicts]


def small_bundle(folder, **changes):
    constants = {"threshold": 0.7, "hide_above": 0.7}
    settings = {"entry_name": "relation", "classes": len(RELATIONS), "constants": constants}
    return write_pair_bundle(folder, **settings, **changes)


class ReadsDogs(OnnxRelation):
    """Over a small bundle; texts that both have dogs contradict each other."""

    def read(self, pairs):
        both = [all("dogs" in text for text in pair) for pair in pairs]
        scope = (0.02, 0.02, 0.02, 0.9, 0.02, 0.02)
        return [(0.9, *(0.02,) * 5) if dogs else scope for dogs in both]


@pytest.fixture
def dogs_reader(tmp_path):
    return ReadsDogs(small_bundle(tmp_path / "dogs"))


@pytest.fixture
def reader(tmp_path):
    return Watched(small_bundle(tmp_path / "bundle"))


def kinds_of(result):
    return {
        frozenset((one.finding.one, one.finding.other)): one.finding.kind
        for one in result.decisions
    }


def test_what_metadata_declare_is_not_read(reader):
    """Metadata decide most neighbours with certainty, and reading takes the most time."""
    result = CorpusCleaner(judge=reader).clean(CORPUS)
    assert kinds_of(result) == {
        frozenset(("spain", "ireland")): Kind.SCOPE,
        frozenset(("spain", "copy")): Kind.SCOPE,
        frozenset(("ireland", "copy")): Kind.DUPLICATE,
        **{frozenset(("never", n)): Kind.CONTRADICTION for n in ("spain", "ireland", "copy")},
    }
    assert len(reader.ways) == 2 * 2, "two texts are read once"
    assert all(any("Nobody" in text for text in way) for way in reader.ways)


@pytest.mark.parametrize(("first", "ways"), [(0.18, 1), (0.2, 2)])
def test_the_other_way_is_read_where_the_first_leaves_doubt(reader, first, ways):
    """Most pairs need one reading; input order must not decide which."""
    reader.first = first
    found = CorpusCleaner(judge=reader, threshold=0.5).clean(DOGS)
    assert len(found.decisions) == (ways == 2)
    assert len(reader.ways) == ways
    assert reader.ways[0] == tuple(sorted(reader.ways[0]))
    reader.ways.clear()
    turned = CorpusCleaner(judge=reader, threshold=0.5).clean(DOGS[::-1])
    assert kinds_of(turned) == kinds_of(found)
    assert len(reader.ways) == ways


def test_what_was_read_is_remembered(reader):
    """The run after a dry run, and each batch of a stream, must not read pairs again."""
    cleaner = CorpusCleaner(judge=reader)
    looked = cleaner.clean(CORPUS, dry_run=True)
    count = len(reader.ways)
    assert kinds_of(cleaner.clean(CORPUS)) == kinds_of(looked)
    assert len(reader.ways) == count
    changed = [*CORPUS[:3], Passage("never", "Nobody on parental leave is ever paid.")]
    cleaner.clean(changed)
    assert len(reader.ways) == 2 * count
    noted = [*CORPUS[:3], Passage("never", CORPUS[3].text, {"region": "north"})]
    cleaner.clean(noted)
    assert len(reader.ways) == 3 * count, "metadata are read too"


def test_what_is_remembered_has_an_end(reader, monkeypatch):
    """A hook that runs for months must not keep every reading."""
    monkeypatch.setattr(pair_judge, "REMEMBERED", 3)
    cleaner = CorpusCleaner(judge=reader)
    first = cleaner.clean(CORPUS)
    cleaner.clean([*CORPUS[:3], Passage("never", "Nobody on parental leave is ever paid.")])
    assert len(reader.ways) == 2 * 4
    assert kinds_of(cleaner.clean(CORPUS)) == kinds_of(first)
    assert len(reader.ways) == 2 * 6


def test_beside_a_trusted_passage_a_sure_reading_decides(reader):
    """Near a trusted passage the vectors miss contradictions in other words."""
    yes, no = DOGS
    for hide_above, hidden in ((0.9, ("no",)), (0.99, ())):
        cleaner = CorpusCleaner(judge=reader, trusted=[yes], hide_above=hide_above)
        assert cleaner.clean([no]).quarantined == hidden


def test_passages_are_done_when_their_pairs_were_read(reader, monkeypatch):
    """The bar stood at 100 % while the cross-encoder read for minutes."""
    monkeypatch.setattr(classification, "PAIRS_PER_BATCH", 2)
    seen = []
    CorpusCleaner(judge=reader).clean(CORPUS, progress=seen.append)
    assert [(progress.done, progress.read) for progress in seen] == [(0, 4), (1, 4), (2, 4), (4, 4)]
    seen.clear()
    CorpusCleaner(judge=reader).clean(CORPUS[:1], progress=seen.append)
    assert seen[-1].done == 1


class ReadsStates(Watched):
    """A text with "not yet" is the older of two states."""

    def read(self, pairs):
        states = [(0.01, 0.9, 0.05) if "yet" in one else (0.01, 0.05, 0.9) for one, _ in pairs]
        return [(*state, 0.01, 0.01, 0.02) for state in states]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_the_newer_of_two_states_is_the_same_in_any_order(tmp_path, names):
    """Mixing up the two reading orders would hide the newer state."""
    reader = ReadsStates(small_bundle(tmp_path / "bundle"))
    texts = "The pool has not opened yet.", "The pool has opened in June."
    states = [Passage(name, text) for name, text in zip(names, texts, strict=True)]
    for given_ in (states, states[::-1]):
        (decision,) = CorpusCleaner(judge=reader).clean(given_).decisions
        assert (decision.finding.kind, decision.finding.newer) == (Kind.SUPERSEDED, names[1])


def test_a_contradiction_in_other_words_is_found_and_explained(dogs_reader):
    """The vectors miss it; of agreeing pairs, only near copies are listed."""
    result = CorpusCleaner(judge=dogs_reader).clean(RESERVE)
    (decision,) = result.decisions
    finding = decision.finding
    assert {finding.one, finding.other} == {"yes", "no"}
    assert finding.kind is Kind.CONTRADICTION
    assert "read together they contradict each other (0.94)" in finding.reason
    assert finding.probability == pytest.approx(0.94)
    assert not CorpusCleaner(judge=None).clean(RESERVE).of_kind(Kind.CONTRADICTION)
    assert not CorpusCleaner(judge=dogs_reader, threshold=0.95).clean(RESERVE).decisions


def test_what_the_reader_is_not_sure_of_is_listed_and_hides_nothing(dogs_reader):
    """A wrong line in a report costs a look; a right passage hidden costs an answer."""
    for hide_above, action in ((None, "quarantined"), (0.95, "kept"), (0.9, "quarantined")):
        options = {"judge": dogs_reader, "resolution": "quarantine_all", "hide_above": hide_above}
        (decision,) = CorpusCleaner(**options).clean(RESERVE).decisions
        assert decision.action == action
        assert bool(decision.quarantined) == decision.finding.certain == (action != "kept")
    (unsure,) = CorpusCleaner(**options | {"hide_above": 1}).clean(RESERVE).decisions
    assert "uncertain" in unsure.reason


def test_another_reader_makes_the_examined_new(dogs_reader, tmp_path):
    """Passages examined without the reader, or with a different one, are examined again."""
    other = OnnxRelation(small_bundle(tmp_path / "other", temperature=2.0))
    cleaners = [
        CorpusCleaner(judge=judge) for judge in (None, dogs_reader, other, lambda pairs: pairs)
    ]
    assert len({cleaner.criteria.fingerprint() for cleaner in cleaners}) == 4
