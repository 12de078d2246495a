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
