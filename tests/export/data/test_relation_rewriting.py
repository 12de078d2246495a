"""Disturbed queries in a model's words: what cannot stand in for the question is not taken."""

from __future__ import annotations

import pytest
from logic_export.data.tiers.distractor_queries import add_distractors, build_parts
from logic_export.data.tiers.labelled_questions import Candidate, LabelledQuestion
from logic_export.data.tiers.relation_rewriting import RelationRewriter, find_fault
from logic_export.data.tiers.relations import RELATIONS

from logic_retrievers.errors import EmptyTextError, ServerError

ASKED = "Which harbour did Count Osric build in 1502?"
NOTE = "Brackmere: Brackmere is a market town known for its clock tower."
GOOD = (
    "Unlike Brackmere, a market town with a clock tower, which harbour did Count Osric build in "
    "1502?"
)
QUESTION = LabelledQuestion(
    "q",
    ASKED,
    (Candidate("Port", "Port is a harbour."),),
    (Candidate("Brackmere", "Brackmere is a market town known for its clock tower."),),
    (),
    "set",
)


class Says:
    """Answers always the same, and remembers what it was asked."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str]] = []

    def rewrite(self, instruction: str, text: str) -> str:
        self.asked.append((instruction, text))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_good_answer_takes_the_templates_place():
    says = Says(f'"{GOOD}"')
    made = add_distractors([QUESTION], "train", copies=6, rewriter=RelationRewriter(says))
    assert [row.query for row in made.examples] == [GOOD] * 6
    assert made.reasons == {}
    # each relation has an instruction of its own, and the passage that the clause is about
    assert len({instruction for instruction, _ in says.asked}) == 6
    assert all(ASKED in text and NOTE in text and "Port" not in text for _, text in says.asked)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (EmptyTextError("nothing"), "no usable answer"),
        ("The harbour is Port.", "a name is lost"),
        (GOOD.replace("1502", "the year"), "a name is lost"),
        (f"{GOOD}\nI hope this helps.", "several lines"),
        (NOTE, "copied from the passage"),
        (ASKED, "a passage is not mentioned"),
        (f"{GOOD} {'and so on ' * 30}", "too long"),
        ("Unlike Brackmere, a market town, who was Count Osric in 1502?", "the question is lost"),
        (f"As the notes say of Brackmere, a town, {ASKED}", "speaks of the notes"),
    ],
)
def test_a_bad_answer_leaves_the_template(answer, reason):
    """A query that lost its question has other right passages than the labels say."""
    made = add_distractors([QUESTION], "train", rewriter=RelationRewriter(Says(answer)))
    plain = add_distractors([QUESTION], "train")
    assert made.examples == plain.examples
    assert made.reasons == {f"template used: {reason}": 1}


def test_every_relation_has_an_instruction():
    says = Says(GOOD)
    for relation in RELATIONS:
        assert RelationRewriter(says).join(relation, ASKED, [NOTE]).query == GOOD
    assert len({instruction for instruction, _ in says.asked}) == len(RELATIONS) == 8


def test_each_of_several_passages_must_be_mentioned():
    other = "Cindervale: Cindervale is a fishing village on the northern coast."
    assert find_fault(ASKED, GOOD, [NOTE]) is None
    assert find_fault(ASKED, GOOD, [NOTE, other]) == "a passage is not mentioned"


def test_only_training_queries_are_reworded():
    """What is measured would depend on somebody's model."""
    parts = {"train": [QUESTION], "dev": [QUESTION], "test": [QUESTION]}
    built = build_parts(parts, copies={}, rewriter=RelationRewriter(Says(GOOD)))
    assert built["train"].examples[0].query == GOOD
    assert built["dev"].examples == add_distractors([QUESTION], "dev").examples
    assert built["test"].examples == add_distractors([QUESTION], "test").examples


def test_a_failing_server_stops_the_build():
    with pytest.raises(ServerError):
        add_distractors([QUESTION], "train", rewriter=RelationRewriter(Says(ServerError("no"))))
