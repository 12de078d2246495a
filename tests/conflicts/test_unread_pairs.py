"""With k a filter leaves pairs unread but decides as if it had read them all."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed import PlacedEncoder, passages
from table_reader import TableReader

from logic_retrievers import Passage
from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.conflicts.resolution_strategies import (
    Annotate,
    ByFunction,
    DropBoth,
    PreferNewest,
    Ruling,
)
from logic_retrievers.errors import ConflictingTrustWarning

CLAIMS = ("quiet", "loud", "open", "shut", "warm")
LISTS = st.lists(st.tuples(st.sampled_from(CLAIMS), st.integers(2020, 2022)), max_size=9)
TABLES = st.sets(st.tuples(st.sampled_from(CLAIMS), st.sampled_from(CLAIMS)), max_size=5)


def reads_all(strategy):
    """The same strategy, made to read the whole list."""
    kind = type(strategy)
    return type(kind.__name__, (kind,), {"needs_all_conflicts": True})(**vars(strategy))


@given(
    LISTS,
    TABLES,
    st.sets(st.integers(0, 10)),
    st.integers(1, 9),
    st.sampled_from([Annotate(), DropBoth(), PreferNewest(), ByFunction(lambda one, _: one)]),
    st.sampled_from(["drop", "annotate"]),
)
def test_what_is_left_unread_changes_nothing(rows, opposed, trusted, k, strategy, against):
    """With k a filter reads only what it needs and drops the same for the same reasons."""
    texts = [f"inn | {claim} | {n}" for n, (claim, _) in enumerate(rows)]
    listed = passages(*texts, date=[date for _, date in rows])
    vouched = [Passage("law", "inn | law | x"), *(p for n, p in enumerate(listed) if n in trusted)]
    judge, full = TableReader(*opposed, ("law", "shut")), TableReader(*opposed, ("law", "shut"))
    settings = {"against_trusted": against, "trusted": vouched}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConflictingTrustWarning)
        found, expected = (
            ContradictionFilter(PlacedEncoder(), judge=reader, resolution=way, **settings)
            for reader, way in ((judge, strategy), (full, reads_all(strategy)))
        )
        found, expected = found.filter(listed, k), expected.filter(listed, k)
    assert (found.hits, found.dropped, found.notes) == (
        expected.hits,
        expected.dropped,
        expected.notes,
    )
    reached = [c for c in expected.conflicts if c.decision != "unreached"]
    assert [c for c in found.conflicts if c.decision != "unreached"] == reached
    assert set(judge.asked) <= set(full.asked)


class FewestRivals(DropBoth):
    """A user's strategy that counts conflicts."""

    def decide(self, one, other, graph):
        return Ruling("has more", (max(one, other, key=lambda p: len(graph.rivals[p])),))


@pytest.mark.parametrize(
    ("resolution", "count"),
    [("annotate", 5), (["prefer_newest", "prefer_majority"], 20), (FewestRivals(), 20)],
)
def test_no_more_is_read_than_a_filter_needs(resolution, count):
    """A context of five fetches twenty passages; votes come from all of them."""
    many = passages(*(f"inn | quiet | {n}" for n in range(20)))
    judge = TableReader()
    ContradictionFilter(PlacedEncoder(), judge=judge, resolution=resolution).filter(many, 5)
    assert {text for pair in judge.asked for text in pair} == {p.text for p in many[:count]}
