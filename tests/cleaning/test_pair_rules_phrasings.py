"""The same scope or age of a text in many phrasings."""

from __future__ import annotations

import pytest

from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.result import Kind
from logic_retrievers.types import Passage


def classify(one, other, metadata=None, other_metadata=None, probability=0.4, cosine=0.85):
    return classify_pair(
        Passage("one", one, metadata or {}),
        Passage("other", other, other_metadata or {}),
        probability=probability,
        cosine=cosine,
        threshold=0.82,
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (  # a clause that names the subject
            "If you are a tenor, the fee is 90 dollars.",
            "If you are a soloist, the fee is 140 dollars.",
        ),
        (
            "Choirs that sing in church pay 30 euros.",
            "Choirs that tour abroad pay 70 euros.",
        ),
        (  # another word beside one noun
            "Seats in the small hall cost 20 euros.",
            "Seats in the main hall cost 35 euros.",
        ),
        ("A litre of milk costs 1.20 euros.", "A gallon of milk costs 4.50 euros."),
        ("The belt runs at 100 km/h.", "The belt runs at 62 mph."),
        ("The stone weighs 11 pounds.", "The stone weighs 5 kg."),
        ("The toll is 4 dollars.", "The toll is 3.70 euros."),
    ],
)
def test_other_things_of_a_kind(one, other):
    """A cleaning that holds these against each other reports what nobody would correct."""
    assert classify(one, other).kind is Kind.SCOPE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The second edition has 80 maps.", "The third edition has 112 maps."),
        (
            "The standing order of 11 May 2015 sets 50 ppm.",
            "The standing order of 3 June 2021 sets 30 ppm.",
        ),
        ("Waste is fetched weekly.", "Waste is not fetched weekly any more."),
        ("The quay is free of charge.", "The quay was free until March; it costs 2 euros now."),
    ],
)
def test_an_older_and_a_newer_state(one, other):
    """The older one is thrown out, so both the kind and the side have to be right."""
    result = classify(one, other)
    assert (result.kind, result.newer) == (Kind.SUPERSEDED, "other")


@pytest.mark.parametrize(
    ("metadata", "other_metadata"),
    [
        ({"sheet": "P-40", "revision": 2}, {"sheet": "P-40", "revision": 3}),
        (
            {"source": "a", "updated_at": "2020-02-02"},
            {"source": "a", "updated_at": "2023-09-30"},
        ),
    ],
)
def test_a_newer_state_by_other_keys(metadata, other_metadata):
    """Collections call their dates and documents by many names."""
    result = classify(
        "Paint dries in 4 hours.", "Allow the paint 6 hours to dry.", metadata, other_metadata
    )
    assert (result.kind, result.newer) == (Kind.SUPERSEDED, "other")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The fair takes place from 4 to 7 June.", "The fair takes place from 11 to 14 June."),
        ("The wool shrinks in warm water.", "The wool stretches in warm water."),
    ],
)
def test_an_answer_is_no_scope(one, other):
    """The date or the verb is the answer, and not the scope."""
    assert classify(one, other).kind is Kind.CONTRADICTION


def test_all_has_something_in_common_with_each():
    """What holds for all patients and what holds for adults may well contradict each other."""
    one, other = "Drive as usual after the dose.", "Do not drive as usual after the dose."
    assert classify(one, other, {"population": "adults"}, {"population": "all"}).kind is (
        Kind.CONTRADICTION
    )
    assert (
        classify(one, other, {"population": "adults"}, {"population": "infants"}).kind is Kind.SCOPE
    )
