"""A passage's topic in a few words: correct English, or nothing."""

from __future__ import annotations

import pytest
from logic_export.data.tiers.distractor_queries import join_clause, usable_wordings
from logic_export.data.tiers.labelled_questions import Candidate
from logic_export.data.tiers.passage_contents import (
    PassageContent,
    join_contents,
    read_content,
)


@pytest.mark.parametrize(
    ("title", "body", "clause"),
    [
        (
            "Demon Dice",
            "Demon Dice, first sold as Chaos, is a collectible dice game created by Lester Smith "
            "(known for another one) and Tim Brown. It is old.",
            "Demon Dice is a collectible dice game created by Lester Smith and Tim Brown",
        ),
        (
            "Clinton Foundation",
            "The Clinton Foundation (founded in 1997) is a non-profit organization under the code.",
            "the Clinton Foundation is a non-profit organization under the code",
        ),
        (
            "Mama Told Me",
            '"Mama Told Me" is a song by the rapper Big Boi.',
            '"Mama Told Me" is a song by the rapper Big Boi',
        ),
        (
            "Flute sonata",
            "A flute sonata is a sonata usually for flute and piano. A flute sonata is long.",
            "flute sonata is a sonata usually for flute and piano",
        ),
        ("AT&amp;T Tower", "AT&T Tower is a tall building.", "AT&T Tower is a tall building"),
        (
            "Empathy",
            "Empathy is the ability to not only detect what others feel, but also to share it.",
            "Empathy is the ability",
        ),
        # without "X is a ...", the first sentence that states something
        ("Tommy Moore", "Tommy Moore worked as a driver and was seldom at home.", None),
        (
            "",
            "Click here! The old stone bridge was closed by the town in the winter of 1954.",
            "the old stone bridge was closed by the town in the winter of 1954",
        ),
    ],
)
def test_the_clause_is_short_and_stands_alone(title, body, clause):
    assert read_content(Candidate(title, body)).clause == (clause or body.rstrip("."))


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Rush discography", "Rush is a Canadian band."),  # wrong about the list
        ("Geography of Lesotho", "Lesotho is a landlocked country."),
        ("", "This is the one that you want to have in your house."),
        ("", "What is temazepam?"),
        ("", "However, it is not known to us why that was so."),
        ("", "Officially, the rock has a dual name that people use."),
        ("", "Cigna has provided the following information on the claims."),
        ("", "1 Eggs can remain edible for a month and more."),
        ("", "See www.example.org and call +1 802 for more of what is on offer."),
    ],
)
def test_what_would_be_nonsense_outside_its_passage_is_no_clause(title, body):
    assert read_content(Candidate(title, body)).clause == ""


def test_a_subject_that_points_elsewhere_is_no_topic():
    """A clause like "Unlike the title, a reference to a tune" would not say which title."""
    assert read_content(Candidate("", "The title is a reference to a tune.")).topic == ""
    assert read_content(Candidate("", "The A1C test is a reference.")).topic == "the A1C test"


def test_several_contents_are_joined_and_a_field_that_one_lacks_is_empty():
    one = PassageContent("Brack", "Brack, a village", "Brack is a village")
    two = PassageContent("Osric", "", "Osric was old")
    assert join_contents([one]) == one
    assert join_contents([one, one]).named == "Brack, a village, and Brack, a village"
    both = join_contents([one, two])
    assert both == PassageContent("Brack and Osric", "", "Brack is a village and Osric was old")
    assert usable_wordings(["Unlike {named}, {question}", "{topic}: {question}"], both) == [
        "{topic}: {question}"
    ]


@pytest.mark.parametrize(
    ("form", "question", "expected"),
    [
        ("While {clause}, {question}", "Which is it?", "While acme is old, which is it?"),
        ("While {clause}, {question}", "Acme was what?", "While acme is old, Acme was what?"),
        ("{clause}. {question}", "Which is it?", "Acme is old. Which is it?"),
        ("{question} Also, {clause}.", "which is it", "which is it? Also, acme is old."),
        ("It is {topic}. {question}", "Which?", "It is Acme Inc. Which?"),
    ],
)
def test_a_query_is_written_as_a_person_would(form, question, expected):
    content = PassageContent("Acme Inc.", "", "acme is old")
    assert join_clause(form, content, question) == expected
