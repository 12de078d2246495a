"""False alarms on texts that share a pattern, and what holds for any two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.classification import classify_pair
from logic_retrievers.cleaning.result import Difference, Kind
from logic_retrievers.types import Passage

SIDES = {"one": "other", "other": "one", None: None}
FILMS = [
    "The Long Road is a 1931 American drama film directed by John Hale and starring Ann Bell.",
    "Night Train is a 1935 American drama film directed by Carl Wood and starring Roy Dane.",
    "Her Last Song is a 1931 American musical film directed by John Hale. It is a lost film.",
    "Lonesome Joe Gets a Job is a 1917 American short comedy film featuring Hal Boyd.",
    "Lonesome Joe, Sailor is a 1917 American short comedy film featuring Hal Boyd.",
    "The Border Rider is a 1940 Western. It was not a success, and no print is known to exist.",
]
ABSTRACTS = [
    "Flow past a thin plate is computed for Mach numbers from 2 to 5. Results agree with tests.",
    "Flow past a blunt cone is computed for Mach numbers from 3 to 8. Results do not agree with "
    "tests made in two tunnels.",
    "The method used to compute the flow past a wing is extended to supersonic speeds. Heating is "
    "increased by a factor of four.",
]


def classify(one, other, probability=0.6, cosine=0.8):
    return classify_pair(one, other, probability=probability, cosine=cosine, threshold=0.82)


@pytest.mark.parametrize("texts", [FILMS, ABSTRACTS], ids=["films", "abstracts"])
def test_a_shared_pattern_is_no_contradiction(texts):
    """On a corpus without contradictions every one is a false alarm."""
    for number, one in enumerate(texts):
        for other in texts[number + 1 :]:
            result = classify(Passage("a", one), Passage("b", other))
            assert result is None or result.kind is Kind.SCOPE


def test_what_has_nothing_to_do_with_each_other():
    """Not even a sure vector makes a contradiction of two strangers."""
    one, other = (
        Passage("a", "Geese fly south in October."),
        Passage("b", "The loan costs 3 percent."),
    )
    assert classify(one, other, probability=0.4, cosine=0.1) is None
    assert classify(one, other, probability=0.99, cosine=0.1) is None


def test_a_date_of_an_event_is_no_version():
    """A date of the event alone, and nothing else that differs, tells no newer version."""
    one = Passage("a", "The line has been in service since 1987.")
    other = Passage("b", "The line has been in service since 1978.")
    assert classify(one, other).kind is Kind.CONTRADICTION


def test_what_cannot_be_read_decides_nothing():
    """Metadata is whatever the user put there."""
    odd = {
        "date": object(),
        "version": float("nan"),
        "source": ["a"],
        "region": {"x": 1},
        "year": None,
    }
    one = Passage("a", "It costs 5 euros a night.", odd)
    other = Passage("b", "It costs 6 euros a night.", odd)
    assert classify(one, other).kind is Kind.CONTRADICTION


SAID = """
Since May 2021 2023 the fee for Oslo Bergen X200 X300 is not no longer 5 6 euros dollars a
    month year v1 v2 open closed adults children may must rises falls . , version
"""
WORDS = st.sampled_from(SAID.split())
TEXTS = st.lists(WORDS, min_size=1, max_size=14).map(" ".join)
VALUES = st.sampled_from(["DE", "FR", 2020, 2021, "2.1", "2.10", "2022-05-01", None, "", [1]])
METADATA = st.dictionaries(
    st.sampled_from(["date", "source", "title", "version", "region", "year"]), VALUES, max_size=4
)
PASSAGES = st.builds(Passage, st.just("p"), st.one_of(TEXTS, st.text(max_size=40)), METADATA)
SHARES = st.floats(0, 1)


@given(PASSAGES, PASSAGES, SHARES, SHARES)
def test_the_order_of_the_two_does_not_matter(one, other, probability, cosine):
    """A pair is met from either side, and one of two answers would be wrong."""
    classification, swapped_classification = (
        classify(one, other, probability, cosine),
        classify(other, one, probability, cosine),
    )
    if classification is None or swapped_classification is None:
        assert classification is swapped_classification
        return
    assert (classification.kind, classification.reason, SIDES[classification.newer]) == (
        swapped_classification.kind,
        swapped_classification.reason,
        swapped_classification.newer,
    )
    swapped = {
        Difference(difference.type, difference.other, difference.one)
        for difference in swapped_classification.differences
    }
    assert set(classification.differences) == swapped


@given(PASSAGES, PASSAGES, SHARES, SHARES)
def test_every_finding_holds_together(one, other, probability, cosine):
    """A newer one without a newer version, or a finding without a reason, cannot be acted on."""
    result = classify(one, other, probability, cosine)
    if result is not None:
        assert result.reason
        assert (result.newer is None) is (result.kind is not Kind.SUPERSEDED)
        for difference in result.differences:
            assert 0 <= difference.one[0] <= difference.one[1] <= len(one.text)
            assert 0 <= difference.other[0] <= difference.other[1] <= len(other.text)


@given(PASSAGES, SHARES)
def test_a_passage_is_its_own_copy(passage, probability):
    """Whatever the vectors say."""
    assert classify(passage, passage, probability).kind is Kind.DUPLICATE
