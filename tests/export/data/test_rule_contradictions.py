"""Rules that make contradictions: what they change in a text, and the groups that come of it."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.paraphrases import paraphrase
from logic_export.data.contradictions.rule_contradictions import (
    KINDS,
    CorpusWords,
    collect_words,
    contradict,
    group_with_paraphrases,
    make_groups,
)
from sample_texts import TEXTS, WORDS, seeds

from logic_retrievers.errors import ConfigurationError

# --- contradictions of a text


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, text=st.sampled_from(TEXTS))
def test_every_kind_changes_what_it_says_it_does(kind: str, seed: int, text: str):
    """A number that turns up under "date" makes the mixture another one than the recipe's."""
    made = contradict(text, kind, WORDS, Random(seed))
    assert made is not None
    assert made != text
    ours, theirs = (re.findall(r"\w+(?:[.,]\d+)*", said) for said in (text, made))
    if kind == "polarity":
        assert abs(len(ours) - len(theirs)) == 1
        assert re.sub(r" not\b", "", made) == text
        return
    assert len(ours) == len(theirs)
    changed = {(a, b) for a, b in zip(ours, theirs, strict=True) if a != b}
    assert changed
    if kind == "antonym":
        assert changed in ({("old", "young")}, {("young", "old")})
    if kind == "date":
        assert all(len(a) == 4 and a.isdigit() for a, _ in changed)
    elif kind == "number":
        assert len(changed) == 1
    elif kind == "entity":
        assert all(a[0].isupper() and b[0].isupper() for a, b in changed)
    elif kind == "quantifier":
        assert changed == {("always", "never")}


@pytest.mark.parametrize("kind", KINDS)
def test_where_no_rule_is_safe_there_is_none(kind: str):
    assert contradict("Alas, poor Yorick!", kind, CorpusWords(), Random(0)) is None


def test_without_wordnet_there_are_names_alone():
    assert collect_words(TEXTS).antonyms == collect_words(TEXTS).synonyms == {}
    assert collect_words(TEXTS).names == WORDS.names
    assert WORDS.antonyms == {"old": "young", "young": "old"}


# --- groups


@given(seeds, st.sampled_from(TEXTS))
def test_the_same_coins_fall_for_both_sides(seed: int, text: str):
    """A side that is always the shorter or the shuffled one is known by its form."""
    other = text.replace("is old", "is young").replace("is young", "is elderly", 1)
    for synonyms in ({}, {"elderly": "aged", "river": "stream"}):
        left, right = (paraphrase(said, Random(seed), synonyms) for said in (text, other))
        masked = re.sub(r"old|young|elderly|aged", "X", left)
        assert masked == re.sub(r"old|young|elderly|aged", "X", right)


@given(seeds)
def test_a_difference_that_the_coins_drop_makes_no_paraphrase(seed: int):
    """The same text on both sides says that it contradicts itself."""
    one, other = "The mill (built in 1907) burnt.", "The mill (built in 1890) burnt."
    group = group_with_paraphrases(one, other, "x", {}, Random(seed))
    assert group is not None
    assert (group.left, group.right) == ((one,), (other,))
    assert group_with_paraphrases(one, one, "x", {}, Random(seed)) is None


def test_kinds_take_turns_and_nothing_stands_on_both_sides():
    """Dates are everywhere; left alone they would crowd out what is rare."""
    made = make_groups(TEXTS, WORDS, count=9, kinds=["number", "antonym"], seed=3)
    assert {group.source for group in made} == {"rules number", "rules antonym"}
    # without hard negatives the loss learns that what is about the same contradicts
    made = make_groups(TEXTS * 3, WORDS, count=7, kinds=["date"], seed=2)
    assert sum(len(group.texts) == 4 for group in made) >= 5
    made = make_groups(TEXTS, WORDS, count=6, most_sentences=4, seed=1)
    assert [group.source for group in made][:2] != ["rules date"] * 2
    assert len({group.source for group in made}) >= 4
    for group in made:
        assert not set(group.left) & set(group.right)
        assert len(group.left) == len(group.right)
        assert group.left[0] in " ".join(TEXTS)
        assert all(text.strip() for text in group.texts)


def test_the_same_seed_makes_the_same_groups():
    """Whatever order the texts come in, and however often."""
    made = make_groups(TEXTS, WORDS, count=5, seed=4)
    assert made == make_groups([*reversed(TEXTS), TEXTS[0]], WORDS, count=5, seed=4)
    assert made != make_groups(TEXTS, WORDS, count=5, seed=5)


def test_pieces_have_as_many_sentences_as_they_may():
    """A passage of a page next to statements of a line would be told by its length."""
    for most in (1, 2):
        made = make_groups(TEXTS, WORDS, count=7, most_sentences=most, kinds=["polarity"], seed=0)
        assert made
        assert max(text.count(". ") + 1 for g in made for text in g.left) == most
    assert make_groups(["Too short 1907."], WORDS, count=1) == []
    assert len(make_groups(TEXTS, WORDS, count=2)) == 2


def test_unknown_kinds_and_pieces_of_nothing_are_refused():
    with pytest.raises(ConfigurationError, match="colour"):
        make_groups(TEXTS, WORDS, count=1, kinds=["date", "colour"])
