"""Answers compared with right and wrong ones."""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.probe import ProbeQuestion, grade
from logic_retrievers.probe.grading import answer_tokens, top_passage_direction

WORDS = st.sampled_from(["ann", "bob", "new", "york", "city", "ii", "rocky", "1931"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def asked(gold: str | tuple[str, ...], *wrong: str) -> ProbeQuestion:
    return ProbeQuestion("q", "who?", (gold,) if isinstance(gold, str) else gold, wrong)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Birk.", ("birk",)),
        ("  a  B, c!", ("b", "c")),
        ("Beyoncé", ("beyonce",)),
        ("\uff46\uff55ll width", ("full", "width")),
        ("O\u2019Neil and O'Neil", ("oneil", "and", "oneil")),
        ("U.S.", ("us",)),
        ("1,234,567 and 3.5", ("1234567", "and", "3.5")),
        ("1,23", ("1", "23")),
        ("Anne-Marie", ("anne", "marie")),
        ("The", ("the",)),
        ("?!", ("?!",)),
        ("\u00af", ("\u00af",)),
        (" \n", ()),
    ],
)
def test_what_is_compared(text: str, expected: tuple[str, ...]) -> None:
    """A changed comma must not make a right answer wrong."""
    assert answer_tokens(text) == expected


@pytest.mark.parametrize(
    ("question", "answer", "gold", "wrong"),
    [
        (asked("Ann"), "It is Ann.", 1, 0),
        (asked("Ann"), "Annapolis", 0, 0),
        (asked("Ann", "Bob"), "Ann and Bob", 1, 1),
        (asked("Ann", "Bob"), "not Bob but Ann", 1, 1),
        (asked("Rocky", "Rocky II"), "Rocky II", 0, 1),
        (asked("Rocky II", "Rocky"), "Rocky II", 1, 0),
        (asked("Rocky II", "Rocky"), "Rocky II, Rocky", 1, 1),
        (asked(("Ann", "Bob"), "Cid", "Dan"), "Bob, Cid, Dan, Ann", 2, 2),
        (asked("the Birk", "Birk"), "Birk", 1, 0),
        (asked("1,000"), "about 1000 people", 1, 0),
    ],
)
def test_what_an_answer_names(question: ProbeQuestion, answer: str, gold: int, wrong: int) -> None:
    """If a wrong answer lies inside the right one, right answers must still count."""
    found = grade(question, answer)
    assert (found.gold, found.wrong) == (gold, wrong)
    assert found.correct() == (gold > 0 and wrong == 0)


@pytest.mark.parametrize(
    ("answer", "abstained"),
    [
        ("", True),
        ("I don\u2019t know", True),
        ("The passages do not say.", True),
        ("I don't know, perhaps Ann", False),
        ("Bob; that is not mentioned", False),
        ("Cid", False),
    ],
)
def test_abstaining(answer: str, abstained: bool) -> None:
    """An answer that also names something is graded by that."""
    assert grade(asked("Ann", "Bob"), answer).abstained is abstained


def test_long_answers_by_support() -> None:
    """Readers never repeat a sentence literally, so containment would fail all."""
    question = asked("the river was dammed in spring", "the river was never dammed at all")
    right = grade(question, "It was dammed in spring")
    assert not right.correct()
    assert right.support == pytest.approx(4 / 5 - 2 / 6)
    assert right.correct("support")
    assert not grade(question, "it was never dammed").correct("support")
    assert not grade(asked("a long right answer"), "I don't know").correct("support")
    alone = asked("the river was dammed in spring")
    assert grade(alone, "dammed in spring").correct("support")
    for said in ("It was red.", "The river was red.", "It is never in spring"):
        assert not grade(alone, said).correct("support"), said


def reference_normal(text: str) -> list[str]:
    """SQuAD's script, limited to plain words."""
    text = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def reference_f1(said: str, gold: str) -> float:
    one, other = reference_normal(said), reference_normal(gold)
    same = sum((Counter(one) & Counter(other)).values())
    if not same:
        return 0.0
    precision, recall = same / len(one), same / len(other)
    return 2 * precision * recall / (precision + recall)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3, unique=True))
def test_f1_and_exact_match_as_squad_has_them(said: str, gold: list[str]) -> None:
    """F1 and exact match must be comparable with published values."""
    found = grade(asked(tuple(gold)), f"The {said.title()}!")
    assert found.f1 == pytest.approx(max(reference_f1(said, one) for one in gold))
    assert found.exact == (said in gold)


def test_the_direction_of_the_first_passage() -> None:
    """It measures the retrieval, even if the reader was right by luck."""
    question = ProbeQuestion("q", "who?", ("Ann",), satisfying=("s",), violating=("v",))
    assert top_passage_direction(question, ["s", "v"]) == "satisfying"
    assert top_passage_direction(question, ["v", "s"]) == "violating"
    assert top_passage_direction(question, ["o", "s"]) == "neither"
    assert top_passage_direction(question, []) == "neither"
    assert top_passage_direction(asked("Ann"), ["s"]) is None
