"""The cross-encoder that ships: it reads neighbours that vectors and rules do not part."""

from __future__ import annotations

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import CorpusCleaner, Kind

CORPUS = {
    "guide": "Visitors to the Ostrava mine need a guide at all times.",
    "alone": "Visitors may walk through the Ostrava mine on their own, without a guide.",
    "lamp": "Visitors to the Ostrava mine get a lamp at the entrance.",
}


def test_a_contradiction_in_other_words():
    with PassageIndex.open("mine", vectors=("topical", "contradiction")) as index:
        index.add(Passage(name, text) for name, text in CORPUS.items())
        result = CorpusCleaner(index, judge="auto").clean()
    [conflict] = [decision.finding for decision in result.of_kind(Kind.CONTRADICTION)]
    assert {conflict.one, conflict.other} == {"guide", "alone"}
    assert "read together they contradict each other" in conflict.reason
