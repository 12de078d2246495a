"""Marks and folds: whatever spans come in, the text comes out whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.report.marks import (
    CONTEXT,
    LONG_TEXT,
    WORD_SEARCH,
    Mark,
    Piece,
    find_marks,
    fold_text,
    split_at_marks,
)
from logic_retrievers.cleaning.result import Difference

PLACES = st.integers(-50, 7000)
TEXTS = st.builds(lambda text, times: text * times, st.text(max_size=12), st.integers(0, 600))
DIFFERENCES = st.lists(
    st.builds(
        Difference,
        st.sampled_from(["number", "polarity", "wording"]),
        st.tuples(PLACES, PLACES),
        st.tuples(PLACES, PLACES),
    ),
    max_size=12,
)


@given(TEXTS, DIFFERENCES, st.sampled_from(["one", "other"]))
def test_joined_again_it_is_the_text(text, differences, which):
    """A character that falls between two pieces is gone from the evidence."""
    marked = find_marks(text, differences, which)
    cut = fold_text(text, marked)
    assert "".join(piece.text for part in cut for piece in part.pieces) == text
    assert all(part.length == sum(len(p.text) for p in part.pieces) for part in cut)
    assert all(
        piece.types
        for mark in marked
        for piece in split_at_marks(text, marked, mark.begin, mark.end)
    )
    for one, other in pairwise(marked):
        assert 0 <= one.begin <= one.end <= other.begin <= other.end <= len(text)
    shown = sum(part.length for part in cut if not part.is_folded)
    assert shown <= LONG_TEXT + 4 * CONTEXT + 2 * WORD_SEARCH
    assert len(text) > LONG_TEXT or not any(part.is_folded for part in cut)
    assert all(one.is_folded != other.is_folded for one, other in pairwise(cut))


@given(st.text(min_size=1, max_size=40), st.data())
def test_what_a_span_covers_is_what_is_marked(text, data):
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    (mark,) = find_marks(text, [Difference("date", (begin, end), (0, 0))], "one")
    (piece,) = [one for one in split_at_marks(text, (mark,), 0, len(text)) if one.types]
    assert piece == Piece(text[begin:end], ("date",))


def test_spans_over_each_other_become_one_mark():
    """Nested marks would close each other in the page."""
    spans = [("number", (2, 5)), ("entity", (4, 8)), ("date", (3, 3)), ("number", (8, 9))]
    spans += [("wording", (1, 3))]
    differences = [Difference(type_, span, (0, 0)) for type_, span in spans]
    assert find_marks("0123456789", differences, "one") == (
        Mark(1, 8, ("number", "date", "entity", "wording")),
        Mark(8, 9, ("number",)),
    )
    assert find_marks("0123456789", differences, "other") == (
        Mark(0, 0, ("date", "entity", "number", "wording")),
    )


def test_spans_that_leave_the_text():
    spans = [(-5, 2), (8, 99), (50, 60), (7, 3)]
    differences = [Difference("number", span, (0, 0)) for span in spans]
    spans = [(mark.begin, mark.end) for mark in find_marks("0123456789", differences, "one")]
    assert spans == [(0, 2), (8, 10), (10, 10)]


def test_every_difference_is_in_sight_while_there_is_room():
    """Who has to unfold to see what differs does not look."""
    text = "word " * 4000
    places = (0, 9000, 9400, 19995)
    marked = tuple(Mark(at, at + 4, ("number",)) for at in places)
    cut = fold_text(text, marked)
    assert [part.is_folded for part in cut] == [False, True, False, True, False]
    assert [part.n_marks for part in cut] == [1, 0, 2, 0, 1]
    assert all(part.pieces[0].text[:1] != "o" for part in cut), "cut inside a word"


def test_a_text_that_differs_everywhere_is_still_short():
    text = "word " * 4000
    marked = tuple(Mark(at, at + 4, ("number",)) for at in range(0, len(text), 5))
    shown, hidden = fold_text(text, marked)
    assert (shown.is_folded, hidden.is_folded) == (False, True)
    assert LONG_TEXT <= shown.length <= LONG_TEXT + 2 * CONTEXT
    assert shown.n_marks + hidden.n_marks == len(marked)


def test_a_long_text_without_differences_shows_its_beginning():
    shown, hidden = fold_text("word " * 4000, ())
    assert 2 * CONTEXT <= shown.length <= 2 * CONTEXT + WORD_SEARCH
    assert hidden.is_folded


def test_a_mark_does_not_cut_the_end_of_a_line_in_two():
    """Each half would be shown as an end of its own."""
    text = "paid\r\nunpaid"
    (mark,) = find_marks(text, [Difference("wording", (5, 6), (0, 0))], "one")
    assert "".join(piece.text for piece in split_at_marks(text, (mark,), 0, len(text))) == text
    assert all(piece.text != "\n" for piece in split_at_marks(text, (mark,), 0, len(text)))
    assert mark == Mark(4, 6, ("wording",))
