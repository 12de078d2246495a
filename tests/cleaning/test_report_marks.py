"""Marks and folds: whatever spans come in, the text comes out whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.cleaning.findings import Difference
from logic_retrievers.cleaning.report.folding import AROUND, LONG, REACH, parts
from logic_retrievers.cleaning.report.marking import Mark, Piece, marks, pieces

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
    marked = marks(text, differences, which)
    cut = parts(text, marked)
    assert "".join(piece.text for part in cut for piece in part.pieces) == text
    assert all(part.length == sum(len(p.text) for p in part.pieces) for part in cut)
    assert all(
        piece.types for mark in marked for piece in pieces(text, marked, mark.begin, mark.end)
    )
    for one, other in pairwise(marked):
        assert 0 <= one.begin <= one.end <= other.begin <= other.end <= len(text)
    shown = sum(part.length for part in cut if not part.folded)
    assert shown <= LONG + 4 * AROUND + 2 * REACH
    assert len(text) > LONG or not any(part.folded for part in cut)
    assert all(one.folded != other.folded for one, other in pairwise(cut))


@given(st.text(min_size=1, max_size=40), st.data())
def test_what_a_span_covers_is_what_is_marked(text, data):
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    (mark,) = marks(text, [Difference("date", (begin, end), (0, 0))], "one")
    (piece,) = [one for one in pieces(text, (mark,), 0, len(text)) if one.types]
    assert piece == Piece(text[begin:end], ("date",))


def test_spans_over_each_other_become_one_mark():
    """Nested marks would close each other in the page."""
    spans = [("number", (2, 5)), ("entity", (4, 8)), ("date", (3, 3)), ("number", (8, 9))]
    spans += [("wording", (1, 3))]
    differences = [Difference(type_, span, (0, 0)) for type_, span in spans]
    assert marks("0123456789", differences, "one") == (
        Mark(1, 8, ("number", "date", "entity", "wording")),
        Mark(8, 9, ("number",)),
    )
    assert marks("0123456789", differences, "other") == (
        Mark(0, 0, ("date", "entity", "number", "wording")),
    )


def test_spans_that_leave_the_text():
    spans = [(-5, 2), (8, 99), (50, 60), (7, 3)]
    differences = [Difference("number", span, (0, 0)) for span in spans]
    found = [(mark.begin, mark.end) for mark in marks("0123456789", differences, "one")]
    assert found == [(0, 2), (8, 10), (10, 10)]


def test_every_difference_is_in_sight_while_there_is_room():
    """Who has to unfold to see what differs does not look."""
    text = "word " * 4000
    places = (0, 9000, 9400, 19995)
    marked = tuple(Mark(at, at + 4, ("number",)) for at in places)
    cut = parts(text, marked)
    assert [part.folded for part in cut] == [False, True, False, True, False]
    assert [part.marked for part in cut] == [1, 0, 2, 0, 1]
    assert all(part.pieces[0].text[:1] != "o" for part in cut), "cut inside a word"


def test_a_text_that_differs_everywhere_is_still_short():
    text = "word " * 4000
    marked = tuple(Mark(at, at + 4, ("number",)) for at in range(0, len(text), 5))
    shown, hidden = parts(text, marked)
    assert (shown.folded, hidden.folded) == (False, True)
    assert LONG <= shown.length <= LONG + 2 * AROUND
    assert shown.marked + hidden.marked == len(marked)


def test_a_long_text_without_differences_shows_its_beginning():
    shown, hidden = parts("word " * 4000, ())
    assert 2 * AROUND <= shown.length <= 2 * AROUND + REACH
    assert hidden.folded


def test_a_mark_does_not_cut_the_end_of_a_line_in_two():
    """Each half would be shown as an end of its own."""
    text = "paid\r\nunpaid"
    (mark,) = marks(text, [Difference("wording", (5, 6), (0, 0))], "one")
    assert "".join(piece.text for piece in pieces(text, (mark,), 0, len(text))) == text
    assert all(piece.text != "\n" for piece in pieces(text, (mark,), 0, len(text)))
    assert mark == Mark(4, 6, ("wording",))
