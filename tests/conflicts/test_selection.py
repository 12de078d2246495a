"""The window over the list: what its docstring promises, on any graph."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.conflicts.conflict_resolution import select_passages
from logic_retrievers.conflicts.resolution_strategies import Ruling

BARRED = 99
"""The number of a conflict with a trusted passage."""


@st.composite
def worlds(draw):
    """Passages, disputes in order of strength, and a ruling fixed for each of them."""
    count = draw(st.integers(0, 9))
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    disputes = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    rulings = {pair: draw(st.sampled_from([(), (pair[0],), (pair[1],), pair])) for pair in disputes}
    barred = draw(st.sets(st.integers(0, count - 1))) if count else set()
    return count, barred, disputes, rulings


def settled(world, k, count=None):
    full, barred, disputes, rulings = world
    count = full if count is None else count
    return select_passages(
        count,
        k,
        {one: BARRED for one in barred if one < count},
        {n: pair for n, pair in enumerate(disputes) if max(pair) < count},
        lambda one, other: Ruling("", rulings[one, other]),
    )


@given(worlds(), st.one_of(st.none(), st.integers(1, 10)))
def test_whoever_stays_may_stay(world, k):
    """Nobody stays who is barred, or whom a ruling took out beside somebody who was there."""
    count, barred, disputes, rulings = world
    found = settled(world, k)
    assert list(found.staying) == sorted(found.staying)
    assert not set(found.staying) & (barred | set(found.dropped))
    for number, (one, other) in enumerate(disputes):
        if one in found.staying and other in found.staying:
            assert rulings[one, other] == ()
            assert number in found.rulings
    for place, number in found.dropped.items():
        assert (number == BARRED) == (place in barred)
        assert number == BARRED or place in rulings[disputes[number]]
    met = set(range(found.reached))
    assert met == set(found.staying) | set(found.dropped)
    assert len(found.staying) == k or found.reached == count


@given(worlds(), st.integers(1, 10))
def test_what_stands_behind_plays_no_part(world, k):
    """More over-fetching would change the context, and by passages that are not in it."""
    found = settled(world, k)
    if len(found.staying) == k:
        for count in range(found.reached, world[0] + 1):
            again = settled(world, k, count)
            assert (again.staying, again.reached) == (found.staying, found.reached)
            assert again.dropped.keys() == found.dropped.keys()


@given(worlds())
def test_without_k_the_strongest_come_first(world):
    """One pass over the disputes, strongest first: who has gone takes nobody along."""
    count, barred, disputes, rulings = world
    inside = set(range(count)) - barred
    for one, other in disputes:
        if {one, other} <= inside:
            inside -= set(rulings[one, other])
    assert settled(world, None).staying == tuple(sorted(inside))
