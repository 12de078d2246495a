"""Cleanings with the shipped cross-encoder: what it finds and what it must not touch."""

from __future__ import annotations

import pytest

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner, Kind

CARDS = {
    "bank": "With the Kolm debit card you can always pay up to 50 without entering your PIN.",
    "owner": "My Kolm debit card asks for the PIN even for a coffee, as at every other payment.",
    "fee": "The Kolm debit card costs 12 euros a year.",
}


@pytest.mark.reader
def test_the_shipped_reader_finds_a_contradiction_in_other_words():
    with PassageIndex.open("cards", vectors=("topical", "contradiction")) as index:
        index.add(Passage(name, text) for name, text in CARDS.items())
        alone = CorpusCleaner(index, judge=None).clean()
        read = CorpusCleaner(index).clean()
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


@pytest.mark.reader
def test_dates_make_no_new_versions_of_one_topic():
    """Pages older than the newest of their topic must stay."""
    with PassageIndex.open("handbook", vectors=("topical", "contradiction")) as index:
        index.add(
            Passage(str(n), text, {"date": "2021-03-01" if n % 2 else "2024-03-01"})
            for n, text in enumerate(HARMLESS)
        )
        result = CorpusCleaner(index, resolution="prefer_newest").clean()
    assert not result.quarantined


BOTH_TRUE = [
    ("The printer on floor 2 does not print.", "The printer on floor 3 does not print."),
    ("Flight LH 12 to Rome, 9:40, gate B3.", "Flight LH 18 to Rome, 14:20, gate B7."),
    ("Order 1001: 3 boxes of tea.", "Order 1002: 5 boxes of tea."),
    ("Is parking free for guests?", "Parking is not free for guests."),
    ("The lamp is red when the door is open.", "The lamp is not red when the door is closed."),
    ("--color: print in colour.", "--no-color: do not print in colour."),
    ("Members may use the sauna.", "Guests may not use the sauna."),
    ("The tank must hold at least 20 litres.", "The tank must hold at most 60 litres."),
    ("Chair Ida, oak, in stock.", "Chair Ida, beech, not in stock."),
    ("This is the manual of version 4.19.0.", "The licence is the GPL, Version 1.3."),
    ("Tika version 4.2 reads PDF.", "Tika needs Python version 3.11."),
    ("The stick has USB 2.0.", "The other port has USB 3.0."),
    ("The fair begins on 3 April 2024.", "The fair begins on 03/04/2024."),
    ("The grant is 1.000 euros.", "The grant is 1,000 euros."),
    ("The tour takes 90 minutes.", "The tour takes 1.5 hours."),
    ("The sack weighs 1 kg.", "The sack weighs 1000 g."),
]
NOT_BOTH_TRUE = [
    ("The office is closed on Monday.", "The office is closed on Tuesday."),
    ("The shop opens at noon.", "The shop opens at midnight."),
    ("Enter by the red gate.", "Enter by the blue gate."),
    ("Returns are accepted within 30 days.", "Returns are accepted within 90 days."),
    ("Dogs are not allowed in the office.", "Dogs are welcome in the office."),
    ("Overtime is not paid.", "Overtime is paid."),
]


def cleaned(texts):
    """Rows of one file, each with a date."""
    rows = [
        Passage(str(n), text, {"source": "rows.csv", "date": f"202{n}-01-01"})
        for n, text in enumerate(texts)
    ]
    return CorpusCleaner(resolution="prefer_newest").clean(rows)


@pytest.mark.reader
@pytest.mark.parametrize("texts", BOTH_TRUE, ids=str)
def test_what_is_true_together_hides_nothing(texts):
    """Each kind lost users rows, answers or options."""
    result = cleaned(texts)
    assert not result.quarantined
    assert not result.of_kind(Kind.CONTRADICTION)


@pytest.mark.reader
@pytest.mark.parametrize("texts", NOT_BOTH_TRUE, ids=str)
def test_what_cannot_be_true_together_is_listed(texts):
    """Lists a different value or a negation in the same frame."""
    assert cleaned(texts).of_kind(Kind.CONTRADICTION)


@pytest.mark.reader
def test_a_majority_is_of_what_was_read():
    """The vectors alone see no conflict here and would find no minority."""
    texts = [
        "The fee for the course is 40 euros.",
        "The course costs 40 euros.",
        "The fee for the course is 60 euros.",
        "Taking part in the course costs 40 euros.",
    ]
    passages = [Passage(str(n), text, {"source": f"page {n}"}) for n, text in enumerate(texts)]
    assert CorpusCleaner(resolution="prefer_majority").clean(passages).quarantined == ("2",)
    alone = CorpusCleaner(resolution="prefer_majority", judge=None).clean(passages)
    assert not alone.quarantined
