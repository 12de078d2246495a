"""Short texts with few common words: people, places, things and times that differ."""

from __future__ import annotations

import pytest

from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.result import Kind
from logic_retrievers.types import Passage


def classify(one, other, metadata=None, other_metadata=None, probability=0.2, cosine=0.66, **more):
    return classify_pair(
        Passage("one", one, metadata or {}),
        Passage("other", other, other_metadata or {}),
        probability=probability,
        cosine=cosine,
        threshold=0.82,
        **more,
    )


def is_scope_or_newer(result):
    return result is not None and result.kind in (Kind.SCOPE, Kind.SUPERSEDED)


LET = "The deposit for a shed by the canal is 60 euros."
KEPT = "The deposit for a shed by the canal is 90 euros."


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"harvest_year": "2016/17"}, {"harvest_year": "2019/20"}),
        ({"reportingPeriod": "spring"}, {"reportingPeriod": "autumn"}),
        ({"lodger_status": "casual"}, {"lodger_status": "settled"}),
        ({"dept": "Forestry"}, {"dept": "Fisheries"}),
        ({"about": {"data residency": "Norway"}}, {"about": {"data residency": "Chile"}}),
    ],
)
def test_keys_that_nobody_listed(metadata, other_metadata):
    """Every collection has names of its own for what a text is true of."""
    assert classify(LET, KEPT, metadata, other_metadata, cosine=0.9).kind is Kind.SCOPE
    assert classify(LET, KEPT, metadata, metadata, cosine=0.9).kind is Kind.CONTRADICTION


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"written_by": "Ada Moss"}, {"written_by": "Ben Holt"}),
        ({"source_type": "leaflet"}, {"source_type": "poster"}),
        ({"doc_status": "checked"}, {"doc_status": "open"}),
        ({"status": "checked"}, {"status": "open"}),
        ({"kennel": "A"}, {"kennel": "B"}),
        ({"shelfmark": "MS 1204"}, {"shelfmark": "MS 1377"}),
        ({"crawl_date": "2021-01-03"}, {"crawl_date": "2023-01-03"}),
        ({"scan": "a/b.png"}, {"scan": "a/c.png"}),
    ],
)
def test_keys_about_the_text_itself(metadata, other_metadata):
    """Two authors who disagree about one thing contradict each other."""
    assert classify(LET, KEPT, metadata, other_metadata, cosine=0.9).kind is Kind.CONTRADICTION


def test_no_scope_keys_no_scope():
    """Who gives an empty list wants no key to count."""
    metadata, other_metadata = {"dept": "Forestry"}, {"dept": "Fisheries"}
    assert (
        classify(LET, KEPT, metadata, other_metadata, cosine=0.9, scope_keys=()).kind
        is Kind.CONTRADICTION
    )


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"commit_date": "2020-05-01"}, {"commit_date": "2022-05-01"}),
        ({"oldTimestamp": 20110214}, {"oldTimestamp": 20170830}),
        ({"generated": "2018-11-06"}, {"generated": "2022-11-07"}),
    ],
)
def test_dates_and_versions_under_any_name(metadata, other_metadata):
    """Which state is the newer one must not hang on what a program called its date."""
    page = {"page_title": "Sheds"}
    result = classify(LET, KEPT, page | metadata, page | other_metadata, cosine=0.9)
    assert (result.kind, result.newer) == (Kind.SUPERSEDED, "other")
    assert classify(LET, KEPT, metadata, other_metadata, cosine=0.9).kind is Kind.CONTRADICTION, (
        "other pages"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Boilers are checked by us in May.", "Printers are checked by us in June."),
        ("Rivers are closed to nets in spring.", "Towers are closed to climbing in spring."),
    ],
)
def test_nouns_that_sound_like_people(one, other):
    """Rivers and filters end as farmers do."""
    result = classify(one, other)
    assert result is None or 'is for "' not in result.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Children aged 3 to 6 get one spoon of syrup.", "Children aged 7 to 12 get two spoons."),
        ("The over-70s swim for 2 euros.", "Swimming costs 5 euros for under-18s."),
        ("By week 12 there were 48 cases.", "By week 20 there were 131 cases."),
        ("The ninth FormaFair drew 312 firms.", "At the tenth FormaFair there were 274 firms."),
    ],
)
def test_numbers_that_name_one_of_a_kind(one, other):
    """A size or an age band says of what the other numbers are true."""
    assert is_scope_or_newer(classify(one, other, probability=0.4, cosine=0.85))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The goods lift in wing C takes 900 kg.", "The goods lift in wing C takes 700 kg."),
        ("The show takes place from 4 to 7 May.", "The show takes place from 11 to 14 May."),
        ("The Basalt 9 mm rope holds 5 falls.", "The Basalt 9 mm rope holds 9 falls."),
        ("Children aged 3 to 6 get one spoon.", "Children aged 3 to 6 get two spoons."),
        ("The rally starts in room 12.", "The rally starts in room 14."),
    ],
)
def test_numbers_that_name_nothing_else(one, other):
    """The same name over two values, or a name that is the answer: one of the two is wrong."""
    assert classify(one, other, probability=0.4, cosine=0.9).kind is Kind.CONTRADICTION


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The Little Anwen empties into the Thrane just below the bridge of Marsk.",
            "On the map a feeder of the Dunnow, from the east, is called the Little Anwen.",
        ),
        (
            "In 2019 Quorn Dental was bought by Steyn Trust for eleven times what it earned.",
            "All shares of Quorn Dental went to people from Auber Holdings, a rival, in 2019.",
        ),
    ],
)
def test_a_name_in_both_is_what_both_speak_of(one, other):
    """The other names are then two answers, and not two things."""
    assert not is_scope_or_newer(classify(one, other, cosine=0.55))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 2011 there were 40 looms in the mill.", "By 2019 six looms were left in the mill."),
        ("Harvest of 1998 at Brook End: plums.", "Brook End gave no plums at all in 2004."),
    ],
)
def test_other_years(one, other):
    """Each of two states had its year."""
    assert is_scope_or_newer(classify(one, other))


def test_a_year_of_what_happens_once():
    """A castle surrenders in one year, so that the other year is wrong."""
    one = "Castle Morvan surrendered in 1645 after a siege."
    other = "It was not before 1651 that Castle Morvan capitulated in the end."
    assert not is_scope_or_newer(classify(one, other, cosine=0.55))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Breakfast is served from 7.30.", "As of the spring we serve breakfast from 6.30."),
        ("Grantees hand in interim reports.", "Interim reports are abolished for grantees."),
        ("Kindle keeps a fee of 8 %.", "In place of the former fee Kindle asks a flat 3 %."),
        ("Loans of projectors are for 3 days.", "The loan of projectors was raised to ten days."),
        ("Cards are taken at the desk.", "We don't take cards at the desk any more."),
        ("Sheets are changed daily.", "We have stopped changing the sheets daily."),
        ("The tram stops at the mill.", "Since the mill was pulled down no tram stops there."),
        ("The office opens at nine.", "New hours! The office opens at ten."),
    ],
)
def test_news(one, other):
    """A text that tells a change is the newer one, however it says so."""
    result = classify(one, other, cosine=0.75)
    assert (result.kind, result.newer) == (Kind.SUPERSEDED, "other")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Otters breed on the Wend.", "There are no otters breeding on the Wend."),
        ("The wool shrinks in warm water.", "The wool stretches in warm water."),
        ("The bell of St Oda weighs four tonnes.", "St Oda's bell weighs about nine tonnes."),
        ("The chapel was built by Anna Roth.", "The chapel was built by Karl Weiss."),
    ],
)
def test_contradictions_come_first(one, other):
    """Questions that ask little must not take away what is certain."""
    assert classify(one, other, probability=0.4, cosine=0.85).kind is Kind.CONTRADICTION


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("Red Dust is a 1932 film directed by Al Ray.", "Salt is a 1934 film with Bo Lind.", 0.6),
        ("Tenants may keep a cat.", "Farmers sow barley in March.", 0.3),
        ("Geese are fed at noon in the park.", "The rowers of Oxmoor meet at noon.", 0.38),
        (  # a page shares words with another one by chance
            "Visitors " + " ".join(f"walk{n} path{n} tree{n}" for n in range(20)),
            "Drivers " + " ".join(f"road{n} wheel{n} tree{n}" for n in range(20)),
            0.6,
        ),
    ],
    ids=["entries", "strangers", "one word", "pages"],
)
def test_nothing_to_do_with_each_other(one, other, cosine):
    """Two passages of one collection are not of two scopes: nothing distinguishes them."""
    assert classify(one, other, cosine=cosine) is None


def test_prose_is_no_news():
    """A history of several sentences says "abolished" of something; that makes nothing newer."""
    one = (
        "The heron colony at Marl Ford was counted by wardens for two centuries. It held sixty "
        "nests under the oaks, and its feathers once paid the parish rent. Two mills were "
        "abolished upstream in those years."
    )
    other = (
        "Wardens count sixty nests of herons at Marl Ford, under the oaks beside the water, where "
        "the parish rent once came from feathers of the colony and two mills stood upstream."
    )
    assert classify(one, other, cosine=0.7).kind is Kind.PARAPHRASE
