"""Groups of two sides out of labelled data."""

from __future__ import annotations

from pathlib import Path

import pytest
from group_files import DOCUMENT, claim, jsonl
from logic_export.data.contradictions.builders import build_groups, claim_groups, negation_groups
from logic_export.data.contradictions.conflictqa import question_groups
from logic_export.data.contradictions.groups import ContradictionGroup

from logic_retrievers.errors import ConfigurationError

FIELDS = ("memory_answer", "parametric_memory", "parametric_memory_aligned_evidence")
COUNTER = ("counter_answer", "counter_memory", "counter_memory_aligned_evidence")


def row(question: str, ours: tuple, theirs: tuple) -> dict[str, str]:
    return {
        "question": question,
        **dict(zip(FIELDS, ours, strict=True)),
        **dict(zip(COUNTER, theirs, strict=True)),
    }


ROWS = [
    row("q", ("yes", "it is so", "as said"), ("no", "it is not so", "never so")),
    # another generator began with the other answer
    row("q", ("no", "not at all", ""), ("yes", "indeed", "as said")),
    row("q", ("perhaps", "who knows", "hm"), ("no", "surely not", "x")),
]


def test_generators_that_began_with_the_other_answer_change_sides():
    """The texts of both answers on one side would be trained as paraphrases of each other."""
    (first,) = question_groups(ROWS)
    assert set(first.left) == {"yes", "it is so", "as said", "indeed"}
    assert set(first.right) == {"no", "it is not so", "never so", "not at all"}
    (bare,) = question_groups(ROWS, answers=False)
    assert set(bare.left) == {"it is so", "as said", "indeed"}
    assert set(bare.right) == {"it is not so", "never so", "not at all"}
    # which side "perhaps" is on is unknown
    assert not {"who knows", "surely not"} & set(first.texts)


def test_a_text_that_supports_both_answers_supports_neither():
    both = row("q", ("yes", "so", "both say"), ("no", "not so", "both say"))
    (group,) = question_groups([both])
    assert "both say" not in group.texts
    assert question_groups([row("q", ("yes", "same", ""), ("yes", "same", ""))]) == []


def test_questions_are_cut_and_each_part_has_the_answers(tmp_path: Path):
    """A question with many passages would be a batch of its own."""
    rows = [
        row("q", ("yes", f"long because {n}", f"and {n} indeed"), ("no", f"never {n}", f"not {n}"))
        for n in range(2)
    ]
    options = {"path": str(jsonl(tmp_path / "rows.jsonl", rows))}
    parts = build_groups("questions", options, 0)
    assert len(parts) == 2
    for part in parts:
        assert (len(part.left), len(part.right)) == (3, 3)
        assert "yes" in part.left
        assert "no" in part.right
    assert {t for part in parts for t in part.texts} == {t for r in rows for t in r.values()} - {
        "q"
    }
    (whole,) = build_groups("questions", {**options, "most": None, "answers": False}, 0)
    assert (len(whole.left), len(whole.right)) == (4, 4)
    with pytest.raises(ConfigurationError, match="most"):
        build_groups("questions", {**options, "most": 0}, 0)


def test_a_passage_of_two_questions_gets_the_answers_of_its_own(tmp_path: Path):
    """Answers of another question beside a passage say that it contradicts what it never met."""
    rows = [
        row("q", ("yes", "the same passage", ""), ("no", "never so", "")),
        row("r", ("one", "it is two, not one", ""), ("two", "the same passage", "")),
    ]
    found = build_groups("questions", {"path": str(jsonl(tmp_path / "r.jsonl", rows))}, 0)
    assert [(set(g.left), set(g.right)) for g in found] == [
        ({"yes", "the same passage"}, {"no", "never so"}),
        ({"one", "it is two, not one"}, {"two", "the same passage"}),
    ]


def test_statements_that_share_a_negation_are_paraphrases():
    pairs = [("I won.", "I lost."), ("I did win.", "I lost."), ("I lost.", "I won."), ("a", "a")]
    first, mirrored = negation_groups([*pairs, ("I lost.", "I did win.")])[:2]
    assert first == ContradictionGroup(("I won.", "I did win."), ("I lost.",), "negations")
    assert mirrored == ContradictionGroup(("I lost.",), ("I won.",), "negations")
    assert negation_groups([("a", "b"), ("b", "a")]) == [
        ContradictionGroup(("a",), ("b",), "negations")
    ]


def test_claims_stand_on_the_side_that_the_evidence_takes():
    """A refuted claim beside its evidence is a paraphrase that denies it."""
    found = claim_groups(
        [
            claim("The drug saves lives.", "SUPPORT", 1),
            claim("The drug kills.", "CONTRADICT", 1),
            claim("Costs were low.", "CONTRADICT", 3),
            claim("Elsewhere it rained.", "SUPPORT", 0, document="9"),
        ],
        {"1": DOCUMENT},
    )
    first, second = found
    assert first.left == (
        "Cells were counted. The drug reduces the risk of death. It was given daily.",
        "The drug saves lives.",
    )
    assert first.right == ("The drug kills.",)
    assert second.left == ("It was given daily. Costs were high. No harm was seen.",)
    assert second.right == ("Costs were low.",)


def test_supported_claims_are_denied_where_that_is_safe():
    safe = claim("The drug reduces the risk.", "SUPPORT", 1)
    unsafe = claim("Some drugs may work.", "SUPPORT", 3)
    (group,) = claim_groups([safe, unsafe], {"1": DOCUMENT})
    assert group.right == ("The drug does not reduce the risk.",)
    assert group.left[1:] == ("The drug reduces the risk.",)
    (group,) = claim_groups([claim("It is red.", "SUPPORT", 0)], {"1": "It is red."})
    assert group.left == ("It is red.",)
