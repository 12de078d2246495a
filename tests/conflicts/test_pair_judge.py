"""The pair judge: asked once, about probable pairs; malformed answers are not trusted."""

from __future__ import annotations

import asyncio
import warnings

import numpy as np
import pytest
from placed import PlacedEncoder, passages

from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning

INNS = passages("inn | yes | a", "inn | no | a", "inn | never | a", "tax | yes | a")


class TableJudge:
    """Answers from a table and records the questions."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    def __call__(self, pairs):
        self.asked.append(list(pairs))
        return [self.answers.get(_short(pair)) for pair in pairs]


def _short(pair):
    return "_".join(text.split(" | ")[1] for text in pair)


def filtered(judge, given=INNS, **settings):
    return ContradictionFilter(
        PlacedEncoder(), judge=judge, resolution="drop_both", **settings
    ).filter(given)


def ids(found):
    return [hit.passage.id.split(" | ")[1] for hit in found.hits if "inn" in hit.passage.id]


def test_its_answer_takes_the_place_of_ours():
    """The result must use the answer of a model that was paid for."""
    judge = TableJudge(yes_no=0.1, yes_never=0.2, no_never=0.99)
    found = filtered(judge)
    assert ids(found) == ["yes"]
    (conflict,) = found.conflicts
    assert conflict.probability == 0.99
    assert conflict.own_probability not in (0.99, None)
    assert conflict.own_probability > 0.9
    opponent = found.dropped[0].evidence.details["opponents"][0]
    assert (opponent["probability"], opponent["own_probability"]) == (
        0.99, conflict.own_probability,
    )  # fmt: skip
    assert found.notes == ()


def test_it_is_asked_once_about_what_is_likely_the_strongest_first():
    """A model paid by the question must not get every pair of a long list."""
    judge = TableJudge()
    plain = filtered(None)
    found = filtered(judge)
    (asked,) = judge.asked
    assert [frozenset(pair) for pair in asked] == [
        frozenset({conflict.one, conflict.other}) for conflict in plain.conflicts
    ]
    assert len(asked) == 3
    assert found == plain, "None is no judgement"


def test_judge_above():
    """A low threshold finds what the vectors missed; a high one asks only about likely pairs."""
    judge = TableJudge(yes_yes=0.9)
    found = filtered(judge, judge_above=0.0)
    assert len(judge.asked[0]) == 6
    assert [conflict.own_probability < 0.5 for conflict in found.conflicts].count(True) == 1
    assert {tuple(sorted((c.one, c.other))) for c in found.conflicts} >= {
        ("inn | yes | a", "tax | yes | a")
    }
    least = sorted(conflict.own_probability for conflict in filtered(None).conflicts)
    over = TableJudge()
    assert filtered(over, judge_above=least[-1]) == filtered(None)
    assert len(over.asked[0]) == 1
    nobody = TableJudge()
    assert filtered(nobody, judge_above=1.0) == filtered(None)
    assert nobody.asked == []


def test_equal_texts_are_asked_about_once():
    """Asking twice costs twice and may bring two answers."""
    from dataclasses import replace

    copies = [*INNS[:2], replace(INNS[1], id="copy")]
    judge = TableJudge(yes_no=0.7)
    found = filtered(judge, copies)
    assert judge.asked == [[("inn | yes | a", "inn | no | a")]]
    assert [conflict.probability for conflict in found.conflicts] == [0.7, 0.7]
    alike = ContradictionFilter(PlacedEncoder(), judge=judge, judge_above=0.0)
    alike.filter(copies[1:])
    assert len(judge.asked) == 1, "copies are no question"


def test_answers_of_other_kinds_of_number():
    """Models return NumPy numbers, bools and ints."""
    for answers in (
        np.array([0.1, 0.2, 0.75]),
        (False, False, True),
        iter([None, 0.0, 1.0]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = filtered(lambda pairs, answers=answers: answers)
        assert 1 <= len(found.conflicts) <= 2
        assert type(found.conflicts[0].probability) is float


def _raises(pairs):
    raise RuntimeError("key-12345")


# tests/judging covers the judge's other failures
WRONG = {
    "raises": (_raises, "it raised RuntimeError"),
    "logits": (lambda pairs: np.array([-3.0, 3.0, 3.0]), "between 0 and 1"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_failure_leaves_our_own_and_loses_nobody(case, way):
    """A failed model must neither fail the call nor count as agreement."""
    judge, told = WRONG[case]
    plain = filtered(None)
    made = ContradictionFilter(PlacedEncoder(), judge=judge, resolution="drop_both")
    with pytest.warns(PairJudgeWarning, match=told) as caught:
        found = made.filter(INNS) if way == "sync" else asyncio.run(made.afilter(INNS))
    assert len(caught) == 1
    assert (found.hits, found.dropped, found.conflicts) == (
        plain.hits, plain.dropped, plain.conflicts,
    )  # fmt: skip
    assert "pair judge" in found.notes[0]
    assert "key-12345" not in str(found) + str(caught[0].message)


@pytest.mark.parametrize("settings", [{"judge": "nli"}, {"judge_above": 1.5}])
def test_settings_that_cannot_work(settings):
    """A wrong setting must not wait for the first conflict."""
    with pytest.raises(ConfigurationError, match=next(iter(settings))):
        ContradictionFilter(PlacedEncoder(), **settings)
