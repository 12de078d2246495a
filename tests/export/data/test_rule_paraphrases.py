"""Rules that make paraphrases: what they change, and what they must not."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.contradictions.paraphrases import find_synonyms, paraphrase
from sample_texts import TEXTS, WORDNET, WORDS, seeds


def all_of(text: str, synonyms=None, tries: int = 300) -> set[str]:
    return {paraphrase(text, Random(n), synonyms) for n in range(tries)}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("The mill (built late) burnt down.", {"The mill burnt down."}),
        ("The mill, which was old, was sold.", {"The mill was sold."}),
        ("Ann met Guy, who was old.", {"Ann met Guy."}),
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
        ("In Rome, Italy, and Paris, she sang.", set()),
        ("In Upper Marsh, Kent, the mill burnt.", set()),
        ("Mills, including old ones, barns and inns, burnt.", set()),
        ("Ann, whose mill was burnt by wind, and ruined by rain.", set()),
        ("Ann moved there, which was in the U.S.", {"Ann moved there, which was in the U.S."}),
        ("(The mill was lost.)", set()),
        ("However it burnt.", set()),
    ],
)
def test_what_the_rules_make_of_a_sentence(text: str, others: set[str]):
    """What is no English tells a model nothing, or the wrong thing: this side was made."""
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
    """WordNet's first synonym of "bank" is as often the wrong one."""
    texts = ["A physician and a doctor in a bank with a depository, a motor, an engine; swift."]
    assert find_synonyms(texts, WORDNET) == {"physician": "doctor", "doctor": "physician"}
    assert find_synonyms(["A physician came."], WORDNET) == {}


LINES = st.lists(st.sampled_from([*TEXTS, "(A b.)", "I."])).map(" ".join)


@given(st.text(max_size=80) | LINES, seeds)
def test_any_text_can_be_said_otherwise(text: str, seed: int):
    """An exception on one odd line stops a whole build; an empty text cannot be trained on."""
    made = paraphrase(text, Random(seed), WORDS.synonyms)
    assert made == paraphrase(text, Random(seed), WORDS.synonyms)
    assert bool(made.strip()) is bool(text.split())
