"""Contradictions and paraphrases by rules: what they change in a text, and what they keep."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.paraphrases import find_synonyms, paraphrase
from logic_export.data.contradictions.rule_contradictions import (
    KINDS,
    CorpusWords,
    collect_words,
    contradict,
    group_with_paraphrases,
    make_groups,
)
from logic_export.data.contradictions.value_changes import (
    apply_change,
    change_date,
    change_name,
    change_number,
    change_quantifier,
    collect_names,
)
from logic_export.data.wordnet import Sense, WordNet

from logic_retrievers.errors import ConfigurationError

WORDNET = WordNet(
    {
        ("old", "adjective"): (Sense((), ("young",)),),
        ("young", "adjective"): (Sense((), ("old",)),),
        ("physician", "noun"): (Sense(("doctor",), ()),),
        ("doctor", "noun"): (Sense(("physician",), ()),),
        ("bank", "noun"): (Sense(("depository",), ()), Sense(("slope",), ())),
        ("depository", "noun"): (Sense(("bank",), ()),),
        ("motor", "noun"): (Sense(("engine",), ()),),
        ("engine", "noun"): (Sense(("motor",), ()), Sense(("locomotive",), ())),
        ("swift", "adjective"): (Sense(("fleet",), ()),),
        ("swift", "noun"): (Sense((), ()),),
    }
)
TEXTS = [
    f"The {noun} of {place} was opened by {who} in {year}. It is {age} and has {count} floors. "
    f"In {year + 5}, the {noun} was sold to {who}. It always stands near the river {place}."
    for noun, place, who, year, age, count in [
        ("mill", "Stead", "Ann Lee", 1907, "old", "three"),
        ("tower", "Brook", "Carl Orr", 1853, "young", "12"),
        ("school", "Marsh", "Eve Poe", 1921, "old", "four"),
        ("bridge", "Dover", "Guy Roe", 1888, "young", "35"),
        ("barn", "Corby", "Ida Fry", 1764, "old", "six"),
        ("inn", "Tring", "Lou May", 1999, "young", "7"),
        ("palace", "Nuneaton", "Max Ost", 2003, "old", "eight"),
    ]
]
WORDS = collect_words(TEXTS, WORDNET)
seeds = st.integers(0, 2**32)


# --- numbers, dates, quantifiers and names


def changes(make, text: str, *more) -> set[tuple[str, str]]:
    return {found for n in range(200) if (found := make(text, *more, Random(n))) is not None}


@given(st.from_regex(r"[1-9]\d{0,2}(,\d{3}){0,2}|\d{1,4}\.\d{1,3}|\d{1,6}", fullmatch=True), seeds)
def test_a_number_keeps_its_form_and_changes_its_first_digit(old: str, seed: int):
    """31,415 must not become 31,416, which hardly contradicts it, nor 9.5 become 95."""
    found = change_number(f"It has {old} floors.", Random(seed))
    if re.fullmatch(r"1[5-9]\d\d|20[0-2]\d", old):
        assert found is None  # a year
        return
    assert found is not None
    assert found[0] == old
    assert re.sub(r"\d", "0", found[1]) == re.sub(r"\d", "0", old)
    assert found[1][0] != old[0]


def test_numbers_in_words_and_what_is_no_number():
    """ "A 747", "AB-12" and "v2" are names; a changed day could give "59 December"."""  # noqa: D210
    assert {old for old, _ in changes(change_number, "It has three wings and 40 rooms.")} == {
        "three",
        "40",
    }
    assert all(old != new for old, new in changes(change_number, "It has three wings."))
    for text in (
        "It has a wing.",
        "Built in 1907.",
        "The X-15 flew.",
        "Mk2 and v2 came.",
        "It opened on 25 December 1907.",
        "It opened on December 25, 1907.",
    ):
        assert changes(change_number, text) == set()


def test_a_date_is_another_year_or_another_month():
    text = "It was opened in May 1907, and sold on 3 June 1950; in 1960, it burnt."
    found = changes(change_date, text)
    assert {old for old, _ in found} == {"1907", "1950", "1960", "May", "June"}
    for old, new in found:
        assert new != old
        if old.isdigit():
            assert 2 <= abs(int(new) - int(old)) <= 40
        else:
            assert re.fullmatch("[A-Z][a-z]+", new)
    for no_date in ("It may rain.", "For $1900.", "1950,000 came.", "Of 1907% more."):
        assert changes(change_date, no_date) == set()


@pytest.mark.parametrize("year", [1990, 2015, 2024, 2029])
def test_no_year_lies_in_the_future(year: int):
    """A year in the future would reveal the generated side without reading the other."""
    found = {int(new) for _, new in changes(change_date, f"It was opened in {year} or so.")}
    assert len(found) > 20
    assert max(found) <= 2024
    assert year not in found


def test_a_quantifier_becomes_its_contrary():
    assert changes(change_quantifier, "It is always open to many people.") == {
        ("always", "never"),
        ("many", "few"),
    }
    assert changes(change_quantifier, "The first and the best.") == {("the best", "the worst")}
    assert changes(change_quantifier, "It is more than a barn.") == {("more than", "less than")}
    # a mistake like "the few popular film" would reveal the generated side
    for text in (
        "It is the most popular of all.",
        "One of the few left.",
        "It was named after him.",
        "A best-known work, the best-known.",
        "Aftermath and beforehand.",
    ):
        assert changes(change_quantifier, text) == set()


def test_names_stand_within_sentences():
    """A sentence's first word must not count as a name, since it always has a capital."""
    found = collect_names(
        [
            "Mills were built by Ann Lee's father in Upper Marsh, Kent. They met on Sunday in May.",
            "Towers of the House of Lords and Guy Roe were seen by Ludwig van Beethoven.",
        ]
    )
    assert found == {
        1: ["Kent"],
        2: ["Ann Lee", "Guy Roe", "Upper Marsh"],
        3: ["House of Lords", "Ludwig van Beethoven"],
    }


def test_a_name_is_exchanged_for_one_like_it():
    """ "A Ida" or "an Guy" would reveal the exchange."""  # noqa: D210
    names = {1: ["Kent", "Essex", "Omaha", "Perth"], 2: ["Guy Roe", "Ann Lee"]}
    assert changes(change_name, "A mill in Kent.", names) == {("Kent", "Perth")}
    assert changes(change_name, "It is an Essex mill.", names) == {("Essex", "Omaha")}
    assert changes(change_name, "It met Guy Roe.", names) == set()
    assert changes(change_name, "A mill.", names) == set()
    (found,) = changes(change_name, "A mill of Kent's lord.", names)
    assert apply_change("A mill of Kent's lord.", found) == "A mill of Perth's lord."
    assert changes(change_name, "It is in Kent or Perth.", names) == set()


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("5 of 15, 5.5, 1.5, 5,000 and 2/5.", ("5", "8"), "8 of 15, 5.5, 1.5, 5,000 and 2/5."),
        ("He is 5. The 5-year plan; (5), $5.", ("5", "8"), "He is 8. The 8-year plan; (8), $8."),
        ("Ann, Anna and Ann's.", ("Ann", "Bea"), "Bea, Anna and Bea's."),
        ("In 1907, 1907. 19071", ("1907", "1890"), "In 1890, 1890. 19071"),
        ("a.b a.b", (".", "x"), "a.b a.b"),
        ("back \\1 here", ("here", r"\1"), "back \\1 \\1"),
    ],
)
def test_whole_occurrences_are_exchanged_and_nothing_else(text, change, expected):
    """No old value may remain, or the text contradicts itself; 5 must not change within 15."""
    assert apply_change(text, change) == expected


# --- contradictions and their groups


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds, text=st.sampled_from(TEXTS))
def test_every_kind_changes_what_it_says_it_does(kind: str, seed: int, text: str):
    """A number changed under the kind "date" would falsify the recipe's mixture."""
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


@given(seeds, st.sampled_from(TEXTS))
def test_the_same_coins_fall_for_both_sides(seed: int, text: str):
    """Both sides must be paraphrased alike: form, such as length, must not reveal a side."""
    other = text.replace("is old", "is young").replace("is young", "is elderly", 1)
    for synonyms in ({}, {"elderly": "aged", "river": "stream"}):
        left, right = (paraphrase(said, Random(seed), synonyms) for said in (text, other))
        masked = re.sub(r"old|young|elderly|aged", "X", left)
        assert masked == re.sub(r"old|young|elderly|aged", "X", right)


@given(seeds)
def test_a_difference_that_the_coins_drop_makes_no_paraphrase(seed: int):
    """A paraphrase that drops the difference would put the same text on both sides."""
    one, other = "The mill (built in 1907) burnt.", "The mill (built in 1890) burnt."
    group = group_with_paraphrases(one, other, "x", {}, Random(seed))
    assert group is not None
    assert (group.left, group.right) == ((one,), (other,))
    assert group_with_paraphrases(one, one, "x", {}, Random(seed)) is None


def test_kinds_take_turns_and_nothing_stands_on_both_sides():
    """Without turns, frequent kinds such as dates would crowd out rare ones."""
    made = make_groups(TEXTS, WORDS, count=9, kinds=["number", "antonym"], seed=3)
    assert {group.source for group in made} == {"rules number", "rules antonym"}
    # without hard negatives the loss learns that texts on the same subject contradict
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
    """Neither the order nor repeats of the texts may change the groups."""
    made = make_groups(TEXTS, WORDS, count=5, seed=4)
    assert made == make_groups([*reversed(TEXTS), TEXTS[0]], WORDS, count=5, seed=4)
    assert made != make_groups(TEXTS, WORDS, count=5, seed=5)


def test_pieces_have_as_many_sentences_as_they_may():
    """Excerpts must not exceed the limit, or length would tell passages from statements."""
    for most in (1, 2):
        made = make_groups(TEXTS, WORDS, count=7, most_sentences=most, kinds=["polarity"], seed=0)
        assert made
        assert max(text.count(". ") + 1 for g in made for text in g.left) == most
    assert make_groups(["Too short 1907."], WORDS, count=1) == []
    assert len(make_groups(TEXTS, WORDS, count=2)) == 2
    with pytest.raises(ConfigurationError, match="colour"):
        make_groups(TEXTS, WORDS, count=1, kinds=["date", "colour"])


# --- paraphrases


def all_of(text: str, synonyms=None, tries: int = 300) -> set[str]:
    return {paraphrase(text, Random(n), synonyms) for n in range(tries)}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("The mill (built late) burnt down.", {"The mill burnt down."}),
        ("The mill, which was old, was sold.", {"The mill was sold."}),
        ("It burnt twice, killing three men.", {"It burnt twice."}),
        ("In 1907, the mill burnt.", {"The mill burnt in 1907."}),
        ("However, it burnt.", {"Yet, it burnt."}),
        ("The mill was built by Ann Lee in 1907.", {"Ann Lee built the mill in 1907."}),
        ("It was written by Guy Roe.", {"Guy Roe wrote it."}),
        ("He was followed by Ann.", {"Ann followed him."}),
        ("Tess of Kent was sung by Ann Lee.", {"Ann Lee sang Tess of Kent."}),
        (
            "After the war, the mill was bought by Ann.",
            {"The mill was bought by Ann after the war."},
        ),
        # no rule is safe
        ("It is a mill that was built by Ann.", set()),
        ("Originally it was built by Ann.", set()),
        ("The mill is old and was built by Ann.", set()),
        ("The mill was built by Ann and Guy.", set()),
        ("The mill was built by Ann in Kent and burnt.", set()),
        ("On May 3, 1907, the mill burnt.", set()),
        ("In Upper Marsh, Kent, the mill burnt.", set()),
        ("Mills, including old ones, barns and inns, burnt.", set()),
        ("Ann, whose mill was burnt by wind, and ruined by rain.", set()),
        ("Ann moved there, which was in the U.S.", {"Ann moved there, which was in the U.S."}),
        ("(The mill was lost.)", set()),
    ],
)
def test_what_the_rules_make_of_a_sentence(text: str, others: set[str]):
    """Bad English would teach a model to recognise the sides made by rules."""
    assert all_of(text) == {text} | others


def test_sentences_change_places_and_one_may_go():
    text = "A first one. A second one. A third one."
    made = all_of(text)
    lengths = {len(said.split(". ")) for said in made}
    assert lengths == {2, 3}
    assert any(said.startswith("A third") for said in made)
    assert all(set(said.split()) <= set(text.split()) for said in made)
    assert all_of("A first one. A second one.") == {
        "A first one. A second one.",
        "A second one. A first one.",
    }


def test_synonyms_are_whole_words_in_lower_case():
    made = all_of(
        "The physician met a physician-scientist and Physicians.", {"physician": "doctor"}
    )
    assert made == {
        "The physician met a physician-scientist and Physicians.",
        "The doctor met a physician-scientist and Physicians.",
    }


def test_synonyms_are_taken_where_little_can_be_mistaken():
    """WordNet's first synonym of an ambiguous word like "bank" is often wrong."""
    texts = ["A physician and a doctor in a bank with a depository, a motor, an engine; swift."]
    assert find_synonyms(texts, WORDNET) == {"physician": "doctor", "doctor": "physician"}
    assert find_synonyms(["A physician came."], WORDNET) == {}


LINES = st.lists(st.sampled_from([*TEXTS, "(A b.)", "I."])).map(" ".join)


@given(st.text(max_size=80) | LINES, seeds)
def test_any_text_can_be_said_otherwise(text: str, seed: int):
    """An exception on one odd line would stop a whole build; empty texts cannot be trained on."""
    made = paraphrase(text, Random(seed), WORDS.synonyms)
    assert made == paraphrase(text, Random(seed), WORDS.synonyms)
    assert bool(made.strip()) is bool(text.split())
