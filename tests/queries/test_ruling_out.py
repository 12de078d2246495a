"""Denials behind a wanted part, and the same words where they describe what is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.queries import Atom, RuleParser

PARSER = RuleParser()
LABELLED = Path(__file__).parent / "labelled" / "ruling_out.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
DENIED = [row for row in ROWS if row["excluded"]]
DESCRIBED = [row for row in ROWS if not row["excluded"]]
# Exclusions that no rule reads as a careful reader does.
MISSED = 4


def test_nothing_is_ruled_out_that_describes_what_is_asked_for():
    """An exclusion here hides the very passages that are wanted."""
    parsed = [PARSER.parse(row["text"]) for row in DESCRIBED]
    assert [one.text for one in parsed if one.excluded or one.wanted != one.text] == []


def test_denials_are_found():
    """A denial that no rule reads is searched for as if it were wanted."""
    wrong = [
        row["text"]
        for row in DENIED
        for parsed in [PARSER.parse(row["text"])]
        if (parsed.kind, parsed.wanted, list(parsed.excluded))
        != (row["kind"], row["wanted"], row["excluded"])
    ]
    assert len(wrong) <= MISSED, wrong


def test_a_question_that_is_not_to_be_answered_is_ruled_out_whole():
    """Cut behind its verb, what is left of it would be asked after all."""
    parsed = PARSER.parse("Who ran the mill, without asking who built it?")
    assert parsed.excluded == ("who built it",)
    assert "who built it" not in parsed.wanted


@pytest.mark.parametrize("adverb", ["", "primarily "])
def test_an_adverb_may_stand_before_what_is_denied(adverb: str):
    parsed = PARSER.parse(f"What slows a network but is not {adverb}caused by the router?")
    assert (parsed.wanted, parsed.excluded) == ("What slows a network?", ("router",))


@pytest.mark.parametrize("adverb", ["solely", "merely"])
def test_a_cause_among_others_is_not_ruled_out(adverb: str):
    """What is not caused by heat alone is caused by heat."""
    assert not PARSER.parse(f"What cracks a road but is not {adverb} caused by heat?").excluded


@pytest.mark.parametrize(
    ("text", "wanted", "trap"),
    [
        ("Who bakes bread and does not bake cakes?", "Who bakes bread?", "cakes"),
        ("Which people speak Thai who do not speak Lao?", "Which people speak Thai?", "Lao"),
        ("who visited Rome without visiting Naples", "who visited Rome", "Naples"),
        (
            "Which opera set in Egypt was not performed in the 1880s?",
            "Which opera set in Egypt?",
            "performed in the 1880s",
        ),
        (
            "Except for those who speak Thai, who lives in Bangkok?",
            "who lives in Bangkok?",
            "who speak Thai",
        ),
    ],
)
def test_what_the_second_clause_denies_is_ruled_out(text: str, wanted: str, trap: str) -> None:
    """Taken for a negative fact, the thing that nobody wants is searched for."""
    parsed = PARSER.parse(text)
    assert (parsed.kind, parsed.wanted, parsed.excluded) == ("exclusion", wanted, (trap,))
    assert parsed.expression == Atom(wanted) & ~Atom(trap)


@pytest.mark.parametrize(
    "text",
    [
        "Which bird does not fly?",
        "Who lives in Oslo and does not speak Norwegian?",
        "What is the difference between those who eat fish and those who do not eat meat?",
        "Why do those who like dogs and do not like cats keep hens?",
        "how do children learn Thai without learning tones",
        "I like tea and do not like coffee",
    ],
)
def test_a_denial_of_what_is_asked_for_stays_one(text: str) -> None:
    """Ruled out, the very passages that answer would be hidden."""
    parsed = PARSER.parse(text)
    assert (parsed.excluded, parsed.wanted) == ((), text)


def test_a_sentence_behind_the_denial_stays_a_sentence() -> None:
    parsed = PARSER.parse(
        "I want someone who sings Bach, but they must not sing Mahler. Who is it?"
    )
    assert parsed.wanted == "I want someone who sings Bach. Who is it?"
