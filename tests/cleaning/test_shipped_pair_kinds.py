"""The cross-encoder that ships: it reads neighbours that vectors and rules do not part."""

from __future__ import annotations

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import CorpusCleaner, Kind

CORPUS = {
    "bank": "With the Kolm debit card you can always pay up to 50 without entering your PIN.",
    "owner": "My Kolm debit card asks for the PIN even for a coffee, as at every other payment.",
    "fee": "The Kolm debit card costs 12 euros a year.",
}


def test_a_contradiction_in_other_words():
    with PassageIndex.open("cards", vectors=("topical", "contradiction")) as index:
        index.add(Passage(name, text) for name, text in CORPUS.items())
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
