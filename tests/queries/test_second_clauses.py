"""A second clause that denies: an exclusion where what remains is a request of its own."""

from __future__ import annotations

import pytest

from logic_retrievers.queries import Atom, RuleParser

PARSER = RuleParser()


@pytest.mark.parametrize(
    ("text", "wanted", "trap"),
    [
        ("Who bakes bread and does not bake cakes?", "Who bakes bread?", "cakes"),
        ("Who bakes bread but doesn't bake cakes", "Who bakes bread", "cakes"),
        ("Which people speak Thai who do not speak Lao?", "Which people speak Thai?", "Lao"),
        ("who visited Rome without visiting Naples", "who visited Rome", "Naples"),
        ("Who likes skiing and is not fond of skating?", "Who likes skiing?", "skating"),
        (
            "Which film featuring Garbo does not feature John Barrymore?",
            "Which film featuring Garbo?",
            "feature John Barrymore",
        ),
        (
            "What painting made in 1890 isn't in the Louvre?",
            "What painting made in 1890?",
            "Louvre",
        ),
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
        "Which bird that lives in Peru does not fly?",
        "Who was not invited?",
        "Who works here and does not work on Sundays?",
        "Who lives in Oslo and does not speak Norwegian?",
        "Which plays were not written by Shakespeare?",
        "Which lake lying in the hills is not deep?",
        "people who drink and people who do not drink",
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
