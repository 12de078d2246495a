"""Rewordings of queries that are checked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.rewriting import RewrittenTriplets, find_fault, rewrite_queries
from logic_export.data.triplets import Triplet

from logic_retrievers.errors import EmptyTextError, InputError, ServerUnavailableError


@pytest.mark.parametrize(
    ("query", "answer", "expected"),
    [
        ("inns, no pool", "Which inns have no pool?", None),
        ("inns, no pool", " \n", "empty"),
        ("inns, no pool", "Here it is:\nWhich inns have no pool?", "several lines"),
        ("inns, no pool", "inns \u2028 no pool", "several lines"),
        ("abc", "a" * 12, None),
        ("abc", "a" * 13, "too long"),
        ('not "red wine"', "anything but “red wine”", None),
        ('not "red wine"', 'anything but "wine, red"', "another quotation"),
        ('not "red wine"', "anything but red wine", "another quotation"),
        ("not 'red wine'", "anything but red wine", "another quotation"),
        ("not \u2018don't go\u2019", "nothing of don't go", "another quotation"),
        ("inns, no pool", '"Which inns have no pool?"', "another quotation"),
        ("the cook's inns and the guests' pools", "inns of cooks, pools of guests", None),
        ("films of 1999", "Which films are from 1999?", None),
        ("films of 1999", "Which films are from 1990?", "a number is missing"),
        ("films of 1999", "Which films are from 19990?", "a number is missing"),
        ("before 1990, after 1990", "before and after 1990", "a number is missing"),
        ("below -40 degrees", "under 40 degrees", "a number is missing"),
        ("from 1.5 to 1,000", "between 1.5 and 1,000", None),
        ("from 1.5 to 1,000", "between 15 and 1,000", "a number is missing"),
    ],
)
def test_faults(query: str, answer: str, expected: str | None):
    """A rewording that lost a year or a quotation asks for something else than its passages."""
    assert find_fault(query, answer) == expected


WORDS = st.text(st.characters(categories=["Ll"]), min_size=1, max_size=8)


@given(words=st.lists(WORDS, min_size=1, max_size=8), number=st.integers(0, 10**6), data=st.data())
def test_every_number_counts(words: list[str], number: int, data: st.DataObject):
    """Wherever a number stands: as it is it passes, changed or gone it does not."""
    place = data.draw(st.integers(0, len(words)))

    def query(said: str) -> str:
        return " ".join([*words[:place], said, *words[place:]])

    assert find_fault(query(str(number)), query(str(number))) is None
    assert find_fault(query(str(number)), query(f"{number} too")) is None
    for wrong in (str(number + 1), f"{number}0", f"1{number}", "x"):
        assert find_fault(query(str(number)), query(wrong)) == "a number is missing"


class Canned:
    """Answers from a table; not a subclass of anything."""

    def __init__(self, answers: dict[str, str | Exception]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    def rewrite(self, instruction: str, text: str) -> str:
        self.asked.append((instruction, text))
        answer = self.answers[text]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_good_rewordings_are_kept_and_the_others_counted():
    """The old query in place of a bad answer would pass for a natural one."""
    rows = [
        Triplet("inns, no pool", "A quiet inn.", "An inn with a pool.", "made"),
        Triplet("films of 1999", "A film of 1999.", None, "made"),
        Triplet("empty one", "a"),
        Triplet("cut one", "a"),
        Triplet("inns, no pool", "A farm.", None),
        Triplet("films of 1999", "Another."),
    ]
    asked = Canned(
        {
            "inns, no pool": " Which inns have no pool? ",
            "films of 1999": "Which films?",
            "empty one": EmptyTextError("nothing"),
            "cut one": InputError("cut"),
        }
    )
    found = rewrite_queries(rows, asked, "Reword.")
    new = "Which inns have no pool?"
    assert found == RewrittenTriplets(
        (
            Triplet(new, "A quiet inn.", "An inn with a pool.", "made reworded"),
            Triplet(new, "A farm.", None, "reworded"),
        ),
        {"a number is missing": 2, "empty": 1, "no usable answer": 1},
    )
    assert found.rejected == 4
    assert len(found.triplets) + found.rejected == len(rows)
    assert asked.asked == [("Reword.", query) for query in asked.answers]  # once a query


def test_a_rewriter_that_cannot_go_on_ends_it():
    """A dead endpoint counted as a thousand bad answers would give an empty data set."""
    rows = [Triplet("inns, no pool", "A quiet inn.")]
    with pytest.raises(ServerUnavailableError):
        rewrite_queries(rows, Canned({"inns, no pool": ServerUnavailableError("gone")}))
    with pytest.raises(EmptyTextError):
        rewrite_queries(rows, Canned({}), " ")
