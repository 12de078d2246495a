"""Spans of words that differ between two texts: exact, inside the texts, in bounded time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.conflicts.cleaning.word_diff import (
    MAX_WORDS,
    find_differences,
    have_same_words,
)

WORDS = "the inn is Not closed 12 1,200 5.5 17:00 % X200 v2.1 XR-500 don't na\u00efve \u7d20\u98df"
ENDS = st.sampled_from([" ", ", ", ". ", "\n", " ("])
WRITTEN = st.lists(st.tuples(st.sampled_from(WORDS.split()), ENDS), max_size=12)
ANY = st.one_of(
    WRITTEN.map(lambda pieces: "".join(word + end for word, end in pieces)), st.text(max_size=60)
)


def differences(one: str, other: str) -> list[tuple[str, str, str]]:
    return [
        (difference.type, one[slice(*difference.one)], other[slice(*difference.other)])
        for difference in find_differences(one, other)
    ]


def left_over(pieces: list[tuple[str, str]], spans: list[tuple[int, int]]) -> list[str]:
    """The words outside the spans, by position; a span has whole words."""
    place, words = 0, []
    for word, end in pieces:
        last = place + len(word)
        around = [span for span in spans if span[0] < last and place < span[1]]
        assert all(start <= place and last <= stop for start, stop in around)
        words += [] if around else [word.lower()]
        place = last + len(end)
    return words


@given(WRITTEN, WRITTEN)
def test_outside_of_the_spans_the_words_are_equal(one, other):
    """Readers of a report look at the marked words only."""
    texts = ["".join(word + end for word, end in pieces) for pieces in (one, other)]
    found = find_differences(*texts)
    sides = [[each.one for each in found], [each.other for each in found]]
    assert left_over(one, sides[0]) == left_over(other, sides[1])
    for each, (_, left, right) in zip(found, differences(*texts), strict=True):
        numbers = [any(map(str.isdecimal, word)) for word in f"{left} {right}".split()]
        assert each.type == ("number" if all(numbers) else "wording")


@given(ANY, ANY)
def test_spans_lie_inside_the_texts(one, other):
    """A span beyond its text breaks every report."""
    found = find_differences(one, other)
    for spans, text in (
        ([each.one for each in found], one),
        ([each.other for each in found], other),
    ):
        ends = [end for span in spans for end in span]
        assert ends == sorted(ends)
        assert all(0 <= end <= len(text) for end in ends)
    assert all(left + right for _, left, right in differences(one, other))


@given(ANY, ANY)
def test_texts_without_differences_have_the_same_words(one, other):
    """Without marked words, texts that are not copies leave the reader puzzled."""
    assert have_same_words(one, other) == (find_differences(one, other) == ())
    assert have_same_words(one, other) == have_same_words(other, one)
    assert have_same_words(one, f" {one} !")


@given(WRITTEN, WRITTEN)
def test_the_same_words_in_other_punctuation(one, other):
    """Equals a plain reference: the words in lower case, in order."""
    expected = [word.lower() for word, _ in one] == [word.lower() for word, _ in other]
    texts = ("".join(word + end for word, end in one), "\n".join(w.upper() for w, _ in other))
    assert have_same_words(*texts) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Dogs: \u2713", "Dogs: \u2717", [("wording", "\u2713", "\u2717")]),
        ("In C++.", "In C#.", [("wording", "++", "#")]),
        ("It weighs 1,200 kg.", "It weighs 1,300 kg.", [("number", "1,200", "1,300")]),
        ("At -5 degrees.", "At 5 degrees.", [("number", "-5", "5")]),
        ("It runs with v2.1 here.", "It runs with v3.0 here.", [("number", "v2.1", "v3.0")]),
        ("It is safe to eat.", "It is not safe to eat.", [("wording", "", "not")]),
        (
            "The old roof is of slate.",
            "The roof is of dry straw.",
            [("wording", "old", ""), ("wording", "slate", "dry straw")],
        ),
    ],
)
def test_the_words_that_differ(one, other, expected):
    """A reader sees these words and no others."""
    assert differences(one, other) == expected


def test_a_hidden_character_is_no_difference():
    """A page and its copy with soft hyphens must not differ; spans stay right."""
    one, other = "The pea\u00adnut is 5\u00a0cm.", "The peanut is 6 cm."
    assert differences(one, other) == [("number", "5", "6")]
    assert have_same_words("\uff30eanut cafe\u0301", "pea\u200bnut cafe")


def test_the_whole_texts_decide_whether_they_are_copies():
    """Only the start of a page is compared word by word."""
    page = "word " * (MAX_WORDS + 10)
    assert have_same_words(page, page.upper() + "!")
    assert not have_same_words(page, f"{page} more")
    assert find_differences(page, f"{page} more") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("word " * 2_000_000, "word " * 1_999_999 + "x"),
        (
            " ".join(f"w{n % 700}" for n in range(9000)),
            " ".join(f"w{n * 7 % 700}" for n in range(9000)),
        ),
        (" ".join(f"a x{n}" for n in range(9000)), " ".join(f"a y{n}" for n in range(9000))),
        ("x" * 10_000_000, "'" * 10_000_000),
    ],
    ids=["ten megabytes", "shuffled", "one word in common", "one word"],
)
def test_long_texts_take_no_longer(one, other):
    """One hostile page among a million passages must not delay the others."""
    begun = time.process_time()
    find_differences(one, other)
    assert time.process_time() - begun < 3
