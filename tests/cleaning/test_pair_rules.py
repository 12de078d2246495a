"""How two passages relate: examples of every kind, what decides, and what holds for any two."""

# ruff: noqa: E501 - a table has a line for each pair

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.result import Difference, Kind
from logic_retrievers.types import Passage

SCOPE, NEWER, CONFLICT, SAME = Kind.SCOPE, Kind.SUPERSEDED, Kind.CONTRADICTION, Kind.PARAPHRASE


def classify(one, other, metadata=None, other_metadata=None, *, near=0.85, likely=0.4, **more):
    pair = Passage("one", one, metadata or {}), Passage("other", other, other_metadata or {})
    return classify_pair(*pair, probability=likely, cosine=near, threshold=0.82, **more)


# kind, two texts; of two versions the second one is the newer
PAIRS = [
    # another year, place, group, product, room, unit, period
    (SCOPE, "In 2019 Spain counted 84 million guests.", "In 2020 Spain counted 19 million guests."),
    (SCOPE, "Tenants in Denver pay a tax of 8 %.", "Tenants in Boulder pay a tax of 9 %."),
    (SCOPE, "Senior citizens pay 6 dollars a ticket.", "Students pay 8 dollars a ticket."),
    (SCOPE, "The XR-500 drill weighs 1.4 kg.", "The XR-700 drill weighs 2.1 kg."),
    (SCOPE, "Room 104 seats 24 people.", "Room 210 seats 80 people."),
    (SCOPE, "The belt runs at 100 km/h.", "The belt runs at 62 mph."),
    (SCOPE, "Parking costs 18 euros per night.", "Parking costs 95 euros per week."),
    (SCOPE, "Choirs that sing in church pay 30 euros.", "Choirs that tour abroad pay 70 euros."),
    (SCOPE, "If you are a tenor, the fee is 90 dollars.", "If you are a bass, the fee is 140 dollars."),
    (SCOPE, "Seats in the small hall cost 20 euros.", "Seats in the main hall cost 35 euros."),
    # a later version, date of validity, announced change
    (NEWER, "API v1 returns dates as strings.", "API v2 returns dates as numbers."),
    (NEWER, "The second edition has 80 maps.", "The third edition has 112 maps."),
    (NEWER, "Since January 2020 a letter costs 80 cents.", "Since January 2022 a letter costs 85 cents."),
    (NEWER, "Before the reform of 2015 the age was 16.", "Since the reform of 2015 the age has been 18."),
    (NEWER, "The canteen is on the second floor.", "The canteen has moved to the ground floor."),
    (NEWER, "Bicycles can be borrowed at the desk.", "Bicycles can no longer be borrowed at the desk."),
    (NEWER, "The fee for a card is 10 dollars.", "The fee for a card has been raised to 15 dollars."),
    (NEWER, "The quay is free of charge.", "The quay was free until March; it costs 2 euros now."),
    (NEWER, "The office opens at nine.", "New hours! The office opens at ten."),
    # one value of a near-copy, a denial
    (CONFLICT, "The tower was completed in 1889.", "The tower was completed in 1899."),
    (CONFLICT, "The museum is open on Mondays.", "The museum is closed on Mondays."),
    (CONFLICT, "The warranty covers water damage.", "Water damage is not covered by the warranty."),
    (CONFLICT, "The novel was written by Emily Hart.", "The novel was written by Clara Dunn."),
    (CONFLICT, "Bake the bread at 220 degrees.", "Bake the bread at 180 degrees."),
    (CONFLICT, "In 2019 the firm employed 4,200 people.", "In 2019 the firm employed 2,400 people."),
    (CONFLICT, "The line has been in service since 1987.", "The line has been in service since 1978."),
    (CONFLICT, "The fair takes place from 4 to 7 June.", "The fair takes place from 11 to 14 June."),
    (CONFLICT, "The Basalt 9 mm rope holds 5 falls.", "The Basalt 9 mm rope holds 9 falls."),
    (CONFLICT, "The wool shrinks in warm water.", "The wool stretches in warm water."),
    (CONFLICT, "Otters breed on the Wend.", "There are no otters breeding on the Wend."),
    # another form of one value
    (SAME, "The concert starts at 7.30 pm in the hall.", "The concert starts at 19:30 in the hall."),
    (SAME, "A dozen eggs cost 4 dollars.", "12 eggs cost $4."),
    (SAME, "The guarantee runs for two years.", "The guarantee runs for 24 months."),
    (SAME, "Wear of the pads is not covered.", "It does not cover worn pads and wear of the pads."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS, ids=[one for _, one, _ in PAIRS])
def test_kinds_of_near_texts(kind, one, other):
    """A wrong kind hides a passage that is right, or keeps one that is not."""
    found, turned = classify(one, other, near=0.9), classify(other, one, near=0.9)
    assert (found.kind, found.newer) == (kind, "other" if kind is NEWER else None)
    assert (turned.kind, turned.newer) == (kind, "one" if kind is NEWER else None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 2011 there were 40 looms in the mill.", "By 2019 six looms were left in the mill."),
        ("Children aged 3 to 6 get one spoon of syrup.", "Children aged 7 to 12 get two spoons."),
        ("The over-70s swim for 2 euros.", "Swimming costs 5 euros for under-18s."),
        ("The ninth FormaFair drew 312 firms.", "At the tenth FormaFair there were 274 firms."),
        ("Kindle keeps a fee of 8 %.", "In place of the former fee Kindle asks a flat 3 %."),
        ("Sheets are changed daily.", "We have stopped changing the sheets daily."),
    ],
)
def test_other_things_and_times_in_other_words(one, other):
    """A size, an age band or a year says what the other numbers are true of."""
    assert classify(one, other, near=0.75).kind in (SCOPE, NEWER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The Little Anwen empties into the Thrane just below the bridge of Marsk.",
            "On the map a feeder of the Dunnow, from the east, is called the Little Anwen.",
        ),
        (  # a castle surrenders in one year
            "Castle Morvan surrendered in 1645 after a siege.",
            "It was not before 1651 that Castle Morvan capitulated in the end.",
        ),
    ],
)
def test_two_answers_about_one_thing_are_no_scopes(one, other):
    """The other names and years are then answers."""
    found = classify(one, other, near=0.55, likely=0.2)
    assert found is None or found.kind not in (SCOPE, NEWER)


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("Red Dust is a 1932 film directed by Al Ray.", "Salt is a 1934 film with Bo Lind.", 0.6),
        ("Geese are fed at noon in the park.", "The rowers of Oxmoor meet at noon.", 0.38),
        (  # a page shares words with another one by chance
            "Visitors " + " ".join(f"walk{n} path{n} tree{n}" for n in range(20)),
            "Drivers " + " ".join(f"road{n} wheel{n} tree{n}" for n in range(20)),
            0.6,
        ),
    ],
    ids=["entries", "one word", "pages"],
)
def test_nothing_to_do_with_each_other(one, other, near):
    """Two passages of one collection are not of two scopes: nothing distinguishes them."""
    assert classify(one, other, near=near, likely=0.2) is None


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
    assert classify(one, other, near=0.7, likely=0.2).kind is SAME


FILMS = [
    "The Long Road is a 1931 American drama film directed by John Hale and starring Ann Bell.",
    "Night Train is a 1935 American drama film directed by Carl Wood and starring Roy Dane.",
    "Lonesome Joe Gets a Job is a 1917 American short comedy film featuring Hal Boyd.",
    "Lonesome Joe, Sailor is a 1917 American short comedy film featuring Hal Boyd.",
]
ABSTRACTS = [
    "Flow past a thin plate is computed for Mach numbers from 2 to 5. Results agree with tests.",
    "Flow past a blunt cone is computed for Mach numbers from 3 to 8. Results do not agree with "
    "tests made in two tunnels.",
]


@pytest.mark.parametrize("texts", [FILMS, ABSTRACTS], ids=["films", "abstracts"])
def test_a_shared_pattern_is_no_contradiction(texts):
    """On a corpus without contradictions every one is a false alarm."""
    for number, one in enumerate(texts):
        for other in texts[number + 1 :]:
            found = classify(one, other, near=0.8, likely=0.6)
            assert found is None or found.kind is SCOPE


def test_the_vectors_decide_what_no_rule_sees():
    """A contradiction in other words has no value that differs; strangers have none at all."""
    one = "Guests of the inn have the beach to themselves."
    other = "The beach of the inn is there for anybody, guests or others."
    assert classify(one, other, near=0.9, likely=0.95).kind is CONFLICT
    assert classify(one, other, near=0.9).kind is not CONFLICT
    strangers = "Geese fly south in October.", "The loan costs 3 percent."
    assert classify(*strangers, near=0.1, likely=0.99) is None


# --- metadata

LEAVE, LESS = "New parents may take 16 weeks of leave.", "New parents may take 10 weeks of leave."


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"country": "ES"}, {"country": "IE"}),
        ({"fiscalYear": 2020}, {"fiscalYear": "2021"}),
        ({"about": {"region": "north"}}, {"about": {"region": "south"}}),
        ({"plan": ["a", "b"]}, {"plan": ["c"]}),
        ({"harvest_year": "2016/17"}, {"harvest_year": "2019/20"}),
        ({"dept": "Forestry"}, {"dept": "Fisheries"}),
    ],
)
def test_scope_in_the_metadata(metadata, other_metadata):
    """The texts alone look like a contradiction."""
    assert classify(LEAVE, LESS, metadata, other_metadata, near=0.9).kind is SCOPE
    assert classify(LEAVE, LESS, metadata, metadata, near=0.9).kind is CONFLICT
    assert classify(LEAVE, LESS, metadata, {}, near=0.9).kind is CONFLICT


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"written_by": "Ada Moss"}, {"written_by": "Ben Holt"}),
        ({"status": "checked"}, {"status": "open"}),
        ({"kennel": "A"}, {"kennel": "B"}),
        ({"shelfmark": "MS 1204"}, {"shelfmark": "MS 1377"}),
        ({"crawl_date": "2021-01-03"}, {"crawl_date": "2023-01-03"}),
        ({"scan": "a/b.png"}, {"scan": "a/c.png"}),
        ({"population": "adults"}, {"population": "all"}),
        ({"source": "a", "date": "2021"}, {"source": "b", "date": "2023"}),
        ({"date": object(), "year": None}, {"date": object(), "version": float("nan")}),
    ],
    ids=lambda metadata: "-".join(metadata),
)
def test_keys_that_are_no_scope(metadata, other_metadata):
    """Two authors who disagree about one thing contradict each other."""
    assert classify(LEAVE, LESS, metadata, other_metadata, near=0.9).kind is CONFLICT


def test_scope_keys_of_the_users_own():
    """What a passage is true of has other names elsewhere; an empty list wants no key to count."""
    metadata, other_metadata = {"ward": "A"}, {"ward": "B"}
    assert classify(LEAVE, LESS, metadata, other_metadata).kind is CONFLICT
    assert classify(LEAVE, LESS, metadata, other_metadata, scope_keys=("ward",)).kind is SCOPE
    deep, other = ({"a": {"b": {"c": {"ward": name}}}} for name in ("north", "south"))
    assert classify(LEAVE, LESS, deep, other).kind is not SCOPE
    assert classify(LEAVE, LESS, deep, other, scope_keys=("a.b.c.ward",)).kind is SCOPE
    depts = {"dept": "Forestry"}, {"dept": "Fisheries"}
    assert classify(LEAVE, LESS, *depts, near=0.9, scope_keys=()).kind is CONFLICT


@pytest.mark.parametrize(
    ("metadata", "other_metadata", "keys"),
    [
        ({"source": "a", "date": "2021-02-10"}, {"source": "a", "date": "2023-06-01"}, {}),
        ({"title": "Leave", "version": "1.9"}, {"title": "Leave", "version": "1.10"}, {}),
        ({"sheet": "P-40", "revision": 2}, {"sheet": "P-40", "revision": 3}, {}),
        ({"page_title": "L", "oldTimestamp": 20110214}, {"page_title": "L", "oldTimestamp": 20170830}, {}),
        ({"from": "a", "day": "2021"}, {"from": "a", "day": "2023"},
         {"date_key": "day", "source_key": "from"}),
    ],
)  # fmt: skip
def test_newer_by_metadata(metadata, other_metadata, keys):
    """Two versions of one document, whose texts show no date."""
    assert classify(LEAVE, LESS, metadata, other_metadata, **keys).newer == "other"
    assert classify(LESS, LEAVE, other_metadata, metadata, **keys).newer == "one"


def test_the_reason_names_the_words():
    """A person decides by the reason, without opening both passages."""
    result = classify("The tower was completed in 1889.", "The tower was completed in 1899.")
    assert "1889" in result.reason
    assert "1899" in result.reason
    assert [each.type for each in result.differences] == ["date"]


# --- any two texts

SAID = """
Since May 2021 2023 the fee for Oslo Bergen X200 X300 is not no longer 5 6 euros dollars a
    month year v1 v2 open closed adults children may must rises falls . , version
"""
TEXTS = st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=14).map(" ".join)
VALUES = st.sampled_from(["DE", "FR", 2020, 2021, "2.1", "2.10", "2022-05-01", None, "", [1]])
METADATA = st.dictionaries(
    st.sampled_from(["date", "source", "title", "version", "region", "year"]), VALUES, max_size=4
)
PASSAGES = st.builds(Passage, st.just("p"), st.one_of(TEXTS, st.text(max_size=40)), METADATA)
SHARES = st.floats(0, 1)


@given(PASSAGES, PASSAGES, SHARES, SHARES)
def test_any_two(one, other, probability, cosine):
    """A pair is met from either side, and a finding without a reason cannot be acted on."""
    settings = {"probability": probability, "cosine": cosine, "threshold": 0.82}
    found, turned = classify_pair(one, other, **settings), classify_pair(other, one, **settings)
    assert classify_pair(one, one, **settings).kind is Kind.DUPLICATE
    if found is None or turned is None:
        assert found is turned
        return
    sides = {"one": "other", "other": "one", None: None}
    assert (found.kind, found.reason, sides[found.newer]) == (
        turned.kind, turned.reason, turned.newer,
    )  # fmt: skip
    swapped = {Difference(each.type, each.other, each.one) for each in turned.differences}
    assert set(found.differences) == swapped
    assert found.reason
    assert (found.newer is None) is (found.kind is not NEWER)
    for difference in found.differences:
        assert 0 <= difference.one[0] <= difference.one[1] <= len(one.text)
        assert 0 <= difference.other[0] <= difference.other[1] <= len(other.text)
