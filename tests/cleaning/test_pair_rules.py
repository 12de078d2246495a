"""How two passages relate: examples of every kind, and what decides."""

from __future__ import annotations

import pytest

from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.result import Kind
from logic_retrievers.types import Passage

NEAR = 0.9
UNSURE = 0.4
SURE = 0.95


def classify(
    one, other, metadata=None, other_metadata=None, *, probability=UNSURE, cosine=NEAR, **more
):
    return classify_pair(
        Passage("one", one, metadata or {}),
        Passage("other", other, other_metadata or {}),
        probability=probability,
        cosine=cosine,
        threshold=0.82,
        **more,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In 2019 Spain counted 84 million guests.", "In 2020 Spain counted 19 million guests."),
        ("In the 2014/15 season the club scored 71 goals.", "The club scored 52 goals in 2015/16."),
        (
            "Residents of Denver pay a tax of 8 percent.",
            "Residents of Boulder pay a tax of 9 percent.",
        ),
        ("Nurses on the night shift work ten hours.", "Nurses on the day shift work eight hours."),
        ("Senior citizens pay 6 dollars a ticket.", "Students pay 8 dollars a ticket."),
        ("The Gold card costs 89 euros a year.", "The Silver card costs 39 euros a year."),
        ("Room 104 seats 24 people.", "Room 210 seats 80 people."),
        ("The XR-500 drill weighs 1.4 kg.", "The XR-700 drill weighs 2.1 kg."),
        (
            "Rent is 900 pounds a month, bills included.",
            "Rent is 10,800 pounds a year, bills included.",
        ),
        ("Roast the goose at 200 °C for an hour.", "Roast the goose at 392 °F for an hour."),
        ("The gross wage is 15 dollars an hour.", "The net wage is 12 dollars an hour."),
        ("A parking space costs 18 euros per night.", "A parking space costs 95 euros per week."),
    ],
)
def test_another_scope(one, other):
    """Both are true: a cleaning that holds one of them against the other spoils the corpus."""
    assert classify(one, other).kind is Kind.SCOPE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("API v1 returns dates as strings.", "API v2 returns dates as numbers."),
        ("Version 3.4 supports 100 users.", "Version 4.1 supports 500 users."),
        (
            "With Android 12 the right is granted at once.",
            "With Android 13 the right is asked for.",
        ),
        (
            "Since January 2020 a letter costs 80 cents.",
            "Since January 2022 a letter costs 85 cents.",
        ),
        (
            "Last updated 12 May 2020: masks are advised.",
            "Last updated 3 July 2021: gloves are advised.",
        ),
        (
            "Before the reform of 2015 the age was 16.",
            "Since the reform of 2015 the age has been 18.",
        ),
        ("The canteen is on the second floor.", "The canteen has moved to the ground floor."),
        (
            "Bicycles can be borrowed at the desk.",
            "Bicycles can no longer be borrowed at the desk.",
        ),
        ("The fee for a card is 10 dollars.", "The fee for a card has been raised to 15 dollars."),
        ("The fast flag skips the tests.", "The fast flag is deprecated; use another one."),
    ],
)
def test_the_newer_version(one, other):
    """The one that is called newer stays; the wrong one would be thrown out."""
    result = classify(one, other)
    assert (result.kind, result.newer) == (Kind.SUPERSEDED, "other")
    assert classify(other, one).newer == "one"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The tower was completed in 1889.", "The tower was completed in 1899."),
        ("The museum is open on Mondays.", "The museum is closed on Mondays."),
        ("The warranty covers water damage.", "Water damage is not covered by the warranty."),
        ("The novel was written by Emily Hart.", "The novel was written by Clara Dunn."),
        ("The treaty was signed in Vienna.", "The treaty was signed in Geneva."),
        ("Bake the bread at 220 degrees.", "Bake the bread at 180 degrees."),
        ("The method is thread-safe.", "The method is not thread-safe."),
        ("In 2019 the firm employed 4,200 people.", "In 2019 the firm employed 2,400 people."),
        ("It is safe to climb the mast in rain.", "It is unsafe to climb the mast in rain."),
    ],
)
def test_one_value_of_a_near_copy(one, other):
    """The vectors alone let a changed value pass."""
    assert classify(one, other).kind is Kind.CONTRADICTION


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The concert starts at 7.30 pm in the hall.", "The concert starts at 19:30 in the hall."),
        ("A dozen eggs cost 4 dollars.", "12 eggs cost $4."),
        ("It takes place on 4 July 2022.", "It takes place on July 4, 2022."),
        ("The guarantee runs for two years.", "The guarantee runs for 24 months."),
        ("Wear of the pads is not covered.", "It does not cover worn pads and wear of the pads."),
        ("The colour of the house is grey.", "The color of the house is grey."),
    ],
)
def test_the_same_in_other_words(one, other):
    """What is only written otherwise is no conflict."""
    assert classify(one, other).kind is Kind.PARAPHRASE


def test_the_same_words():
    """Nothing in the metadata makes two copies differ."""
    result = classify(
        "It is shut!", "it is  shut", {"region": "DE"}, {"region": "FR"}, probability=SURE
    )
    assert (result.kind, result.differences) == (Kind.DUPLICATE, ())


def test_the_vectors_decide_what_no_rule_sees():
    """A contradiction in other words has no value that differs."""
    one = "Guests of the inn have the beach to themselves."
    other = "The beach of the inn is there for anybody, guests or others."
    assert classify(one, other, probability=SURE).kind is Kind.CONTRADICTION
    assert classify(one, other, probability=UNSURE).kind is not Kind.CONTRADICTION


LEAVE = "New parents may take 16 weeks of leave."
LESS = "New parents may take 10 weeks of leave."


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"country": "ES"}, {"country": "IE"}),
        ({"fiscalYear": 2020}, {"fiscalYear": "2021"}),
        ({"about": {"region": "north"}}, {"about": {"region": "south"}}),
        ({"plan": ["a", "b"]}, {"plan": ["c"]}),
    ],
)
def test_scope_in_the_metadata(metadata, other_metadata):
    """The texts alone look like a contradiction."""
    result = classify(LEAVE, LESS, metadata, other_metadata)
    assert result.kind is Kind.SCOPE
    assert classify(LEAVE, LESS, metadata, metadata).kind is Kind.CONTRADICTION
    assert classify(LEAVE, LESS, metadata, {}).kind is Kind.CONTRADICTION


def test_scope_keys_of_the_users_own():
    """What says of whom a passage is true has other names elsewhere."""
    metadata, other_metadata = {"ward": "A"}, {"ward": "B"}
    assert classify(LEAVE, LESS, metadata, other_metadata).kind is Kind.CONTRADICTION
    assert classify(LEAVE, LESS, metadata, other_metadata, scope_keys=("ward",)).kind is Kind.SCOPE
    deep, other = ({"a": {"b": {"c": {"ward": name}}}} for name in ("north", "south"))
    assert classify(LEAVE, LESS, deep, other).kind is not Kind.SCOPE
    assert classify(LEAVE, LESS, deep, other, scope_keys=("a.b.c.ward",)).kind is Kind.SCOPE


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"source": "a.md", "date": "2021-02-10"}, {"source": "a.md", "date": "2023-06-01"}),
        ({"title": "Leave", "version": 3}, {"title": "Leave", "version": "5"}),
        ({"title": "Leave", "version": "1.9"}, {"title": "Leave", "version": "1.10"}),
    ],
)
def test_newer_by_metadata(metadata, other_metadata):
    """Two versions of one document, whose texts show no date."""
    assert (
        classify(LEAVE, LESS, metadata, other_metadata).newer,
        classify(LESS, LEAVE, other_metadata, metadata).newer,
    ) == (
        "other",
        "one",
    )


def test_dates_of_two_documents_say_nothing():
    """The younger of two sources is no newer version of the other."""
    metadata, other_metadata = {"source": "a", "date": "2021"}, {"source": "b", "date": "2023"}
    assert classify(LEAVE, LESS, metadata, other_metadata).kind is Kind.CONTRADICTION
    keys = {"date_key": "day", "source_key": "from"}
    metadata, other_metadata = {"from": "a", "day": "2021"}, {"from": "a", "day": "2023"}
    assert classify(LEAVE, LESS, metadata, other_metadata, **keys).kind is Kind.SUPERSEDED


def test_the_reason_names_the_words():
    """A person decides by the reason, without opening both passages."""
    result = classify("The tower was completed in 1889.", "The tower was completed in 1899.")
    assert "1889" in result.reason
    assert "1899" in result.reason
    assert [each.type for each in result.differences] == ["date"]
