"""Differences of two texts: typed, inside the texts, in bounded time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.differences import compare, have_same_words

WORDS = """
The inn is not closed 12 twelve 1,200 5 km 3.1 miles half 50 % in 2021 May Paris X200 v2.1
    and . ! never without paid unpaid rises falls naïve 素食 \u202e 03/04/2023 a month
"""
PIECES = st.sampled_from(WORDS.split())
texts = st.one_of(st.lists(PIECES, max_size=25).map(" ".join), st.text(max_size=80))


def differences(one: str, other: str) -> list[tuple[str, str, str]]:
    return [
        (difference.type, one[slice(*difference.one)], other[slice(*difference.other)])
        for difference in compare(one, other).differences
    ]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("It weighs 5 kg.", "It weighs 6 kg.", ("number", "5 kg", "6 kg")),
        ("It weighs 5 kg.", "It weighs 5 lb.", ("number", "5 kg", "5 lb")),
        ("It opened in 1912.", "It opened in 1921.", ("date", "1912", "1921")),
        ("It is safe to eat.", "It is not safe to eat.", ("polarity", "", "not")),
        ("The price rises today.", "The price falls today.", ("antonym", "rises", "falls")),
        ("She lives in Oslo now.", "She lives in Bergen now.", ("entity", "Oslo", "Bergen")),
        ("The roof is made of slate.", "The roof is made of straw.", ("wording", "slate", "straw")),
        ("It runs with v2.1 here.", "It runs with v3.0 here.", ("number", "v2.1", "v3.0")),
    ],
)
def test_the_one_difference(one, other, expected):
    """A reader is shown these words and no others."""
    assert differences(one, other) == [expected]


def test_a_value_in_another_form_is_another_wording():
    """What differs for the eye alone is shown, and held against nobody."""
    assert differences("It has twelve rooms.", "It has 12 rooms.") == [("wording", "twelve", "12")]


def test_a_hidden_character_is_no_difference():
    """Two copies of a page, one with soft hyphens, are no two statements; spans stay right."""
    one, other = "The pea\u00adnut is 5\u00a0cm.", "The peanut is 6 cm."
    assert differences(one, other) == [("number", "5\u00a0cm", "6 cm")]
    assert have_same_words("\uff30eanut cafe\u0301", "pea\u200bnut cafe")


def test_words_in_another_order_state_the_same():
    """Values that moved are still there."""
    one = "The dam at Orsk was finished in 1958 by Ann Bell."
    other = "Ann Bell finished the dam at Orsk in 1958."
    assert not [
        difference for difference in compare(one, other).changes if difference.type != "wording"
    ]


@given(texts, texts)
def test_spans_lie_inside_the_texts(one, other):
    """A span that runs out of a text breaks every report."""
    compared = compare(one, other)
    for difference in compared.differences:
        assert 0 <= difference.one[0] <= difference.one[1] <= len(one)
        assert 0 <= difference.other[0] <= difference.other[1] <= len(other)
        assert difference.one[0] < difference.one[1] or difference.other[0] < difference.other[1]


@given(texts)
def test_a_copy_has_no_differences(text):
    """Nor has one in capitals and with other punctuation."""
    assert compare(text, text).differences == ()
    assert have_same_words(text, f" {text} !")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("word " * 2_000_000, "word " * 1_999_999 + "x"),
        (
            " ".join(f"w{n % 700}" for n in range(9000)),
            " ".join(f"w{n * 7 % 700}" for n in range(9000)),
        ),
        ("1/1/2020 " * 3000, "2/2/2021 " * 3000),
        ("paid " * 9000, "unpaid " * 9000),
        ("x" * 10_000_000, "'" * 10_000_000),
    ],
    ids=["ten megabytes", "shuffled", "dates", "opposites", "one word"],
)  # fmt: skip
def test_long_texts_take_no_longer(one, other):
    """One hostile page among a million passages must not hold up the others."""
    begun = time.process_time()
    compare(one, other)
    assert time.process_time() - begun < 3
