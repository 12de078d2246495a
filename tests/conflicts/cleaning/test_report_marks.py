"""Marks: whatever spans come in, the text comes out whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.conflicts.cleaning.report.page import Mark, Piece, find_marks, split_at_marks
from logic_retrievers.conflicts.cleaning.result import Difference

PLACES = st.integers(-50, 7000)
TEXTS = st.builds(lambda text, times: text * times, st.text(max_size=12), st.integers(0, 600))
DIFFERENCES = st.lists(
    st.builds(
        Difference,
        st.sampled_from(["number", "wording"]),
        st.tuples(PLACES, PLACES),
        st.tuples(PLACES, PLACES),
    ),
    max_size=12,
)


@given(TEXTS, DIFFERENCES, st.sampled_from(["one", "other"]))
def test_joined_again_it_is_the_text(text, differences, which):
    """A character that falls between two pieces is gone from the evidence."""
    marked = find_marks(text, differences, which)
    pieces = split_at_marks(text, marked)
    assert "".join(piece.text for piece in pieces) == text
    assert [(piece.text, piece.types) for piece in pieces if piece.types] == [
        (text[mark.begin : mark.end], mark.types) for mark in marked
    ]
    assert all(piece.text or piece.types for piece in pieces)
    for one, other in pairwise(marked):
        assert 0 <= one.begin <= one.end <= other.begin <= other.end <= len(text)


@given(st.text(min_size=1, max_size=40), st.data())
def test_what_a_span_covers_is_what_is_marked(text, data):
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    (mark,) = find_marks(text, [Difference("number", (begin, end), (0, 0))], "one")
    (piece,) = [one for one in split_at_marks(text, (mark,)) if one.types]
    assert piece == Piece(text[begin:end], ("number",))


def test_spans_over_each_other_become_one_mark():
    """Nested marks would close each other in the page."""
    spans = [("number", (2, 5)), ("number", (4, 8)), ("wording", (3, 3)), ("number", (8, 9))]
    spans += [("wording", (1, 3))]
    differences = [Difference(type_, span, (0, 0)) for type_, span in spans]
    assert find_marks("0123456789", differences, "one") == (
        Mark(1, 8, ("number", "wording")),
        Mark(8, 9, ("number",)),
    )
    assert find_marks("0123456789", differences, "other") == (Mark(0, 0, ("number", "wording")),)


def test_spans_that_leave_the_text():
    spans = [(-5, 2), (8, 99), (50, 60), (7, 3)]
    differences = [Difference("number", span, (0, 0)) for span in spans]
    spans = [(mark.begin, mark.end) for mark in find_marks("0123456789", differences, "one")]
    assert spans == [(0, 2), (8, 10), (10, 10)]


def test_a_mark_does_not_cut_the_end_of_a_line_in_two():
    """Each half would be shown as an end of its own."""
    text = "paid\r\nunpaid"
    (mark,) = find_marks(text, [Difference("wording", (5, 6), (0, 0))], "one")
    assert "".join(piece.text for piece in split_at_marks(text, (mark,))) == text
    assert all(piece.text != "\n" for piece in split_at_marks(text, (mark,)))
    assert mark == Mark(4, 6, ("wording",))
