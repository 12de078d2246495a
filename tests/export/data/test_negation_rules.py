"""Sentences and their negations, in both directions, and sentences that are refused."""

from __future__ import annotations

import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.negation import negate
from logic_export.data.negation.lexicon import indefinite_article, past, third_person

from logic_retrievers.evaluation import data_folder

BOTH_WAYS = [
    ("The gene is expressed in mice.", "The gene is not expressed in mice."),
    ("Surface coverage can be measured.", "Surface coverage cannot be measured."),
    ("The effect has been confirmed.", "The effect has not been confirmed."),
    ("Prices had recently risen; costs were low", None),
    ("The model has a lid.", "The model does not have a lid."),
    ("Aspirin reduces the risk.", "Aspirin does not reduce the risk."),
    ("Aspirin significantly reduces pain.", "Aspirin does not significantly reduce pain."),
    ("Loss of it increases the risk.", "Loss of it does not increase the risk."),
    ("The tumour grew in mice.", "The tumour did not grow in mice."),
    ("We measured pressure.", "We did not measure pressure."),
    ("They control the flow.", "They do not control the flow."),
    ("There is evidence of harm.", "There is no evidence of harm."),
    ("There was a highly unusual case.", "There was not a highly unusual case."),
    ("In mice, there are differences.", "In mice, there are no differences."),
    ("We found that the test was safe.", "We found that the test was not safe."),
    ("RESULTS: the vaccine is safe.", "RESULTS: the vaccine is not safe."),
    ("Survival (which was not measured) is low.", "Survival (which was not measured) is not low."),
    ("The house is large, and has ten rooms.", "The house is not large, and has ten rooms."),
]


@pytest.mark.parametrize(("sentence", "negated"), BOTH_WAYS)
def test_negates_and_takes_it_back(sentence: str, negated: str | None) -> None:
    """With one wrong word, sentences that agree would be labelled a contradiction."""
    assert negate(sentence) == negated
    if negated is not None:
        assert negate(negated) == sentence


@pytest.mark.parametrize(
    ("negated", "sentence"),
    [
        ("It isn't safe.", "It is safe."),
        ("I can’t recommend it.", "I can recommend it."),  # noqa: RUF001
        ("The cable doesn't fit.", "The cable fits."),
        ("The dose did not lead to harm.", "The dose led to harm."),
        ("The car did not stop.", "The car stopped."),
        ("These data do not support the claim.", "These data support the claim."),
        ("It has never been tested.", "It has been tested."),
        ("The pill had no significant effect.", "The pill had a significant effect."),
        ("We found no evidence of a leak.", "We found evidence of a leak."),
        ("There was no HLA association.", "There was an HLA association."),
        ("We did not find that it was safe.", None),
    ],
)
def test_takes_a_negation_out(negated: str, sentence: str | None) -> None:
    """Removing a negation must also adapt contractions and verb forms."""
    expected = "We found that it was safe." if sentence is None else sentence
    assert negate(negated) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Is it safe?",
        "Use the blue one.",
        "He said “it is safe”.",
        "It is safe. It is cheap.",
        "It may be safe.",
        "Some patients were treated.",
        "In total, 12 patients were treated.",
        "All patients were treated.",
        "Patients who were treated had fever.",
        "It failed because it was old.",
        "If it rains the road is wet.",
        "The plan is not only safe, it is cheap.",
        "It is not red but blue.",
        "It was not seen in any mouse.",
        "It was seen in some mice.",
        "It is also safe.",
        "The aim was to test it.",
        "It is neither safe nor cheap.",
        "Mice treated with salt died.",
        "Reduces the risk.",
        "Patients have increased levels.",
        "It's cold and was wet.",
        "There is now a way.",
        "There was no cat.",
        "No patient was treated.",
        "It did work.",
        "The free will is strong, they say; the will is weak.",
        "IT IS SAFE",
        "",
    ],
)
def test_refuses_what_no_rule_is_safe_for(sentence: str) -> None:
    """A guess would give a training pair that can both be true, or is not English."""
    assert negate(sentence) is None


NOUNS = st.sampled_from(["the cat", "aspirin", "Dr No", "this new method", "a red (big) car"])
VERBS = st.sampled_from(["is", "are", "was", "were", "can", "could", "will", "would", "should"])
ENDS = st.sampled_from(["safe", "be seen in 2003", "part of it, as before", "cheaper"])


@given(subject=NOUNS, verb=VERBS, rest=ENDS, stop=st.sampled_from([".", "", " ."]))
def test_auxiliaries_round_trip(subject: str, verb: str, rest: str, stop: str) -> None:
    """Negating twice must return the sentence, with all words next to the verb."""
    sentence = f"{subject} {verb} {rest}{stop}"
    negated = negate(sentence)
    if subject == "Dr No":
        assert negated is None
    else:
        assert negated is not None
        assert negated.replace("cannot", "can not").replace(" not", "", 1) == sentence
        assert negate(negated) == sentence


PIECES = re.findall(r"\S+", "it is not no can't there a was that , : ( ) to do does never")


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_negated_or_refused(text: str) -> None:
    """An exception on one odd line would stop a whole build; an unchanged line mislabels."""
    assert negate(text) != text


def test_verb_forms_are_spelt_as_in_english() -> None:
    """Forms like "studys" and "occured" would let a model detect negation by spelling."""
    for base, form in {"carry": "carries", "pass": "passes", "play": "plays", "go": "goes"}.items():
        assert third_person(base) == form
    verbs = {"occur": "occurred", "apply": "applied", "play": "played", "control": "controlled"}
    for base, form in {**verbs, "give": "gave", "reduce": "reduced", "zorb": None}.items():
        assert past(base) == form
    phrases = "an effect, an unusual, a unique, an HLA, a DNA, an hour, a European, an uninformed"
    for phrase in (*phrases.split(", "), "an MRI", "a user"):
        assert indefinite_article(phrase.split()[1]) == phrase.split()[0]


@pytest.mark.data
def test_agrees_with_negations_made_by_people() -> None:
    """Rules must keep matching people's negations; the share of equal ones must not drop."""
    path = data_folder() / "cannot_negation_pairs" / "pairs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pairs = [
        (row["sentence"], row["negated"])
        for row in rows
        if row["source"] == "sentiment-labelled-sentences"
    ]
    made = [(negate(sentence), negated) for sentence, negated in pairs]
    given_out = [(mine, theirs) for mine, theirs in made if mine is not None]
    same = sum(_plain(mine) == _plain(theirs) for mine, theirs in given_out)
    assert len(given_out) > 0.42 * len(pairs)
    assert same > 0.80 * len(given_out)


def _plain(sentence: str) -> str:
    for short, full in {"can't": "cannot", "won't": "will not", "n't": " not"}.items():
        sentence = sentence.replace(short, full)
    return " ".join(sentence.lower().split())
