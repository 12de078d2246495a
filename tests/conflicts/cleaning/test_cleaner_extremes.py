"""A passage of ten megabytes, and the bundle that comes with the package."""

from __future__ import annotations

from inn_corpus import OLD, PAID, cleaner, stored

from logic_retrievers import OnnxEncoder, Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner, Kind

SENTENCE = "The museum opens at 9 and closes at 17. "


def pages(megabytes):
    return SENTENCE * (megabytes * 2**20 // len(SENTENCE))


def test_ten_megabytes_do_not_stop_the_cleaning_of_the_others():
    """One file that was never cut into passages lies in every large corpus."""
    with stored(Passage("big", pages(10), {"date": 2021})) as index:
        cleaned = cleaner(index).clean()
        assert cleaned.examined == 6
        assert cleaned.unjudged == {}
        assert {one.id for one in index.scroll() if one.quarantined} == {OLD, PAID}


def test_with_the_bundle_that_comes_with_the_package():
    """Vectors placed by hand say nothing about whether the constants fit those of the model."""
    corpus = [
        Passage("old", "The swimming pool of the hotel is open in winter.", {"date": "2019-01-01"}),
        Passage("new", "The swimming pool of the hotel is not open in winter.",
                {"date": "2024-01-01"}),
        Passage("free", "Breakfast is included in the price of the room.", {"date": "2023-01-01"}),
        Passage("late", "Breakfast is not included in the price of the room.",
                {"date": "2020-01-01"}),
        Passage("far", "Copper is mined in Chile and in Peru."),
    ]  # fmt: skip
    with PassageIndex.open("p", OnnxEncoder(threads=1)) as index:
        index.add(corpus)
        before = index.run(index.fingerprints([one.id for one in corpus]))
        made = CorpusCleaner(index, resolution="prefer_newest")
        cleaned = made.clean()
        assert {*cleaned.quarantined} == {"old", "late"}
        assert {one.finding.kind for one in cleaned.decisions if one.quarantined} <= {
            Kind.CONTRADICTION, Kind.SUPERSEDED,
        }  # fmt: skip
        assert made.quarantine.restore(cleaned.quarantined).changed == ()
        assert index.run(index.fingerprints([one.id for one in corpus])) == before
