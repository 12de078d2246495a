"""A collection of inns, and expected search results computed by the formulae."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from placed_words import COPPER, MERGED, NAMES, QUIET, expected

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.index.point_format import point_id

PLACES = ("inn", "farm", "hostel", "cabin")
STATES = ("quiet", "loud", "warm", "closed")
CORPUS = [
    Passage(
        f"{place}-{state}",
        f"the {place} at the harbour is {state} at night",
        {"place": place, "number": n},
    )
    for n, (place, state) in enumerate((p, s) for p in PLACES for s in STATES)
] + [
    Passage("copper", COPPER, {"place": "mine", "number": 90}),
    Passage("copy", QUIET, {"place": "inn", "number": 91}),
]


@contextmanager
def stored(encoder, **location):
    """The open collection; the encoder's record is cleared."""
    with PassageIndex.open("inns", encoder, vectors=NAMES, **location) as index:
        index.add(CORPUS)
        encoder.documents.clear()
        yield index


def by_hand(statement, passages, settings=MERGED, without=()):
    """(id, F) of all passages but copies, best first, by the formulae."""
    scored = [
        (expected(statement, one.text, settings)["score"], one.id)
        for one in passages
        if one.text != statement and one.id not in without
    ]
    return sorted(scored, key=lambda pair: (-round(pair[0], 6), point_id(pair[1])))


def agrees(hits, wanted):
    assert [hit.score for hit in hits] == pytest.approx([score for score, _ in wanted], abs=1e-4)
    assert {hit.passage.id for hit in hits} == {one for _, one in wanted}
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
