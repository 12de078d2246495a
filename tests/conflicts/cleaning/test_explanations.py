"""A decision in one sentence: the sentences read, the certainty and the consequence."""

from __future__ import annotations

import pytest
from report_pages import cleaning_result, decision

from logic_retrievers import Passage
from logic_retrievers.conflicts import Kind, explain
from logic_retrievers.conflicts.cleaning.explanation import MAX_QUOTED

LEAVE = {
    "a": Passage("a", "Parental leave is\nnever paid."),
    "b": Passage("b", "Parental leave is paid in full."),
}


def explained(*, dry_run=False, passages=LEAVE, **more):
    one = decision(**more)
    return explain(cleaning_result(one, passages=passages, dry_run=dry_run), one)


def test_a_contradiction_that_was_read():
    """A user must see the two sentences and the probability without the corpus."""
    assert explained(
        probability=0.83, reason="read together they contradict each other (0.83)",
        action="quarantined", quarantined=["a"], why="'b' is newer",
    ) == (
        "'a' and 'b' contradict each other with a probability of 83 %"
        ' (25 % by the vectors alone): one says "Parental leave is never paid.",'
        ' the other "Parental leave is paid in full.";'
        " read together they contradict each other (0.83); 'a' is hidden ('b' is newer)."
    )  # fmt: skip


def test_whose_probability_it_is():
    """The reason tells the vectors' probability from a judge's and names the judge."""
    assert "a probability of 25 % by the vectors:" in explained(probability=0.25)
    assert "a probability of 90 % (25 % by the vectors alone):" in explained(probability=0.9)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Kind.SUPERSEDED, "'a' and 'b' are two states of one thing, 'b' the newer one: one says"),
        (Kind.SCOPE, "'a' and 'b' are about different things: one says"),
        (Kind.PARAPHRASE, "'a' and 'b' agree: one says"),
        (Kind.DUPLICATE, "'a' and 'b' are copies: both say"),
    ],
)
def test_every_kind_is_named_in_plain_words(kind, words):
    """Only a contradiction shows its probability; for two scopes it would confuse."""
    sentence = explained(kind=kind, newer="b" if kind is Kind.SUPERSEDED else None)
    assert sentence.startswith(words)
    assert "probability" not in sentence
    assert sentence.endswith("they differ; nothing is hidden for it (as the policy has it).")


@pytest.mark.parametrize(
    ("names", "dry_run", "words"),
    [
        (["a"], False, "'a' is hidden"),
        (["a", "b"], False, "'a' and 'b' are hidden"),
        (["a"], True, "'a' would be hidden"),
        ([], True, "nothing is hidden for it"),
    ],
)
def test_what_follows(names, dry_run, words):
    """A dry run must not say "is hidden" of a passage that stays."""
    assert f"; {words} (" in explained(quarantined=names, dry_run=dry_run)


def test_of_a_long_passage_what_was_read_is_quoted():
    """No one reads a whole page in a log line."""
    rest = " ".join(f"Room {n} has a view of the garden, a desk and a lamp." for n in range(20))
    long = {"a": Passage("a", f"{rest} Parental leave is never paid. {rest}"), "b": LEAVE["b"]}
    sentence = explained(passages=long)
    assert "Parental leave is never paid." in sentence
    assert "Room 19" not in sentence
    endless = {"a": Passage("a", "leave " * 900), "b": LEAVE["b"]}
    assert len(explained(passages=endless)) < 2 * MAX_QUOTED
