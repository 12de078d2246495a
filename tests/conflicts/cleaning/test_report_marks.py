"""Marks of a report: the words that differ, and the text whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.conflicts.cleaning.report.page import Piece, split_at_differences
from logic_retrievers.conflicts.cleaning.word_diff import find_differences

WORDS = st.sampled_from(["paid", "not", "30", "45", "days", "\r\n", ", ", "e\u0301", "\U0001f600"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=40)


@given(TEXTS, TEXTS)
def test_joined_again_it_is_the_text(one, other):
    """A character that falls between two pieces is gone from the evidence."""
    differences = find_differences(one, other)
    for side, text in (("one", one), ("other", other)):
        pieces = list(split_at_differences(text, differences, side))
        assert "".join(piece.text for piece in pieces) == text
        assert all(piece.text or piece.difference for piece in pieces)
        marked = [piece.text for piece in pieces if piece.difference]
        assert marked == [text[slice(*getattr(found, side))] for found in differences]


def test_what_only_the_other_text_has_leaves_a_gap():
    """Without a mark there, nobody sees where "not" is missing."""
    two = "Dogs may swim for 30 days.", "Dogs may not swim for 45 days."
    differences = find_differences(*two)
    assert list(split_at_differences(two[0], differences, "one")) == [
        Piece("Dogs may "),
        Piece("", "wording"),
        Piece("swim for "),
        Piece("30", "number"),
        Piece(" days."),
    ]
