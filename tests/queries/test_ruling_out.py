"""Denials behind a wanted part, and the same words where they describe what is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logic_retrievers.queries import RuleParser

PARSER = RuleParser()
LABELLED = Path(__file__).parent / "labelled" / "ruling_out.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
DENIED = [row for row in ROWS if row["excluded"]]
DESCRIBED = [row for row in ROWS if not row["excluded"]]
MISSED = 4
"""Of the exclusions, those that no rule reads as a careful reader does."""


@pytest.mark.parametrize("row", DESCRIBED, ids=[row["id"] for row in DESCRIBED])
def test_nothing_is_ruled_out_that_describes_what_is_asked_for(row: dict):
    """An exclusion here hides the very passages that somebody wants."""
    parsed = PARSER.parse(row["text"])
    assert (parsed.excluded, parsed.wanted) == ((), row["text"])


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


@pytest.mark.parametrize(
    ("text", "trap"),
    [
        ("Who ran the mill, without asking who built it?", "who built it"),
        ("How do bees talk without explaining why they dance?", "why they dance"),
    ],
)
def test_a_question_that_is_not_to_be_answered_is_ruled_out_whole(text: str, trap: str):
    """Cut behind its verb, what is left of it would be asked after all."""
    parsed = PARSER.parse(text)
    assert parsed.excluded == (trap,)
    assert trap not in parsed.wanted


@pytest.mark.parametrize("adverb", ["", "directly ", "primarily "])
def test_an_adverb_may_stand_before_what_is_denied(adverb: str):
    parsed = PARSER.parse(f"What slows a network but is not {adverb}caused by the router?")
    assert (parsed.wanted, parsed.excluded) == ("What slows a network?", ("router",))


@pytest.mark.parametrize("adverb", ["solely", "entirely", "merely", "exclusively"])
def test_a_cause_among_others_is_not_ruled_out(adverb: str):
    """What is not caused by heat alone is caused by heat."""
    assert not PARSER.parse(f"What cracks a road but is not {adverb} caused by heat?").excluded
